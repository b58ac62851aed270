// Findings and causes beside the timeline: cards of the largest causes, links from places to their worst instance and back,
// what is shown of the list, and links into an editor.
import { isBelow, lanesOf, percent, stretchAt, time } from "./data.js";
import { $, h } from "./dom.js";
import { pictogram } from "./pictures.js";

// ---- the causes, as cards ----

// The longest stretch of a cause, so that there is something to look at.
function longestOf(run, lane, path) {
  let best = -1, length = 0;
  for (let i = run.first[lane]; i < run.first[lane + 1]; i++) {
    const own = (i + 1 < run.first[lane + 1] ? run.begin[i + 1] : run.end) - run.begin[i];
    if (own > length && run.state[i] !== 6 && isBelow(run, run.path[i], path)) best = i, length = own;
  }
  return best;
}

export function cards(run, page) {
  if (!run.cards.length) return null;
  const go = (card) => {
    const i = card.lane == null ? -1 : longestOf(run, card.lane, card.path);
    page.set({ place: null, lit: null, query: "", causes: true });
    if (i >= 0) page.timeline.select(card.lane, i, true);
    page.timeline.box.focus({ preventScroll: true });
  };
  return h("ul", { class: "cards", "aria-label": "The largest causes" }, run.cards.map((card) => h("li", {},
    h("p", { class: "gain" }, card.gain == null ? h("b", {}, time(card.waiting * 1e9, 3)) : h("b", {}, `\u2212${percent(card.gain)}`), h("span", { class: "muted" }, card.gain == null ? "of waiting" : "of the run, if mended")),
    h("p", {}, card.what, "."), h("p", { class: "muted" }, card.fix || `Others waited ${time(card.waiting * 1e9, 3)} for it.`),
    h("p", { class: "actions" }, card.lane == null ? null : h("button", { class: "small", type: "button", onclick: () => go(card) }, "Show"), h("a", { href: `#${card.id}` }, "More")))));
}

// ---- between findings and the timeline ----

function source(place) {
  const [first, ...lines] = place.snippet;
  return h("pre", { class: "source", tabindex: "0", role: "region", "aria-label": `${place.title}: ${place.call}, ${place.file}:${place.line}` },
    lines.map((line, i) => h("span", { class: first + i === place.line ? "line here" : "line", "data-n": first + i }, `${line}\n`)));
}

// From a cause back to the findings that name it.
function linkCauses(run) {
  const by = new Map();
  for (const place of run.places) for (const { hash } of $(place.id)?.querySelectorAll('a[href^="#cause-"]') ?? []) by.set(hash, [...by.get(hash) ?? [], place]);
  for (const [hash, places] of by) {
    $(hash.slice(1))?.append(h("p", { class: "rest" }, "Waits of: ", places.map(({ id, title, file, line }, k) => [k ? ", " : "", h("a", { href: `#${id}` }, `${title} (${file ? `${file.split("/").at(-1)}:${line}` : "no line"})`)])));
  }
}

export function linkFindings(run, page) {
  linkCauses(run);
  page.openPlace = (index) => {
    const item = $(run.places[index].id);
    page.set({ place: index, lit: null, query: "" });
    if (!item) return;
    if (item.hidden) page.showAll?.();
    item.scrollIntoView({ block: "center" });
    item.classList.add("chosen");
    setTimeout(() => item.classList.remove("chosen"), 2500);
  };
  page.showWorst = (index) => { // false: no single instance is known
    const { worst } = run.places[index];
    page.set({ place: index, lit: null, query: "", span: null });
    if (!worst) return false;
    const [lane, from, to] = worst, length = Math.max(to - from, (run.hull[1] - run.hull[0]) / 1e4);
    page.timeline.select(lane, stretchAt(run, lane, (from + to) / 2), false);
    page.timeline.glide(from - length * 2.5, from + length * 3.5);
    return true;
  };
  page.jump = (index) => {
    if (!page.showWorst(index)) return;
    $("run").scrollIntoView({ block: "start" });
    page.timeline.box.focus({ preventScroll: true });
  };
  run.places.forEach((place, index) => {
    const item = $(place.id);
    if (!item || item.querySelector(".actions")) return; // of two places at one line the first is told
    item.querySelector("h3").after(h("p", { class: "actions" },
      place.worst ? [h("button", { class: "small", type: "button", onclick: () => page.jump(index) }, "Show the worst in the timeline"),
        h("span", { class: "muted" }, `${time((place.worst[2] - place.worst[1]) * run.tickNs)} on rank ${run.label[place.worst[0]]} at ${time(place.worst[1] * run.tickNs, 6)}`)] : null,
      h("a", { class: "editor", hidden: true })));
    item.append(h("div", { class: "beside" }, pictogram(place.type), place.snippet ? source(place) : null));
  });
}

// ---- which are shown, and in which order ----

const SORTS = {
  lost: ["time lost", (a, b) => b.lost - a.lost], count: ["number of calls", (a, b) => b.count - a.count],
  worst: ["longest single wait", (a, b) => longest(b) - longest(a)], pattern: ["pattern", (a, b) => a.title.localeCompare(b.title)],
  file: ["file and line", (a, b) => a.file.localeCompare(b.file) || a.line - b.line],
};
const longest = ({ worst }) => worst ? worst[2] - worst[1] : 0;
const unique = (values) => [...new Set(values)].filter(Boolean).sort();

// Of the state of the page: what the list is filtered by, each kept in the address.
export const FILTERS = { fp: "pattern", fr: "rank", ff: "file", fw: "words", fs: "sort" };

export function findingsList(run, page) {
  const list = document.querySelector("#findings .findings"), { state } = page;
  const shown = run.places.map((place, index) => ({ ...place, index, item: $(place.id), lanes: lanesOf(place.lanes ?? "") })).filter((p, i, all) => p.item && all.findIndex((q) => q.item === p.item) === i);
  if (!list || shown.length < 2) return;
  const said = h("span", { class: "muted num", role: "status" });
  const pick = (key, label, options) => {
    const el = h("select", { onchange: (e) => page.set({ [key]: e.target.value }) }, options.map(([value, text]) => h("option", { value }, text)));
    page.listen((changed) => { if (changed.has(key)) el.value = state[key]; });
    return h("label", { class: "pick" }, label, " ", el);
  };
  const words = h("input", { type: "search", class: "words", placeholder: "Words", "aria-label": "Filter the findings by words", oninput: (e) => page.set({ fw: e.target.value }) });
  const ranks = unique(shown.flatMap((p) => p.lanes.map((lane) => run.label[lane]))).sort((a, b) => Number(a) - Number(b));
  const draw = () => {
    const wanted = state.fw.toLowerCase().split(/\s+/), lane = run.label.indexOf(state.fr);
    let n = 0;
    for (const p of shown) {
      p.item.hidden = !!state.fp && p.type !== state.fp || lane >= 0 && !p.lanes.includes(lane) || !!state.ff && p.file !== state.ff || !wanted.every((w) => p.item.textContent.toLowerCase().includes(w));
      n += !p.item.hidden;
    }
    const [, compare] = SORTS[state.fs] ?? SORTS.lost;
    list.append(...[...shown].sort((a, b) => compare(a, b) || a.index - b.index).map((p) => p.item));
    if (words.value !== state.fw) words.value = state.fw;
    said.textContent = n === shown.length ? "" : `${n} of ${shown.length}`;
  };
  page.showAll = () => page.set({ fp: "", fr: "", ff: "", fw: "" });
  list.before(h("div", { class: "table-tools findings-tools" }, words,
    pick("fp", "Pattern", [["", "all"], ...unique(shown.map((p) => p.type)).map((type) => [type, shown.find((p) => p.type === type).title])]),
    pick("fr", "Rank", [["", "all"], ...ranks.map((r) => [r, r])]),
    pick("ff", "File", [["", "all"], ...unique(shown.map((p) => p.file)).map((f) => [f, f])]),
    pick("fs", "By", Object.entries(SORTS).map(([key, [title]]) => [key, title])), editors(run, shown), said));
  page.listen((changed) => { if (Object.keys(FILTERS).some((k) => changed.has(k))) draw(); });
  draw();
}

// ---- links into an editor: only when somebody asks for them ----

const remembered = (key) => { try { return localStorage.getItem(key) ?? ""; } catch { return ""; } }; // a file may have no storage
const remember = (key, value) => { try { localStorage.setItem(key, value); } catch { /* as above */ } };
const SCHEMES = { vscode: "VS Code", vscodium: "VSCodium" };

export const editorLink = (scheme, root, file, line) => {
  const whole = file.startsWith("/") ? file : `${root.replace(/\/+$/, "")}/${file}`;
  return `${scheme}://file${whole.startsWith("/") ? "" : "/"}${whole.split("/").map(encodeURIComponent).join("/")}:${line}`;
};

function editors(run, shown) {
  const isRelative = shown.some((p) => p.file && !p.file.startsWith("/"));
  const root = h("input", { class: "root", placeholder: "Folder of the sources", "aria-label": "Folder that the paths of sources begin in", value: remembered("patscan-root"), oninput: () => draw() });
  const scheme = h("select", { onchange: () => draw() }, h("option", { value: "" }, "none"), Object.entries(SCHEMES).map(([value, name]) => h("option", { value }, name)));
  scheme.value = remembered("patscan-editor") in SCHEMES ? remembered("patscan-editor") : "";
  function draw() {
    remember("patscan-editor", scheme.value), remember("patscan-root", root.value);
    root.hidden = !scheme.value || !isRelative;
    for (const { item, file, line } of shown) {
      const link = item.querySelector(".editor"), has = scheme.value && file && line && (file.startsWith("/") || root.value);
      link.hidden = !has;
      if (has) link.href = editorLink(scheme.value, root.value, file, line), link.textContent = `Open ${file.split("/").at(-1)}:${line}`;
    }
  }
  draw();
  return [h("label", { class: "pick" }, "Editor ", scheme), root];
}

