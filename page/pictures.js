// The pictures that are not the timeline: what all of them are about is chosen here. Each has its table behind it.
import { count, time, wholeShares } from "./data.js";
import { h, svg } from "./dom.js";
import { calls } from "./calls.js";
import { matrix } from "./messages.js";
import { network } from "./networkpicture.js";
import { overTime } from "./overtime.js";
import { byRank } from "./ranks.js";
import { scopeOf } from "./series.js";

// Where the time went, by the kinds of the report: `rows` of [name of a state's colour, title, nanoseconds].
export function shareBar(box, rows) {
  const shares = wholeShares(rows.map((r) => r[2])), shown = rows.map((r, i) => ({ id: r[0], title: r[1], ns: r[2], share: shares[i] })).filter((r) => r.ns > 0);
  box.replaceChildren(
    h("div", { class: "shares", role: "img", "aria-label": `Where the time went: ${shown.map((r) => `${r.title} ${r.share} %`).join(", ")}` },
      shown.map((r) => h("i", { class: r.id, vars: { "flex-grow": r.ns } }))),
    h("ul", { class: "legend" }, shown.map((r) => h("li", {}, h("i", { class: `swatch ${r.id}` }), h("span", {}, r.title), h("b", { class: "num" }, `${r.share.toFixed(1)} %`), h("span", { class: "muted num" }, time(r.ns, 3))))));
}

// ---- the picture of a pattern: two ranks, who waits for whom ----

const SHAPES = [
  [/early-.*send|late-receiver/, [[20, 50, "c"], [72, 78, "w"], [152, 30, "t"]], [[20, 128, "c"], [150, 32, "t"]], [152, 58, 152, 33], [[72, 10, "Send"], [150, 90, "Receive"]]],
  [/late|send|wrong-order/, [[20, 128, "c"], [150, 30, "t"]], [[20, 50, "c"], [72, 84, "w"], [158, 24, "t"]], [152, 33, 158, 57], [[150, 10, "Send"], [72, 90, "Receive"]]],
  [/imbalance/, [[20, 160, "c"]], [[20, 110, "c"]], null, [[136, 72, "longer on P"]]],
  [/transfer|completion/, [[20, 50, "c"], [72, 110, "t"]], [[20, 60, "c"], [82, 100, "t"]], [76, 33, 86, 57], [[72, 10, "both are there"]]],
  [/./, [[20, 128, "c"], [150, 32, "n"]], [[20, 50, "c"], [72, 76, "w"], [150, 32, "n"]], null, [[72, 90, "waits for the last"]], 150],
];

export function pictogram(type) {
  const [, upper, lower, line, words, all] = SHAPES.find(([test]) => test.test(type));
  const text = ([x, y, s]) => { const el = svg("text", { x, y, class: "p-text" }); el.textContent = s; return el; };
  const block = (y) => ([x, width, c]) => svg("rect", { x, y, width, height: 18, class: `p-${c}` });
  const head = svg("marker", { id: "p-head", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, svg("path", { d: "M0 0L8 4L0 8z", class: "p-head" }));
  const hatch = svg("pattern", { id: "p-hatch", width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    svg("rect", { width: 5, height: 5, class: "p-wait" }), svg("rect", { width: 2, height: 5, class: "p-wait-ink" }));
  return svg("svg", { viewBox: "0 0 240 92", width: 240, height: 92, role: "img", "aria-label": `Two ranks over time: ${words.map((w) => w[2]).join(", ")}`, class: "picto" },
    svg("defs", {}, head, hatch), text([0, 27, "P"]), text([0, 71, "Q"]), upper.map(block(14)), lower.map(block(58)),
    line ? [svg("path", { d: `M${line[0]} ${line[1]}L${line[2]} ${line[3]}`, class: "p-line", "marker-end": "url(#p-head)" })] : [],
    all ? [svg("path", { d: `M${all} 10V82`, class: "p-all" })] : [], words.map(text));
}

// ---- all of them ----

// The span and the ranks that they are about.
function scopeBar(run, page) {
  const { state } = page, words = h("span", { class: "num" }), clear = h("button", { class: "quiet icon", type: "button", "aria-label": "Clear the span", onclick: () => page.set({ span: null }) }, "\u00d7");
  const input = h("input", { type: "text", inputmode: "numeric", placeholder: "all", size: 9, "aria-label": "Ranks, such as 0-3,8", onchange: (e) => page.set({ ranks: e.target.value.replace(/\s/g, "") }) });
  const all = h("button", { class: "quiet icon", type: "button", "aria-label": "All ranks", onclick: () => page.set({ ranks: "" }) }, "\u00d7"), told = h("span", { class: "muted", role: "status" });
  function show() {
    const scope = scopeOf(run, state), ns = run.tickNs;
    words.textContent = state.span ? `${time(scope.from * ns, 5)} to ${time(scope.to * ns, 5)}` : `the focus, ${time((scope.to - scope.from) * ns)}`;
    clear.hidden = !state.span, all.hidden = scope.isAll, input.value = scope.isAll ? "" : state.ranks;
    told.textContent = !scope.isAll ? `${count(scope.lanes.length)} of ${count(run.n)}` : state.ranks ? "no such rank: all" : "";
  }
  page.listen((changed) => { if (changed.has("span") || changed.has("ranks")) show(); });
  show();
  return h("div", { class: "scope" }, h("span", {}, "Of ", words), clear, h("label", {}, "Ranks ", input), all, told,
    h("span", { class: "muted hint" }, "Drag over a picture of time, or in the timeline's ruler, to select a span; arrow keys tell numbers."));
}

export function pictures(run, page, box) {
  const grid = (name) => { const made = h("div", { class: "grid" }); box.append(h("h3", { class: "kind" }, name), made); return made; };
  box.append(scopeBar(run, page));
  const made = [...overTime(run, page, grid("Over time")), ...byRank(run, page, grid("By rank"))];
  if (run.pairs.length) { const place = grid("Messages"); made.push(...matrix(run, page, place), ...network(run, page, place)); }
  made.push(...calls(run, page, box, grid("Calls")));
  return () => made.forEach(({ paint }) => paint());
}
