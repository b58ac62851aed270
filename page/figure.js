// What all pictures have in common: a title, a table behind it, numbers under the pointer or the arrow keys, and the part of
// the run that they are about: the selected span, or the focus, and some of its ranks.
import { bytes, count, time } from "./data.js";
import { $, canvas, css, download, h, onWidth, say } from "./dom.js";
import { rankRows, scopeOf } from "./series.js";

export const LEFT = 46;
export const FOOT = 20;
const PEN = "11px";

function tableOf([heads, ...body]) {
  return h("table", {}, h("thead", {}, h("tr", {}, heads.map((v) => h("th", { scope: "col", class: "n" }, v)))),
    h("tbody", {}, body.map((r) => h("tr", {}, r.map((v, i) => h(i ? "td" : "th", { class: "n", scope: i ? null : "row" }, v))))));
}

// run and page, for those that have a part; title, note() or note, name; pick: what is chosen in its head; make(scope): counts what it shows; rows(): the table;
// draw({ g, width, height }); height(); words(x, y): what is said of a place in it; step(): how far an arrow key goes, or
// spots(): the places that it goes through; go(x, y): a click; times(): the span from its left to its right edge, if that is time and may be selected.
export function figure(box, spec) {
  const { run, page, title, name, rows, draw, height, words, go, times, pick } = spec, noteOf = () => typeof spec.note === "function" ? spec.note() : spec.note;
  const holder = h("div", { class: "plot" }), table = h("div", { class: "scroll", hidden: true, tabindex: "0", role: "region", "aria-label": `${title}, table` });
  let isStale = true, isSeen = false, drag = null, timer = 0;
  const fresh = () => { if (isStale) { isStale = false; spec.make?.(scopeOf(run, page.state)); note.textContent = noteOf(); } };
  const toggle = h("button", { class: "quiet", type: "button", "aria-pressed": "false", onclick: () => {
    table.hidden = !table.hidden, holder.hidden = !table.hidden;
    toggle.setAttribute("aria-pressed", String(!table.hidden));
    if (!table.hidden) { fresh(); table.replaceChildren(tableOf(rows())); }
  } }, "table");
  const note = h("span", { class: "muted" }, spec.make ? "" : noteOf());
  box.append(h("figure", { class: `figure ${name}` }, h("figcaption", {}, h("h3", {}, title), pick ?? null, note, h("span", { class: "gap" }), toggle,
    h("button", { class: "quiet", type: "button", onclick: () => { fresh(); download(`${name}.csv`, rows()); } }, "csv")), holder, table));
  const c = canvas(holder, () => { fresh(); return height(); }, { tabindex: "0", role: "application", "aria-roledescription": "picture", "aria-label": `${title}. Arrow keys tell its numbers, and its table has all of them.` });
  function paint(isPrinted = false) {
    if (!holder.clientWidth || !isSeen && isPrinted !== true) return;
    const at = c.fit();
    at.g.clearRect(0, 0, at.width, at.height), at.g.font = `${PEN} ${css("--sans")}`, at.g.lineWidth = 1;
    draw(at);
    if (drag?.moved) veil(at);
  }
  function veil({ g, height: all }) {
    g.globalAlpha = 0.18, g.fillStyle = css("--accent");
    g.fillRect(Math.min(drag.x, drag.to), 0, Math.abs(drag.to - drag.x), all - FOOT);
    g.globalAlpha = 1;
  }
  onWidth(holder, paint);
  new IntersectionObserver((seen) => { const was = isSeen; isSeen = seen.at(-1).isIntersecting; if (isSeen && !was) paint(); }, { rootMargin: "300px" }).observe(holder);
  addEventListener("beforeprint", () => paint(true));
  const show = () => { if (!table.hidden) { fresh(); table.replaceChildren(tableOf(rows())); } else paint(); };
  const changed = (delay = 0) => { isStale = true, clearTimeout(timer), timer = setTimeout(show, delay); };
  if (spec.make) page.listen((keys) => { if (keys.has("span") || keys.has("ranks") || keys.has("part")) changed(80); }); // when the movement has ended

  const timeAt = (x) => { const [from, to] = times(); return Math.max(from, Math.min(to, from + (x - LEFT) / (c.el.clientWidth - LEFT) * (to - from))); };
  point(c.el, words, spec, (x, y) => {
    if (go) go(x, y);
    else if (times) { const [from, to] = times(), at = timeAt(x), part = (to - from) / 20; page.timeline.glide(at - part, at + part); $("run").scrollIntoView({ block: "start" }); }
  });
  if (times) {
    c.el.classList.add("spans");
    c.el.addEventListener("pointerdown", (e) => { if (!e.button) { drag = { x: e.offsetX, to: e.offsetX, moved: false }; c.el.setPointerCapture(e.pointerId); } });
    c.el.addEventListener("pointermove", (e) => { if (drag) { drag.to = e.offsetX; drag.moved ||= Math.abs(drag.to - drag.x) > 4; if (drag.moved) paint(); } });
    c.el.addEventListener("pointerup", () => {
      const [a, b] = drag?.moved ? [timeAt(Math.min(drag.x, drag.to)), timeAt(Math.max(drag.x, drag.to))] : [0, 0];
      setTimeout(() => { drag = null; if (b > a) page.set({ span: [a, b] }); }); // behind the click
    });
    c.el.addEventListener("click", (e) => { if (drag?.moved) e.stopImmediatePropagation(); }, true);
    c.el.addEventListener("pointercancel", () => { drag = null; });
  }
  return { paint, changed, el: c.el };
}

// Numbers under the pointer, or where the arrow keys have come to.
function point(el, words, { step = () => [8, 8], spots }, go) {
  const tip = $("tip");
  let x = LEFT + 1, y = 1, spot = -1;
  const tell = (clientX, clientY, isSaid) => {
    const text = words?.(x, y);
    tip.hidden = !text;
    if (!text) return;
    tip.replaceChildren(text);
    tip.style.left = `${Math.max(8, Math.min(innerWidth - tip.offsetWidth - 8, clientX + 14))}px`, tip.style.top = `${clientY + 16}px`;
    if (isSaid && $("said")) say(text);
  };
  el.addEventListener("pointermove", (e) => { x = e.offsetX, y = e.offsetY; tell(e.clientX, e.clientY, false); });
  el.addEventListener("pointerleave", () => { tip.hidden = true; });
  el.addEventListener("blur", () => { tip.hidden = true; });
  el.addEventListener("click", (e) => go(e.offsetX, e.offsetY));
  const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  el.addEventListener("keydown", (e) => {
    const move = MOVES[e.key], [dx, dy] = spots ? [] : step();
    if (!move && e.key !== "Enter") return;
    e.preventDefault(), e.stopPropagation();
    if (!move) { go(x, y); return; }
    const places = spots?.();
    if (places?.length) { spot = (spot + move[0] + move[1] + places.length) % places.length; [x, y] = places[spot]; }
    else { x = Math.max(LEFT + 1, Math.min(el.clientWidth - 1, x + move[0] * dx)), y = Math.max(1, Math.min(el.clientHeight - 1, y + move[1] * dy)); }
    const r = el.getBoundingClientRect();
    tell(r.left + x, r.top + y, true);
  });
}

export const choice = (label, options, onchange) => h("select", { "aria-label": label, onchange: (e) => onchange(e.target.value) }, options.map(([value, text]) => h("option", { value }, text)));
export const mix = (a, b, k) => `color-mix(in oklab, ${b} ${(Math.max(0, Math.min(1, k)) * 100).toFixed(1)}%, ${a})`;

// Whole pixels of column k of n: what is less leaves seams.
export function column(width, n) {
  const at = (k) => LEFT + Math.round((width - LEFT) * k / n);
  return (k) => [at(k), at(k + 1) - at(k)];
}

// ---- axes ----

// Round numbers from 0 up to about `most`: 1, 2 and 5 times a power of ten, or of 1024 where it is not to be decimal.
export function ticks(most, n = 4) {
  const raw = most / n, power = 10 ** Math.floor(Math.log10(raw || 1)), step = [1, 2, 5, 10].find((k) => k * power >= raw) * power || 1, out = [];
  for (let v = 0; v <= most * (1 + 1e-9); v += step) out.push(v);
  return out;
}

export function valueAxis(g, most, width, high, words) {
  g.textAlign = "right", g.textBaseline = "middle";
  for (const v of ticks(most, Math.ceil(high / 40))) {
    const y = Math.round(high * (1 - v / (most || 1))) + 0.5;
    g.strokeStyle = css("--line"), g.beginPath(), g.moveTo(LEFT, y), g.lineTo(width, y), g.stroke();
    g.fillStyle = css("--muted"), g.fillText(words(v), LEFT - 6, Math.max(6, Math.min(high - 5, y)));
  }
  g.textBaseline = "alphabetic", g.textAlign = "left";
}

export function timeAxis(g, run, from, to, width, y) {
  const n = Math.max(1, Math.floor((width - LEFT) / 110));
  g.fillStyle = css("--muted");
  for (let k = 0; k <= n; k++) {
    const at = LEFT + (width - LEFT) * k / n;
    g.textAlign = k === 0 ? "left" : k === n ? "right" : "center";
    g.fillText(time((from + (to - from) * k / n) * run.tickNs), at, y + 14);
  }
  g.textAlign = "left";
}

export function rankAxis(g, labels, size, top = 0) {
  g.fillStyle = css("--muted"), g.textBaseline = "middle", g.textAlign = "right";
  for (let r = 0; r < labels.length; r += Math.ceil(13 / size)) g.fillText(labels[r].split("-")[0], LEFT - 8, top + Math.max(6, r * size + size / 2));
  g.textBaseline = "alphabetic", g.textAlign = "left";
}

// Pixels of a lane, and lanes together where there would be more rows than a picture shows.
export const MOST_ROWS = 160;
export const laneRows = (run, lanes) => {
  const rows = rankRows(run, lanes, MOST_ROWS), n = rows.length;
  return { rows, size: n <= 8 ? 24 : n <= 16 ? 14 : n <= 40 ? 8 : n <= 80 ? 5 : n <= 110 ? 3 : 2, note: rows[0]?.lanes.length > 1 ? `; a row is ${rows[0].lanes.length} ranks` : "" };
};

export const few = (v) => v === 0 ? "0" : v >= 1e5 ? `${Number((v / 1e3).toPrecision(3))}k` : count(Number(v.toPrecision(3)));
export const size = (v) => v === 0 ? "0" : bytes(v);
