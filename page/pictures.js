// The pictures that are not the timeline. Each has its table behind it: a button shows it, another saves it.
import { bytes, callPath, focusSums, isWait, MIXED, mixedParts, percent, time, wholeShares } from "./data.js";
import { $, canvas, css, download, h, onWidth, svg } from "./dom.js";

const LEFT = 38;

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

// ---- figures ----

function tableOf([heads, ...body]) {
  return h("table", {}, h("thead", {}, h("tr", {}, heads.map((v) => h("th", { scope: "col", class: "n" }, v)))),
    h("tbody", {}, body.map((r) => h("tr", {}, r.map((v, i) => h(i ? "td" : "th", { class: "n", scope: i ? null : "row" }, v))))));
}

// rows(): the table; draw({ g, width, height }); words(x, y): what is said of a place in it.
export function figure(box, { title, note, name, rows, draw, height, words, go }) {
  const holder = h("div", { class: "plot" }), table = h("div", { class: "scroll", hidden: true, tabindex: "0", role: "region", "aria-label": `${title}, table` });
  const toggle = h("button", { class: "quiet", "aria-pressed": "false", onclick: () => {
    table.hidden = !table.hidden, holder.hidden = !table.hidden;
    toggle.setAttribute("aria-pressed", String(!table.hidden));
    if (!table.hidden) table.replaceChildren(tableOf(rows()));
  } }, "table");
  box.append(h("figure", { class: `figure ${name}` }, h("figcaption", {}, h("h3", {}, title), h("span", { class: "muted" }, note), toggle,
    h("button", { class: "quiet", onclick: () => download(`${name}.csv`, rows()) }, "csv")), holder, table));
  const c = canvas(holder, height, { role: "img", "aria-label": `${title}: ${note}` });
  const paint = () => { if (holder.clientWidth) { const at = c.fit(); at.g.clearRect(0, 0, at.width, at.height); draw(at); } };
  onWidth(holder, paint);
  if (words) hover(c.el, words);
  if (go) c.el.addEventListener("click", (e) => go(e.offsetX, e.offsetY));
  return { paint, el: c.el };
}

const mix = (a, b, k) => `color-mix(in oklab, ${b} ${(k * 100).toFixed(1)}%, ${a})`;

function axis(g, labels, size) {
  g.fillStyle = css("--muted"), g.font = `11px ${css("--sans")}`, g.textBaseline = "middle", g.textAlign = "right";
  for (let r = 0; r < labels.length; r += Math.ceil(13 / size)) g.fillText(labels[r], LEFT - 8, r * size + size / 2);
  g.textBaseline = "alphabetic", g.textAlign = "left";
}

const laneSize = (n) => n <= 8 ? 24 : n <= 16 ? 14 : n <= 100 ? 5 : Math.max(1, Math.floor(500 / n));

// Waiting of each lane in each slice of time. One hue, because it is one quantity.
function heatMap(run, page, grid) {
  const [from, to] = run.hull, ns = run.tickNs, slices = 120, heat = new Float64Array(run.n * slices), width = (to - from) / slices;
  const put = (lane, begin, end, share) => {
    for (let k = Math.max(0, Math.floor((begin - from) / width)); k < slices && from + k * width < end; k++) {
      heat[lane * slices + k] += Math.max(0, Math.min(end, from + (k + 1) * width) - Math.max(begin, from + k * width)) / width * share;
    }
  };
  for (let lane = 0; lane < run.n; lane++) for (let i = run.first[lane]; i < run.first[lane + 1]; i++) {
    const end = i + 1 < run.first[lane + 1] ? run.begin[i + 1] : run.end;
    if (isWait(run.state[i])) put(lane, run.begin[i], end, 1);
    else if (run.state[i] === MIXED) mixedParts(run, lane, run.begin[i], end, (a, b, s, share) => { if (isWait(s)) put(lane, a, b, share); });
  }
  const size = laneSize(run.n), at = (x, y, wide) => [Math.floor((x - LEFT) / (wide - LEFT) * slices), Math.floor(y / size)];
  const made = figure(grid, { title: "Waiting over time", note: "rank by time; darker: more of it was waiting", name: "waiting",
    rows: () => [["rank", ...Array.from({ length: slices }, (_, k) => time((from + k * width) * ns, 5))], ...run.label.map((name, r) => [name, ...[...heat.slice(r * slices, (r + 1) * slices)].map((v) => v.toFixed(3))])],
    height: () => run.n * size + 20,
    draw: ({ g, width: w }) => {
      const step = (w - LEFT) / slices, low = css("--heat-low"), strong = css("--heat-high");
      for (let r = 0; r < run.n; r++) for (let k = 0; k < slices; k++) {
        g.fillStyle = mix(low, strong, Math.min(1, heat[r * slices + k]) ** 0.7);
        g.fillRect(LEFT + k * step, r * size, Math.ceil(step), size - (size > 8 ? 1 : 0));
      }
      axis(g, run.label, size);
      g.textAlign = "left", g.fillText(time(from * ns), LEFT, run.n * size + 13);
      g.textAlign = "right", g.fillText(time(to * ns), w, run.n * size + 13);
    },
    words: (x, y) => {
      const [k, r] = at(x, y, made.el.clientWidth);
      return k >= 0 && k < slices && r < run.n ? `rank ${run.label[r]}, ${time((from + k * width) * ns)}: ${percent(heat[r * slices + k])} waiting` : "";
    },
    go: (x, y) => {
      const [k] = at(x, y, made.el.clientWidth);
      if (k >= 0) { page.timeline.glide(from + (k - 2) * width, from + (k + 3) * width); $("run").scrollIntoView({ block: "start" }); }
    } });
  return made.paint;
}

// Bytes from row to column, with the sums of both at the edges.
function matrix(run, grid) {
  const names = [...new Set(run.head.lanes.map(([process]) => process))], n = names.length;
  if (!run.pairs.length || n > 512) return null;
  const index = new Map(names.map((p, i) => [p, i])), sent = new Float64Array(n * n), rows = new Float64Array(n), cols = new Float64Array(n), many = new Float64Array(n * n);
  for (const [a, b, messages, size] of run.pairs) {
    const i = index.get(a), j = index.get(b);
    if (i == null || j == null) continue;
    sent[i * n + j] += size, many[i * n + j] += messages, rows[i] += size, cols[j] += size;
  }
  const most = Math.max(...sent, 1), mostSum = Math.max(...rows, ...cols, 1), SUM = 44, TOP = 18;
  let unit = 10;
  const wide = () => grid.querySelector(".messages .plot")?.clientWidth || 360;
  const sizeIn = (w) => Math.max(1, Math.floor(Math.min((w - LEFT - SUM - 8) / n, n <= 8 ? 30 : n <= 16 ? 20 : n <= 64 ? 6 : 2)));
  return figure(grid, { title: "Messages", note: "bytes from row to column, and their sums", name: "messages",
    rows: () => [["from\\to", ...names, "sum"], ...names.map((name, r) => [name, ...sent.slice(r * n, (r + 1) * n), rows[r]]), ["sum", ...cols, rows.reduce((a, b) => a + b, 0)]],
    height: () => TOP + sizeIn(wide()) * n + SUM + 10,
    draw: ({ g, width: w }) => {
      unit = sizeIn(w);
      g.save(), g.translate(0, TOP);
      const low = css("--blue-low"), strong = css("--collective"), gap = unit > 8 ? 1 : 0;
      for (let r = 0; r < n; r++) for (let c = 0; c < n; c++) {
        g.fillStyle = mix(low, strong, sent[r * n + c] ? 0.12 + 0.88 * sent[r * n + c] / most : many[r * n + c] ? 0.06 : 0);
        g.fillRect(LEFT + c * unit, r * unit, unit - gap, unit - gap);
      }
      g.fillStyle = css("--transfer");
      for (let r = 0; r < n; r++) {
        g.fillRect(LEFT + n * unit + 6, r * unit + unit * 0.2, rows[r] / mostSum * SUM, Math.max(1, unit * 0.6));
        g.fillRect(LEFT + r * unit + unit * 0.2, n * unit + 6, Math.max(1, unit * 0.6), cols[r] / mostSum * SUM);
      }
      axis(g, names.map(String), unit);
      g.textAlign = "center";
      for (let c = 0; c < n; c += Math.ceil(20 / unit)) g.fillText(String(names[c]), LEFT + (c + 0.5) * unit, -6);
      g.restore();
    },
    words: (x, y) => {
      const c = Math.floor((x - LEFT) / unit), r = Math.floor((y - TOP) / unit);
      if (c < 0 || r < 0 || c > n || r > n || c === n && r === n) return "";
      if (c === n) return `${names[r]} sends ${bytes(rows[r])}`;
      if (r === n) return `${names[c]} receives ${bytes(cols[c])}`;
      return `${names[r]} \u2192 ${names[c]}: ${bytes(sent[r * n + c])} in ${many[r * n + c]} messages`;
    } }).paint;
}

export const KINDS = [["computation", "compute"], ["library", "library"], ["transfer", "transfer"], ["runtime", "runtime"], ["not-running", "outside"], ["unexplained", "unexplained"], ["waiting", "wait"]];

// Where each lane's time went, in the words and numbers of the report.
function bars(run, grid) {
  const of = new Map(run.time.map(([kind, ...each]) => [kind, each])), kinds = KINDS.filter(([kind]) => of.get(kind)?.some((v) => v > 0));
  const all = run.label.map((_, lane) => kinds.reduce((a, [kind]) => a + of.get(kind)[lane], 0)), most = Math.max(...all, 1), size = laneSize(run.n);
  const computed = of.get("computation"), mean = computed.reduce((a, b) => a + b, 0) / run.n, largest = Math.max(...computed);
  return figure(grid, { title: "Time by rank", note: `line: mean computation; the largest is ${mean ? percent(largest / mean - 1) : "0 %"} above`, name: "ranks",
    rows: () => [["rank", ...kinds.map(([kind]) => `${kind}_s`)], ...run.label.map((name, lane) => [name, ...kinds.map(([kind]) => (of.get(kind)[lane] / 1e9).toFixed(9))])],
    height: () => run.n * size + 4,
    draw: ({ g, width: w }) => {
      const scale = (w - LEFT) / most;
      run.label.forEach((_, lane) => {
        let x = LEFT;
        for (const [kind, id] of kinds) {
          g.fillStyle = css(`--${id}`);
          g.fillRect(x, lane * size, of.get(kind)[lane] * scale, size - (size > 8 ? 4 : size > 2 ? 1 : 0));
          x += of.get(kind)[lane] * scale;
        }
      });
      g.fillStyle = css("--ink"), g.fillRect(Math.round(LEFT + mean * scale), 0, 1, run.n * size);
      axis(g, run.label, size);
    },
    words: (x, y) => {
      const lane = Math.floor(y / size);
      return lane >= 0 && lane < run.n ? `rank ${run.label[lane]}: ${kinds.map(([kind]) => `${kind} ${time(of.get(kind)[lane], 3)}`).join(", ")}` : "";
    } }).paint;
}

// How long the stretches of a call are: its visits, and apart from them the part that was waiting.
function histogram(run, page, grid) {
  const names = new Map();
  for (let i = 0; i < run.begin.length; i++) if (run.state[i] !== MIXED && run.state[i] !== 6) {
    const name = run.paths[run.path[i]].name;
    names.set(name, (names.get(name) ?? 0) + 1);
  }
  const list = [...names].sort((a, b) => b[1] - a[1]).slice(0, 200).map(([name]) => name);
  if (!list.length) return null;
  let chosen = list.find((name) => /^MPI_(Wait|Recv|All)/i.test(name)) ?? list[0], bins = [];
  const MOST = 40, per = 4; // bins of a quarter of an octave, in nanoseconds
  const binOf = (ns) => Math.max(0, Math.floor(Math.log2(Math.max(1, ns)) * per));
  function fill() {
    const other = new Map(), waits = new Map();
    for (let lane = 0; lane < run.n; lane++) for (let i = run.first[lane]; i < run.first[lane + 1]; i++) {
      if (run.state[i] === MIXED || run.paths[run.path[i]].name !== chosen) continue;
      const to = isWait(run.state[i]) ? waits : other, bin = binOf(((i + 1 < run.first[lane + 1] ? run.begin[i + 1] : run.end) - run.begin[i]) * run.tickNs);
      to.set(bin, (to.get(bin) ?? 0) + 1);
    }
    const keys = [...other.keys(), ...waits.keys()], low = keys.reduce((a, b) => Math.min(a, b), 1e9), high = keys.reduce((a, b) => Math.max(a, b), 0);
    const step = Math.max(1, Math.ceil((high - low + 1) / MOST));
    bins = [];
    for (let b = low; b <= high; b += step) {
      const sum = (map) => { let n = 0; for (let k = b; k < b + step; k++) n += map.get(k) ?? 0; return n; };
      bins.push({ from: 2 ** (b / per), to: 2 ** ((b + step) / per), other: sum(other), waits: sum(waits) });
    }
  }
  fill();
  const high = 120, made = figure(grid, { title: "How long a call takes", note: "in the picture: its work, and its waits", name: "durations",
    rows: () => [["from_s", "to_s", "others", "waits"], ...bins.map((b) => [(b.from / 1e9).toPrecision(4), (b.to / 1e9).toPrecision(4), b.other, b.waits])],
    height: () => high + 20,
    draw: ({ g, width: w }) => {
      const most = Math.max(1, ...bins.map((b) => b.other + b.waits)), step = (w - LEFT) / bins.length;
      bins.forEach((b, i) => {
        const y = high * (1 - b.other / most), top = y - high * b.waits / most;
        g.fillStyle = css("--transfer"), g.fillRect(LEFT + i * step, y, step - 1, high - y);
        g.fillStyle = css("--wait"), g.fillRect(LEFT + i * step, top, step - 1, y - top);
      });
      g.fillStyle = css("--muted"), g.font = `11px ${css("--sans")}`, g.textAlign = "right";
      g.fillText(String(most), LEFT - 6, 10);
      g.textAlign = "left";
      for (let i = 0; i < bins.length; i += Math.ceil(60 / step)) g.fillText(time(bins[i].from, 2), LEFT + i * step, high + 14);
    },
    words: (x) => {
      const b = bins[Math.floor((x - LEFT) / ((made.el.clientWidth - LEFT) / bins.length))];
      return b ? `${time(b.from, 3)} to ${time(b.to, 3)}: ${b.other} without waiting, ${b.waits} waits` : "";
    } });
  const pick = h("select", { "aria-label": "Of which function or call", onchange: (e) => { chosen = e.target.value; fill(); made.paint(); } }, list.map((name) => h("option", { value: name, selected: name === chosen }, name)));
  grid.querySelector(".durations h3").after(pick);
  return made.paint;
}

function hover(el, words) {
  const tip = $("tip");
  el.addEventListener("pointermove", (e) => {
    const text = words(e.offsetX, e.offsetY);
    tip.hidden = !text;
    tip.replaceChildren(text);
    tip.style.left = `${Math.min(innerWidth - 200, e.clientX + 14)}px`, tip.style.top = `${e.clientY + 16}px`;
  });
  el.addEventListener("pointerleave", () => { tip.hidden = true; });
}

// ---- the call tree: metric by call path, and by rank for the chosen one ----

function callTree(run, box) {
  const ns = run.tickNs, n = run.paths.length, own = new Float64Array(n), waits = new Float64Array(n), most = new Float64Array(n), by = new Uint32Array(n);
  for (let lane = 0; lane < run.n; lane++) { // sums of all lanes and paths at once may be too many
    const found = focusSums(run, [lane]);
    for (let p = 0; p < n; p++) {
      own[p] += found.paths[p], waits[p] += found.waits[p];
      if (found.paths[p] > most[p]) most[p] = found.paths[p], by[p] = lane;
    }
  }
  const all = own.slice(), allWaits = waits.slice(), children = run.paths.map(() => []);
  for (let p = n - 1; p > 0; p--) { const up = run.paths[p].parent; all[up] += all[p], allWaits[up] += allWaits[p]; }
  for (let p = 1; p < n; p++) children[run.paths[p].parent].push(p);
  for (const c of children) c.sort((a, b) => all[b] - all[a]);
  const open = new Set([0]), body = h("tbody"), whole = all[0] || 1;
  for (let p = 0; children[p].length && open.size < 4; p = children[p][0]) open.add(p);
  const heads = ["Function", "Inclusive", "Own", "Waiting", "Of all", "Largest own", "on rank"];
  const cells = (p) => [time(all[p] * ns), own[p] ? time(own[p] * ns) : "", allWaits[p] ? time(allWaits[p] * ns) : "", percent(all[p] / whole), own[p] ? time(most[p] * ns) : "", own[p] ? run.label[by[p]] : ""];
  const rowOf = (p, depth) => h("tr", { title: callPath(run, p).join(" > ") },
    h("th", { scope: "row", class: `d${Math.min(8, depth)}` }, children[p].length
      ? h("button", { class: "opener", "aria-expanded": String(open.has(p)), onclick: () => { if (!open.delete(p)) open.add(p); draw(); } }, run.paths[p].name)
      : h("span", { class: "leaf" }, run.paths[p].name)), cells(p).map((v) => h("td", { class: "n" }, v)));
  function draw() {
    const rows = [], put = (p, depth) => {
      if (!all[p] || rows.length > 2000) return;
      rows.push(rowOf(p, depth));
      if (open.has(p)) for (const c of children[p]) put(c, depth + 1);
    };
    put(0, 0);
    body.replaceChildren(...rows);
  }
  draw();
  const rows = () => {
    const each = run.label.map((_, lane) => focusSums(run, [lane]).paths);
    return [["path", "inclusive_s", "own_s", "waiting_s", ...run.label.map((name) => `own_s_rank_${name}`)],
      ...run.paths.map((_, p) => [callPath(run, p).join(" > "), all[p], own[p], allWaits[p], ...each.map((paths) => paths[p])].map((v) => typeof v === "number" ? (v * ns / 1e9).toFixed(9) : v))];
  };
  box.append(h("figure", { class: "figure calls" }, h("figcaption", {}, h("h3", {}, "Call tree"), h("span", { class: "muted" }, "time in the focus, of all ranks together"),
    h("button", { class: "quiet", onclick: () => download("calls.csv", rows()) }, "csv")),
  h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Call tree" }, h("table", { class: "tree" }, h("thead", {}, h("tr", {}, heads.map((v, i) => h("th", { scope: "col", class: i ? "n" : "" }, v)))), body))));
}

export function pictures(run, page, box) {
  const grid = h("div", { class: "grid" });
  box.append(grid);
  const paints = [heatMap(run, page, grid), bars(run, grid), matrix(run, grid), histogram(run, page, grid)].filter(Boolean);
  callTree(run, box);
  return () => paints.forEach((paint) => paint());
}

