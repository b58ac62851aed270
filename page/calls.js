// Calls: how long those of one function take, and the call tree: a metric, by call path, by rank.
import { callPath, count, endOf, isWait, MIXED, N, percent, STATES, stretchAt, time } from "./data.js";
import { css, download, h } from "./dom.js";
import { choice, figure, FOOT, laneRows, LEFT, few, valueAxis } from "./figure.js";
import { eachState, eachVisit, scopeOf } from "./series.js";

const NAMES = 1000, ROWS = 2000, RANK_CELLS = 2e6, HIGH = 150;
const seconds = (ns) => (ns / 1e9).toFixed(9);

// How long the visits of a function are; those that waited apart from the others.
function histogram(run, page, grid) {
  if (run.paths.length < 2) return [];
  let list = null, chosen = "", bins = [], sizes = [], mixed = false;
  const select = choice("Of which function or call", [], (v) => { chosen = v; made.changed(); });
  function listNames() { // those that take longest
    const by = new Map();
    eachVisit(run, scopeOf(run, {}), (path, length) => { const { name } = run.paths[path]; if (path) by.set(name, (by.get(name) ?? 0) + length); });
    list = [...by].sort((a, b) => b[1] - a[1]).slice(0, NAMES).map(([name]) => name), chosen = list.find((name) => /^MPI_(Wait|Recv|All)/i.test(name)) ?? list[0] ?? "";
    select.replaceChildren(...list.map((name) => h("option", { value: name, selected: name === chosen }, name)));
  }
  const MOST = 40, PER = 4; // bins of a quarter of an octave, in nanoseconds
  const binOf = (ns) => Math.max(0, Math.floor(Math.log2(Math.max(1, ns)) * PER));
  function fill(scope) {
    const found = new Map();
    if (!list) listNames();
    sizes = [], mixed = run.state.includes(MIXED);
    eachVisit(run, scope, (path, length, waited) => {
      if (run.paths[path].name !== chosen) return;
      const ns = length * run.tickNs, bin = binOf(ns), at = found.get(bin) ?? [0, 0];
      at[waited ? 1 : 0]++, sizes.push(ns), found.set(bin, at);
    });
    sizes.sort((a, b) => a - b);
    const keys = [...found.keys()], low = keys.reduce((a, b) => Math.min(a, b), Infinity), high = keys.reduce((a, b) => Math.max(a, b), 0), step = Math.max(1, Math.ceil((high - low + 1) / MOST));
    bins = [];
    for (let b = low; b <= high; b += step) {
      const sum = (i) => { let n = 0; for (let k = b; k < b + step; k++) n += found.get(k)?.[i] ?? 0; return n; };
      bins.push({ from: 2 ** (b / PER), to: 2 ** ((b + step) / PER), other: sum(0), waited: sum(1) });
    }
  }
  const made = figure(grid, { run, page, title: "How long a call takes", name: "durations",
    pick: select,
    note: () => sizes.length ? `${count(sizes.length)} visit${sizes.length === 1 ? "" : "s"}: median ${time(sizes[sizes.length >> 1], 3)}, mean ${time(sizes.reduce((a, b) => a + b, 0) / sizes.length, 3)}, longest ${time(sizes.at(-1), 3)}; orange: waited${mixed ? "; without the shortest, which the page has only as sums" : ""}` : "no visit in this part",
    make: fill,
    rows: () => [["from_s", "to_s", "without_waiting", "waited"], ...bins.map((b) => [(b.from / 1e9).toPrecision(4), (b.to / 1e9).toPrecision(4), b.other, b.waited])],
    height: () => HIGH + FOOT,
    draw: ({ g, width }) => {
      const most = bins.reduce((a, b) => Math.max(a, b.other + b.waited), 1), step = (width - LEFT) / Math.max(1, bins.length);
      valueAxis(g, most, width, HIGH, few);
      bins.forEach((b, i) => {
        const y = HIGH * (1 - b.other / most), top = y - HIGH * b.waited / most;
        g.fillStyle = css("--transfer"), g.fillRect(LEFT + i * step, y, step - 1, HIGH - y);
        g.fillStyle = css("--wait"), g.fillRect(LEFT + i * step, top, step - 1, y - top);
      });
      g.fillStyle = css("--muted");
      for (let i = 0; i < bins.length; i += Math.ceil(60 / step)) {
        const text = time(bins[i].from, 2);
        g.fillText(text, Math.min(LEFT + i * step, width - g.measureText(text).width), HIGH + 14);
      }
    },
    words: (x) => {
      const b = bins[Math.floor((x - LEFT) / ((made.el.clientWidth - LEFT) / bins.length))];
      return b ? `${time(b.from, 3)} to ${time(b.to, 3)}: ${count(b.other)} without waiting, ${count(b.waited)} that waited` : "";
    },
    step: () => [(made.el.clientWidth - LEFT) / Math.max(1, bins.length), 1] });
  return [made];
}

// ---- the call tree, in three panes as Cube has them ----

const WHOLE = "time", VISITS = "visits";

// Of each metric what belongs to each call path itself, and what is too short to have a path.
export function gather(run, scope, lanes = scope.lanes) {
  const n = run.paths.length, own = new Map(), mixed = new Float64Array(N);
  const at = (key) => { if (!own.has(key)) own.set(key, new Float64Array(n)); return own.get(key); };
  for (const [from, to] of scope.spans) for (const lane of lanes) {
    let before = -1;
    for (let i = stretchAt(run, lane, from), last = run.first[lane + 1]; i < last && run.begin[i] < to; i++) {
      const a = Math.max(from, run.begin[i]), b = Math.min(to, endOf(run, lane, i)), s = run.state[i], p = run.path[i];
      if (b <= a) continue;
      if (s === MIXED) { eachState(run, lane, a, b, (x, y, state, share) => { mixed[state] += (y - x) * share; }); before = -1; continue; }
      at(WHOLE)[p] += b - a, at(s)[p] += b - a;
      if (p !== before) at(VISITS)[p]++;
      if ((isWait(s) || s === 5) && run.find[i] !== run.none) at(`${s}: ${run.places[run.find[i]].title}`)[p] += b - a;
      before = p;
    }
  }
  return { own, mixed };
}

// What is below each call path, and itself.
export function inclusive(run, own) {
  const all = Float64Array.from(own);
  for (let p = all.length - 1; p > 0; p--) all[run.paths[p].parent] += all[p];
  return all;
}

function metricsOf(run, { own, mixed }) {
  const sum = (key) => own.get(key)?.reduce((a, b) => a + b, 0) ?? 0, list = [{ key: WHOLE, name: "Time", depth: 0, total: sum(WHOLE) + mixed.reduce((a, b) => a + b, 0) }];
  const patterns = (s) => [...own.keys()].filter((key) => `${key}`.startsWith(`${s}: `)).map((key) => ({ key, name: key.slice(3), depth: 2, total: sum(key) })).sort((a, b) => b.total - a.total);
  for (const s of [0, 9, 10, 7, 3, 4, 8, 5, 6, 1, 2]) if (own.has(s) || mixed[s]) list.push({ key: s, name: STATES[s].name, depth: 1, total: sum(s) + mixed[s] }, ...patterns(s));
  return [...list, { key: VISITS, name: mixed.some((v) => v > 0) ? "Visits that are told apart" : "Visits", depth: 0, total: sum(VISITS) }];
}

function callTree(run, page, box) {
  let found, scope, metric = WHOLE, path = 0, all, isStale = true;
  const children = run.paths.map(() => []), open = new Set([0]);
  for (let p = 1; p < run.paths.length; p++) children[run.paths[p].parent].push(p);
  const said = (v) => metric === VISITS ? count(v) : time(v * run.tickNs, 4), exact = (v) => metric === VISITS ? v : seconds(v * run.tickNs);
  const metrics = h("ul", {}), body = h("tbody"), ranks = h("div", {}), note = h("span", { class: "muted" }), ownOf = () => found.own.get(metric) ?? new Float64Array(run.paths.length);

  function gatherAgain() {
    isStale = false, scope = scopeOf(run, page.state), found = gather(run, scope);
    if (!found.own.has(metric)) metric = WHOLE;
  }
  function drawMetrics() {
    const list = metricsOf(run, found), whole = list[0].total || 1;
    metrics.replaceChildren(...list.map(({ key, name, depth, total }) => h("li", {}, h("button", { type: "button", class: `row m${depth}`, "aria-pressed": String(key === metric), vars: { "--share": key === VISITS ? 0 : total / whole }, onclick: () => { metric = key; draw(); } },
      h("span", { class: "name" }, name), h("span", { class: "num" }, key === VISITS ? count(total) : `${time(total * run.tickNs, 3)}`)))));
  }
  function drawPaths() {
    const own = ownOf(), rows = [], lost = metric === WHOLE ? found.mixed.reduce((a, b) => a + b, 0) : found.mixed[metric] ?? 0, whole = all[0] + lost || 1;
    let left = 0;
    for (const c of children) c.sort((a, b) => all[b] - all[a]);
    const put = (p, depth) => {
      if (!all[p]) return;
      if (rows.length >= ROWS) { left++; return; }
      rows.push(h("tr", { class: p === path ? "now" : "", title: callPath(run, p).join(" > ") },
        h("th", { scope: "row", class: `d${Math.min(8, depth)}` }, children[p].some((c) => all[c]) ? h("button", { type: "button", class: "opener", "aria-expanded": String(open.has(p)), "aria-label": `${run.paths[p].name}, calls below`, onclick: () => { if (!open.delete(p)) open.add(p); draw(); } }) : h("span", { class: "leaf" }),
          h("button", { type: "button", class: "pathname", "aria-pressed": String(p === path), onclick: () => { path = p; draw(); } }, run.paths[p].name)),
        h("td", { class: "n" }, said(all[p])), h("td", { class: "n" }, own[p] ? said(own[p]) : ""), h("td", { class: "n share", vars: { "--share": all[p] / whole } }, percent(all[p] / whole))));
      if (open.has(p)) for (const c of children[p]) put(c, depth + 1);
    };
    put(0, 0);
    if (lost) rows.push(h("tr", { title: "Too short and too many to be in this page one by one" }, h("th", { scope: "row", class: "d0" }, h("span", { class: "leaf" }), "many short ones"), h("td", { class: "n" }, said(lost)), h("td", { class: "n" }, said(lost)), h("td", { class: "n share", vars: { "--share": lost / whole } }, percent(lost / whole))));
    if (left) rows.push(h("tr", {}, h("th", { scope: "row" }, `${count(left)} more: close some`), h("td", {}), h("td", {}), h("td", {})));
    body.replaceChildren(...rows);
  }
  function perRank() { // of the chosen path and what is below it
    return scope.lanes.map((lane) => { const one = gather(run, scope, [lane]).own.get(metric); return one ? inclusive(run, one)[path] : 0; });
  }
  function drawRanks() {
    const values = perRank(), { rows, note: more } = laneRows(run, scope.lanes), at = new Map(scope.lanes.map((lane, i) => [lane, i]));
    const each = rows.map((row) => row.lanes.reduce((a, lane) => a + values[at.get(lane)], 0) / row.lanes.length), most = values.reduce((a, b) => Math.max(a, b), 0), mean = values.reduce((a, b) => a + b, 0) / values.length, least = values.reduce((a, b) => Math.min(a, b), Infinity);
    ranks.replaceChildren(h("p", { class: "muted" }, `${run.paths[path].name}: ${said(least)} to ${said(most)}, mean ${metric === VISITS ? few(mean) : said(mean)}${mean ? `; the most is ${percent(most / mean - 1)} above it` : ""}${more}${found.mixed.some((v) => v > 0) ? "; without many short ones" : ""}`),
      h("ul", {}, rows.map((row, r) => h("li", { class: "row", vars: { "--share": most ? each[r] / most : 0 } }, h("span", { class: "name" }, row.label), h("span", { class: "num" }, metric === VISITS ? few(each[r]) : said(each[r]))))));
  }
  function draw() {
    if (isStale) gatherAgain();
    all = inclusive(run, ownOf());
    if (!all[path]) path = 0;
    note.textContent = "choose a metric, then a call path: its ranks are to the right";
    const focused = [...box.querySelectorAll(".cube button")].indexOf(document.activeElement);
    drawMetrics(), drawPaths(), drawRanks();
    if (focused >= 0) box.querySelectorAll(".cube button")[focused]?.focus();
  }
  const rows = () => {
    if (isStale) gatherAgain();
    const keys = metricsOf(run, found), sums = keys.map(({ key }) => inclusive(run, found.own.get(key) ?? new Float64Array(run.paths.length)));
    const isWide = run.paths.length * scope.lanes.length <= RANK_CELLS, each = isWide ? scope.lanes.map((lane) => gather(run, scope, [lane]).own.get(metric)) : [], name = keys.find((m) => m.key === metric).name;
    return [["path", ...keys.map((m) => m.key === VISITS ? m.name : `${m.name}_s`), `own ${name}`, ...isWide ? scope.lanes.map((lane) => `own ${name}, rank ${run.label[lane]}`) : []],
      ...run.paths.map((_, p) => [callPath(run, p).join(" > "), ...keys.map((m, k) => m.key === VISITS ? sums[k][p] : seconds(sums[k][p] * run.tickNs)), exact(ownOf()[p]), ...each.map((own) => exact(own?.[p] ?? 0))])];
  };
  const pane = (name, ...inner) => h("div", { class: "scroll pane", tabindex: "0", role: "region", "aria-label": name }, ...inner);
  const tree = h("div", { class: "cube" }, pane("Metrics", h("h4", {}, "Metric"), metrics),
    pane("Call tree", h("table", { class: "tree" }, h("thead", {}, h("tr", {}, ["Call path", "With calls below", "Own", "Of the metric"].map((v, i) => h("th", { scope: "col", class: i ? "n" : "" }, v)))), body)),
    pane("Ranks", h("h4", {}, "Rank"), ranks));
  box.append(h("figure", { class: "figure calls" }, h("figcaption", {}, h("h3", {}, "Call tree"), note, h("span", { class: "gap" }), h("button", { class: "quiet", type: "button", onclick: () => download("calls.csv", rows()) }, "csv")), tree));
  let isSeen = false;
  const redraw = () => { if (isSeen && isStale) { draw(); for (let p = 0, k = 0; k < 4; k++) { const next = children[p].find((c) => all[c]); if (next == null) break; open.add(next), p = next; } drawPaths(); } };
  new IntersectionObserver((seen) => { isSeen = seen.at(-1).isIntersecting; redraw(); }, { rootMargin: "300px" }).observe(tree);
  addEventListener("beforeprint", () => { isSeen = true; redraw(); });
  page.listen((keys) => { if (keys.has("span") || keys.has("ranks") || keys.has("part")) { isStale = true; if (isSeen) draw(); } });
}

export function calls(run, page, box, grid) {
  const made = histogram(run, page, grid);
  callTree(run, page, box);
  return made;
}
