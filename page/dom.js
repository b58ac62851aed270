// The few helpers that make elements, and the store that keeps the page's state.

import { csv } from "./csv.js";

// All text goes through text nodes: names come from untrusted traces. Styles go through CSSOM: the policy forbids style="".
export function h(tag, props = {}, ...children) {
  const el = document.createElement(tag);
  for (const [key, value] of Object.entries(props ?? {})) {
    if (value == null || value === false) continue;
    if (key.startsWith("on")) el.addEventListener(key.slice(2), value);
    else if (key === "vars") for (const [name, v] of Object.entries(value)) el.style.setProperty(name, v);
    else if (key === "class") el.className = value;
    else el.setAttribute(key, value === true ? "" : value);
  }
  el.append(...children.flat(4).filter((c) => c != null && c !== false));
  return el;
}

const SVG = new DOMParser().parseFromString("<svg/>", "text/html").body.firstChild.namespaceURI;

export function svg(tag, props = {}, ...children) {
  const el = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(props)) el.setAttribute(key, value);
  el.append(...children.flat());
  return el;
}

export const $ = (id) => document.getElementById(id);
export const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
export const say = (text) => { $("said").textContent = text; }; // for screen readers

// A store with one kind of event. Views read state and redraw; they never call each other.
export function store(initial) {
  const listeners = new Set();
  const state = { ...initial };
  return {
    state,
    set(changes) {
      const changed = Object.keys(changes).filter((k) => state[k] !== changes[k]);
      if (!changed.length) return;
      Object.assign(state, changes);
      for (const f of listeners) f(new Set(changed));
    },
    listen: (f) => listeners.add(f),
  };
}

// Calls f when the element's width is no longer `width`; between frames, because f may change its height.
export function onWidth(el, f, width = -1) {
  new ResizeObserver(() => requestAnimationFrame(() => {
    if (el.clientWidth === width) return;
    width = el.clientWidth;
    f();
  })).observe(el);
}

// A canvas as wide as its box; fit() gives it the size that it has on the screen.
export function canvas(box, height, props) {
  const el = h("canvas", props);
  box.append(el);
  const fit = () => {
    const ratio = devicePixelRatio || 1, width = box.clientWidth;
    el.width = Math.max(1, Math.round(width * ratio));
    el.height = Math.max(1, Math.round(height() * ratio));
    el.style.height = `${height()}px`;
    const g = el.getContext("2d");
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    return { g, width, height: height(), ratio };
  };
  return { el, fit };
}

export function download(name, rows) {
  const a = h("a", { download: name, href: URL.createObjectURL(new Blob([csv(rows)], { type: "text/csv" })) });
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 1e4);
}

export async function copy(text, button) {
  try { await navigator.clipboard.writeText(text); } catch { // a file has no clipboard in some browsers
    const area = h("textarea", {}, text);
    document.body.append(area), area.select(), document.execCommand("copy"), area.remove();
  }
  say("Copied");
  button?.classList.add("copied");
  setTimeout(() => button?.classList.remove("copied"), 1200);
}
