// Pictures over time: waiting and queues of each rank, how many ranks are in each state, what is under way.
import { count, isWait, N, percent, STATES, time } from "./data.js";
import { css } from "./dom.js";
import { choice, column, few, figure, FOOT, laneRows, LEFT, mix, size, timeAxis, rankAxis, valueAxis } from "./figure.js";
import { eachState, queuesOver, statesOver, trafficOver } from "./series.js";

const SLICES = 120, HIGH = 150;
const STACKED = [0, 9, 10, 7, 8, 3, 4, 5, 1, 2, 6]; // from the ground up: what computes, then the library, then who waits
const seconds = (ns) => (ns / 1e9).toFixed(9);

// Rows of ranks by time, one hue: what is told of each cell, from 0 to 1.
function heatFigure(run, page, grid, { title, name, note, pick, make, colours, words, unit, most = () => 1 }) {
  let heat = { n: 0, from: 0, to: 1, width: 1, cells: [] }, rows = [], high = 1, more = "";
  const label = (k) => time((heat.from + k * heat.width) * run.tickNs, 5);
  const made = figure(grid, { run, page, title, name, pick, note: () => note() + more,
    make: (scope) => {
      ({ rows, size: high, note: more } = laneRows(run, scope.lanes));
      heat = make(scope, rows);
    },
    rows: () => [[`rank, ${unit()} from`, ...Array.from({ length: heat.n }, (_, k) => label(k))], ...rows.map((row, r) => [row.label, ...Array.from({ length: heat.n }, (_, k) => heat.cells[r * heat.n + k].toPrecision(6) * 1)])],
    height: () => Math.max(40, rows.length * high) + FOOT,
    draw: ({ g, width }) => {
      const place = column(width, heat.n), [low, strong] = colours.map(css), top = most(heat) || 1, shades = Array.from({ length: 65 }, (_, k) => mix(low, strong, k / 64));
      for (let r = 0; r < rows.length; r++) for (let k = 0; k < heat.n; k++) {
        const share = Math.min(1, heat.cells[r * heat.n + k] / top);
        g.fillStyle = shades[share > 0 ? Math.max(4, Math.round(share ** 0.7 * 64)) : 0];
        const [x, wide] = place(k);
        g.fillRect(x, r * high, wide, high - (high > 8 ? 1 : 0));
      }
      rankAxis(g, rows.map((row) => row.label), high);
      timeAxis(g, run, heat.from, heat.to, width, Math.max(40, rows.length * high));
    },
    words: (x, y) => {
      const k = Math.floor((x - LEFT) / (made.el.clientWidth - LEFT) * heat.n), r = Math.floor(y / high);
      return k >= 0 && k < heat.n && r < rows.length ? `rank ${rows[r].label}, ${label(k)}: ${words(heat.cells[r * heat.n + k])}` : "";
    },
    times: () => [heat.from, heat.to], step: () => [(made.el.clientWidth - LEFT) / heat.n, high] });
  return made;
}

// Waiting of each lane in each slice of time.
function waiting(run, page, grid) {
  return heatFigure(run, page, grid, { title: "Waiting over time", name: "waiting", unit: () => "share of time", colours: ["--heat-low", "--heat-high"],
    note: () => "rank by time; darker: more of it was waiting",
    make: (scope, rows) => {
      const width = (scope.to - scope.from) / SLICES, cells = new Float64Array(rows.length * SLICES);
      rows.forEach(({ lanes }, r) => lanes.forEach((lane) => eachState(run, lane, scope.from, scope.to, (a, b, s, share) => {
        if (!isWait(s)) return;
        for (let k = Math.max(0, Math.floor((a - scope.from) / width)); k < SLICES && scope.from + k * width < b; k++) {
          cells[r * SLICES + k] += Math.max(0, Math.min(b, scope.from + (k + 1) * width) - Math.max(a, scope.from + k * width)) / width * share / lanes.length;
        }
      })));
      return { from: scope.from, to: scope.to, width, n: SLICES, cells };
    },
    words: (v) => `${percent(v)} waiting` });
}

function queues(run, page, grid) {
  let isBytes = false;
  const pick = choice("Queues of what", [["messages", "messages"], ["bytes", "bytes"]], (v) => { isBytes = v === "bytes"; made.changed(); });
  const made = heatFigure(run, page, grid, { title: "Queues", name: "queues", pick, unit: () => isBytes ? "bytes" : "messages", colours: ["--blue-low", "--collective"],
    note: () => { const most = run.traffic.queues.reduce((a, q) => Math.max(a, q[isBytes ? 1 : 0]), 0); return `sent to a rank and not yet received; the longest ever: ${isBytes ? size(most) : count(most)}`; },
    make: (scope, rows) => queuesOver(run, scope, rows, isBytes),
    most: (heat) => heat.cells.reduce((a, b) => Math.max(a, b), 0),
    words: (v) => isBytes ? `${size(v)} on average` : `${few(v)} messages on average` });
  return made;
}

// How many ranks are in each state, stacked.
function utilisation(run, page, grid) {
  let bins = [], scope, shown = [];
  const n = SLICES * 2, at = (k) => scope.from + k * (scope.to - scope.from) / n;
  const made = figure(grid, { run, page, title: "Utilisation", name: "utilisation", note: () => `how many of ${count(scope.lanes.length)} ${scope.lanes.length === 1 ? "rank is" : "ranks are"} in a state`,
    make: (now) => {
      scope = now, bins = statesOver(run, scope, n);
      shown = STACKED.filter((s) => bins.some((v, i) => i % N === s && v > 0));
    },
    rows: () => [["from_s", "to_s", ...shown.map((s) => STATES[s].name)], ...Array.from({ length: n }, (_, k) => [seconds(at(k) * run.tickNs), seconds(at(k + 1) * run.tickNs), ...shown.map((s) => bins[k * N + s].toPrecision(6) * 1)])],
    height: () => HIGH + FOOT,
    draw: ({ g, width }) => {
      const place = column(width, n), all = scope.lanes.length;
      for (let k = 0; k < n; k++) {
        const [x, wide] = place(k);
        let y = HIGH;
        for (const s of shown) {
          const high = bins[k * N + s] / all * HIGH;
          g.fillStyle = css(`--${STATES[s].id}`), g.fillRect(x, y - high, wide, high);
          y -= high;
        }
      }
      valueAxis(g, all, width, HIGH, few);
      timeAxis(g, run, scope.from, scope.to, width, HIGH);
    },
    words: (x) => {
      const k = Math.floor((x - LEFT) / (made.el.clientWidth - LEFT) * n);
      return k >= 0 && k < n ? `${time(at(k) * run.tickNs, 5)}: ${shown.filter((s) => bins[k * N + s] >= 0.005).map((s) => `${few(bins[k * N + s])} ${STATES[s].name.toLowerCase()}`).join(", ")}` : "";
    },
    times: () => [scope.from, scope.to], step: () => [(made.el.clientWidth - LEFT) / n, 1] });
  return made;
}

// Messages or bytes that were sent and not yet received.
function traffic(run, page, grid) {
  let rows = [], key = "bytes", scope;
  const most = () => key === "bytes" ? "mostBytes" : "mostMessages", said = (v) => key === "bytes" ? size(v) : few(v);
  const pick = choice("Traffic in what", [["bytes", "bytes"], ["messages", "messages"]], (v) => { key = v; made.changed(); });
  const largest = () => rows.reduce((a, r) => Math.max(a, r[key], r[most()] || 0), 0);
  const made = figure(grid, { run, page, title: "Traffic", name: "traffic", pick,
    note: () => scope.isAll ? "under way at a time: on average, and the most (line)" : `under way to the chosen ranks, on average of 1/${run.traffic.queueBins} of the focus`,
    make: (now) => { scope = now; rows = trafficOver(run, scope, SLICES * 2); },
    rows: () => [["from_s", "to_s", "messages", "bytes", "most_messages", "most_bytes"], ...rows.map((r) => [seconds(r.from * run.tickNs), seconds(r.to * run.tickNs), ...[r.messages, r.bytes].map((v) => v.toPrecision(6) * 1), ...[r.mostMessages, r.mostBytes].map((v) => Number.isNaN(v) ? "" : Math.round(v))])],
    height: () => HIGH + FOOT,
    draw: ({ g, width }) => {
      const top = largest() || 1, place = column(width, rows.length), x = (k) => place(k)[0];
      valueAxis(g, top, width, HIGH, said);
      g.fillStyle = css("--transfer");
      rows.forEach((r, k) => { const high = r[key] / top * HIGH; g.fillRect(x(k), HIGH - high, place(k)[1], high); });
      g.strokeStyle = css("--collective"), g.beginPath();
      if (scope.isAll) rows.forEach((r, k) => { const y = HIGH - r[most()] / top * HIGH; g.lineTo(x(k), y + 0.5); g.lineTo(x(k + 1), y + 0.5); });
      g.stroke();
      timeAxis(g, run, rows[0]?.from ?? 0, rows.at(-1)?.to ?? 1, width, HIGH);
    },
    words: (x) => {
      const r = rows[Math.floor((x - LEFT) / (made.el.clientWidth - LEFT) * rows.length)];
      return r ? `${time(r.from * run.tickNs, 5)}: ${few(r.messages)} messages, ${size(r.bytes)}${scope.isAll ? `; at most ${few(r.mostMessages)}, ${size(r.mostBytes)}` : ""}` : "";
    },
    times: () => [rows[0]?.from ?? 0, rows.at(-1)?.to ?? 1], step: () => [(made.el.clientWidth - LEFT) / Math.max(1, rows.length), 1] });
  return made;
}

export function overTime(run, page, grid) {
  const hasTraffic = run.traffic?.largest[0] > 0;
  return [utilisation(run, page, grid), waiting(run, page, grid), ...hasTraffic ? [traffic(run, page, grid), queues(run, page, grid)] : []];
}
