// Pictures of ranks side by side: where their time went, how busy each one is, how many are so at once, and how that goes
// together with what is under way.
import { count, percent, time } from "./data.js";
import { css } from "./dom.js";
import { choice, figure, laneRows, LEFT, mix, rankAxis, FOOT, ticks, timeAxis, valueAxis } from "./figure.js";
import { sums } from "./sums.js";
import { CLASSES, classesOf, concurrency, statesOver, trafficOver, CLASS_OF } from "./series.js";

export const KINDS = [["computation", "compute", [0]], ["files", "files", [9]], ["device", "device", [10]], ["library", "library", [7]], ["transfer", "transfer", [3, 4]], ["runtime", "runtime", [8]], ["not-running", "outside", [6]], ["unexplained", "unexplained", [5]], ["waiting", "wait", [1, 2]]];
const seconds = (ns) => (ns / 1e9).toFixed(9);

// Where each lane's time went: of the whole focus in the words and numbers of the report, of a span as it is drawn.
function bars(run, page, grid) {
  let rows = [], kinds = [], size = 1, more = "", mean = 0, largest = 0, most = 1;
  const told = new Map(run.time.map(([kind, ...each]) => [kind, each]));
  const ofLane = (scope, lane) => {
    if (!page.state.span) return kinds.map(([kind]) => told.get(kind)[lane]);
    const { states } = sums(run, scope.from, scope.to, [lane]);
    return kinds.map(([, , of]) => of.reduce((a, s) => a + states[s], 0) * run.tickNs);
  };
  return figure(grid, { run, page, title: "Time by rank", name: "ranks",
    note: () => `line: mean computation; the largest is ${mean ? percent(largest / mean - 1) : "0 %"} above${more}`,
    make: (scope) => {
      kinds = KINDS.filter(([kind]) => told.get(kind)?.some((v) => v > 0));
      ({ rows, size, note: more } = laneRows(run, scope.lanes));
      const each = scope.lanes.map((lane) => ofLane(scope, lane)), at = new Map(scope.lanes.map((lane, i) => [lane, i]));
      rows = rows.map((row) => ({ ...row, ns: kinds.map((_, k) => row.lanes.reduce((a, lane) => a + each[at.get(lane)][k], 0) / row.lanes.length) }));
      const computed = kinds.findIndex(([kind]) => kind === "computation"), values = each.map((v) => v[computed] ?? 0);
      mean = values.reduce((a, b) => a + b, 0) / values.length, largest = values.reduce((a, b) => Math.max(a, b), 0);
      most = rows.reduce((a, row) => Math.max(a, row.ns.reduce((x, y) => x + y, 0)), 1);
    },
    rows: () => [["rank", ...kinds.map(([kind]) => `${kind}_s`)], ...rows.map((row) => [row.label, ...row.ns.map(seconds)])],
    height: () => rows.length * size + FOOT,
    draw: ({ g, width }) => {
      const scale = (width - LEFT) / most;
      rows.forEach((row, r) => {
        let x = LEFT;
        kinds.forEach(([, id], k) => {
          g.fillStyle = css(`--${id}`);
          g.fillRect(x, r * size, row.ns[k] * scale, size - (size > 8 ? 4 : size > 2 ? 1 : 0));
          x += row.ns[k] * scale;
        });
      });
      g.fillStyle = css("--ink"), g.fillRect(Math.round(LEFT + mean * scale), 0, 1, rows.length * size);
      rankAxis(g, rows.map((row) => row.label), size);
      timeAxis(g, { tickNs: 1 }, 0, most, width, rows.length * size);
    },
    words: (x, y) => {
      const row = rows[Math.floor(y / size)];
      return row ? `rank ${row.label}: ${kinds.map(([kind], k) => `${kind} ${time(row.ns[k], 3)}`).join(", ")}` : "";
    },
    go: (x, y) => { const row = rows[Math.floor(y / size)]; if (row) page.set({ ranks: rangeOf(run, row.lanes) }); }, step: () => [8, size] });
}

const rangeOf = (run, lanes) => { const [a, b] = [run.head.lanes[lanes[0]][0], run.head.lanes[lanes.at(-1)][0]]; return a === b ? `${a}` : `${a}-${b}`; };

// For which part of the time exactly so many ranks compute, communicate or wait at once.
function atOnce(run, page, grid) {
  let kind = 0, shares = null, lanes = 0, mean = 0, heights = null, each = 1; // a bar is so many counts of ranks: 1 of up to 160
  const HIGH = 150, MOST_BARS = 160, pick = choice("Of which state", CLASSES.map((c, i) => [i, c.name]), (v) => { kind = Number(v); made.changed(); });
  const said = () => shares ? `share of the time in which so many ranks are ${CLASSES[kind].name}; ${Number(mean.toPrecision(3))} of ${count(lanes)} on average${each > 1 ? `; a bar is ${each} counts` : ""}` : "what is that short is told of the whole focus and all ranks only: clear the selection";
  const made = figure(grid, { run, page, title: "Concurrency", name: "concurrency", pick, note: said,
    make: (scope) => {
      lanes = scope.lanes.length;
      const told = scope.isWhole ? run.traffic?.concurrency?.[kind] : null, times = told ?? concurrency(run, scope, kind);
      const all = times?.reduce((a, b) => a + b, 0) || 1;
      shares = times && Array.from(times, (v) => v / all), mean = shares ? shares.reduce((a, v, k) => a + v * k, 0) : 0;
      each = Math.ceil((lanes + 1) / MOST_BARS), heights = shares && Array.from({ length: Math.ceil(shares.length / each) }, (_, k) => shares.slice(k * each, (k + 1) * each).reduce((a, b) => a + b, 0));
    },
    rows: () => [["ranks", "share_of_time"], ...(shares ?? []).map((v, k) => [k, v.toFixed(9)])],
    height: () => HIGH + FOOT,
    draw: ({ g, width }) => {
      if (!shares) return;
      const top = Math.max(...heights, 1e-9), wide = (width - LEFT) / heights.length, step = wide / each;
      valueAxis(g, top, width, HIGH, (v) => percent(v).replace(".0 %", " %"));
      g.fillStyle = css(`--${CLASSES[kind].id}`);
      heights.forEach((v, k) => g.fillRect(LEFT + k * wide, HIGH * (1 - v / top), Math.max(1, wide - (wide > 4 ? 1 : 0)), HIGH * v / top));
      g.fillStyle = css("--ink"), g.fillRect(Math.round(LEFT + (mean + 0.5) * step), 0, 1, HIGH);
      g.fillStyle = css("--muted"), g.textAlign = "center";
      for (const k of new Set(ticks(lanes, Math.max(1, Math.floor((width - LEFT) / 60))).map(Math.ceil))) g.fillText(String(k), Math.min(width - 12, LEFT + (k + 0.5) * step), HIGH + 14);
      g.textAlign = "left";
    },
    words: (x) => {
      const k = Math.floor((x - LEFT) / (made.el.clientWidth - LEFT) * (heights?.length ?? 0)), from = k * each, to = Math.min(lanes, from + each - 1);
      return heights?.[k] != null ? `${to > from ? `${count(from)} to ${count(to)}` : count(from)} of ${count(lanes)} ranks ${CLASSES[kind].name}: ${percent(heights[k])} of the time` : "";
    },
    step: () => [(made.el.clientWidth - LEFT) / (heights?.length || 1), 1] });
  return made;
}

// A spoke for each rank: how much of its time it computes (inner area), and computes or communicates.
function kiviat(run, page, grid) {
  let rows = [], mean = 0;
  const HIGH = 250, R = 104, place = (width, i, share) => { const a = i / rows.length * 2 * Math.PI - Math.PI / 2; return [width / 2 + Math.cos(a) * R * share, HIGH / 2 + Math.sin(a) * R * share]; };
  const made = figure(grid, { run, page, title: "Kiviat", name: "kiviat", note: () => `a spoke a rank, from 0 to 100 % of its time: computing, and with communication; ${percent(mean)} compute on average${rows[0]?.lanes.length > 1 ? `; a spoke is ${rows[0].lanes.length} ranks` : ""}`,
    make: (scope) => {
      const each = classesOf(run, scope), at = new Map(scope.lanes.map((lane, i) => [lane, i]));
      rows = laneRows(run, scope.lanes).rows.map((row) => {
        const sum = [0, 1, 2].map((c) => row.lanes.reduce((a, lane) => a + each[at.get(lane)][c], 0)), all = sum[0] + sum[1] + sum[2] || 1;
        return { ...row, shares: sum.map((v) => v / all) };
      });
      mean = rows.reduce((a, row) => a + row.shares[0] * row.lanes.length, 0) / scope.lanes.length;
    },
    rows: () => [["rank", ...CLASSES.map((c) => `${c.key}_share`)], ...rows.map((row) => [row.label, ...row.shares.map((v) => v.toFixed(9))])],
    height: () => HIGH,
    draw: ({ g, width }) => {
      g.strokeStyle = css("--line");
      for (const share of [0.25, 0.5, 0.75, 1]) { g.beginPath(); g.arc(width / 2, HIGH / 2, R * share, 0, 7); g.stroke(); }
      if (rows.length <= 64) rows.forEach((_, i) => { g.beginPath(); g.moveTo(width / 2, HIGH / 2); g.lineTo(...place(width, i, 1)); g.stroke(); });
      const area = (value, colour, line) => {
        g.beginPath(), rows.forEach((row, i) => g.lineTo(...place(width, i, value(row.shares)))), g.closePath();
        g.fillStyle = colour, g.globalAlpha = 0.8, g.fill(), g.globalAlpha = 1, g.strokeStyle = line, g.stroke();
      };
      area((s) => s[0] + s[1], css("--transfer"), css("--collective")), area((s) => s[0], css("--compute"), css("--muted"));
      if (rows.length < 3) rows.forEach((row, i) => { g.lineWidth = 6, g.strokeStyle = css("--muted"), g.beginPath(), g.moveTo(width / 2, HIGH / 2), g.lineTo(...place(width, i, row.shares[0])), g.stroke(), g.lineWidth = 1; });
      g.fillStyle = css("--muted"), g.textAlign = "center", g.textBaseline = "middle";
      for (let i = 0, every = Math.ceil(rows.length / 24); i + every <= rows.length; i += every) g.fillText(rows[i].label.split("-")[0], ...place(width, i, 1.13));
      g.textAlign = "left", g.textBaseline = "alphabetic";
      g.fillStyle = css("--ink"), g.textAlign = "center", g.fillText("50 %", width / 2, HIGH / 2 - R / 2 + 12), g.fillText("100 %", width / 2, HIGH / 2 - R + 12), g.textAlign = "left";
    },
    words: (x, y) => {
      const width = made.el.clientWidth, turn = (Math.atan2(y - HIGH / 2, x - width / 2) / (2 * Math.PI) + 1.25) % 1, row = rows[Math.round(turn * rows.length) % rows.length];
      return row && Math.hypot(x - width / 2, y - HIGH / 2) < R * 1.3 ? `rank ${row.label}: ${CLASSES.map((c, k) => `${percent(row.shares[k])} ${c.name}`).join(", ")}` : "";
    },
    spots: () => rows.map((_, i) => place(made.el.clientWidth, i, 0.9)) });
  return made;
}

// How the run wanders between computing and communicating: a point for each slice of time, joined in order, later ones darker.
function portrait(run, page, grid) {
  let points = [], isTraffic = false;
  const SLICES = 60, HIGH = 230, y = (v) => HIGH * (1 - v);
  const made = figure(grid, { run, page, title: "Phase portrait", name: "portrait", note: () => `across: ranks that compute; up: ${isTraffic ? "bytes under way, of the most" : "ranks in communication"}; later is darker`,
    make: (scope) => {
      const states = statesOver(run, scope, SLICES), all = scope.lanes.length, width = (scope.to - scope.from) / SLICES;
      const rows = run.traffic?.largest[1] > 0 ? trafficOver(run, scope, 1e9) : [], most = rows.reduce((a, r) => Math.max(a, r.bytes), 0);
      isTraffic = most > 0;
      points = Array.from({ length: SLICES }, (_, k) => {
        const from = scope.from + k * width, sum = [0, 0, 0];
        CLASS_OF.forEach((c, s) => { sum[c] += states[k * CLASS_OF.length + s]; });
        let under = 0;
        for (const r of rows) under += r.bytes * Math.max(0, Math.min(r.to, from + width) - Math.max(r.from, from)) / width;
        return { from, busy: sum[0] / all, talks: isTraffic ? under / most : sum[1] / all };
      });
    },
    rows: () => [["from_s", "computing_share", isTraffic ? "bytes_share_of_most" : "communication_share"], ...points.map((p) => [seconds(p.from * run.tickNs), p.busy.toFixed(6), p.talks.toFixed(6)])],
    height: () => HIGH + FOOT,
    draw: ({ g, width }) => {
      const x = (v) => LEFT + (width - LEFT - 8) * v, low = css("--edge"), strong = css("--accent");
      valueAxis(g, 1, width, HIGH, (v) => `${Math.round(v * 100)} %`);
      g.fillStyle = css("--muted");
      for (const v of [0, 0.25, 0.5, 0.75, 1]) { g.textAlign = v === 1 ? "right" : v ? "center" : "left"; g.fillText(`${v * 100} %`, v === 1 ? width : x(v), HIGH + 14); }
      g.textAlign = "left";
      points.forEach((p, k) => {
        g.strokeStyle = g.fillStyle = mix(low, strong, k / SLICES);
        if (k) { g.beginPath(); g.moveTo(x(points[k - 1].busy), y(points[k - 1].talks)); g.lineTo(x(p.busy), y(p.talks)); g.stroke(); }
        g.beginPath(), g.arc(x(p.busy), y(p.talks), 3, 0, 7), g.fill();
      });
    },
    words: (px, py) => {
      const scale = made.el.clientWidth - LEFT - 8, near = points.map((p) => [Math.hypot(LEFT + scale * p.busy - px, y(p.talks) - py), p]).sort((a, b) => a[0] - b[0])[0];
      return near && near[0] < 24 ? `${time(near[1].from * run.tickNs, 5)}: ${percent(near[1].busy)} compute, ${percent(near[1].talks)} ${isTraffic ? "of the most bytes under way" : "in communication"}` : "";
    },
    spots: () => points.map((p) => [LEFT + (made.el.clientWidth - LEFT - 8) * p.busy, y(p.talks)]) });
  return made;
}

export const byRank = (run, page, grid) => [bars(run, page, grid), atOnce(run, page, grid), kiviat(run, page, grid), portrait(run, page, grid)];
