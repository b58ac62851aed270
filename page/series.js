// What the pictures count: states, messages under way and queues over time, how many ranks compute at once, how long calls
// take. Nothing in here knows about the page.
import { endOf, isWait, MIXED, mixedParts, N, stretchAt } from "./data.js";

// What a lane is busy with: its own work, communication without waiting, or nothing. As in the profile of a run.
export const CLASSES = [{ id: "compute", key: "busy", name: "computing" }, { id: "transfer", key: "overhead", name: "in communication" }, { id: "wait", key: "idle", name: "waiting or not running" }];
export const CLASS_OF = [0, 2, 2, 1, 1, 1, 2, 0, 0, 0, 0];

// Ranks as somebody writes them: 0-3,8. None that is there: all.
export function chosenLanes(run, text) {
  const wanted = /^\d{1,7}(-\d{1,7})?(,\d{1,7}(-\d{1,7})?)*$/.test(text ?? "") ? text.split(",").map((r) => r.split("-").map(Number)) : [];
  const lanes = [...run.label.keys()].filter((lane) => wanted.some(([a, b = a]) => run.head.lanes[lane][0] >= a && run.head.lanes[lane][0] <= b));
  return lanes.length ? lanes : [...run.label.keys()];
}

// The part of the run that pictures are about. `spans` are what counts: of the focus, unless a span was selected.
export function scopeOf(run, state) {
  const lanes = chosenLanes(run, state.ranks), [from, to] = state.span && state.span[1] > state.span[0] ? state.span : run.hull;
  return { from, to, lanes, spans: state.span ? [[from, to]] : run.focus, isAll: lanes.length === run.n, isWhole: lanes.length === run.n && !state.span };
}

// Lanes in rows of as few as possible: at most `most` rows.
export function rankRows(run, lanes, most) {
  const each = Math.ceil(lanes.length / most), rows = [];
  for (let i = 0; i < lanes.length; i += each) {
    const part = lanes.slice(i, i + each);
    rows.push({ lanes: part, label: part.length > 1 ? `${run.label[part[0]]}-${run.label[part.at(-1)]}` : run.label[part[0]] });
  }
  return rows;
}

// What a lane does from `from` to `to`: each(begin, end, state, share).
export function eachState(run, lane, from, to, each) {
  for (let i = stretchAt(run, lane, from), last = run.first[lane + 1]; i < last && run.begin[i] < to; i++) {
    const a = Math.max(from, run.begin[i]), b = Math.min(to, endOf(run, lane, i));
    if (b <= a) continue;
    if (run.state[i] === MIXED) mixedParts(run, lane, a, b, each); else each(a, b, run.state[i], 1);
  }
}

// Adds what lies between `a` and `b` to bins of `width` ticks that begin at `from`: `stride` slots each.
function addTo(bins, from, width, a, b, slot, stride, share) {
  const n = bins.length / stride;
  for (let k = Math.max(0, Math.floor((a - from) / width)); k < n && from + k * width < b; k++) {
    bins[k * stride + slot] += Math.max(0, Math.min(b, from + (k + 1) * width) - Math.max(a, from + k * width)) * share;
  }
}

// How many of the lanes are in each state, on average of a bin: [bin][state].
export function statesOver(run, scope, n) {
  const bins = new Float64Array(n * N), inside = new Float64Array(n), width = (scope.to - scope.from) / n;
  for (const [a, b] of scope.spans) {
    addTo(inside, scope.from, width, a, b, 0, 1, 1);
    for (const lane of scope.lanes) eachState(run, lane, Math.max(a, scope.from), Math.min(b, scope.to), (x, y, s, share) => addTo(bins, scope.from, width, x, y, s, N, share));
  }
  for (let k = 0; k < bins.length; k++) bins[k] /= inside[Math.floor(k / N)] || 1;
  return bins;
}

// Ticks in each class: of each lane of the scope.
export function classesOf(run, scope) {
  return scope.lanes.map((lane) => {
    const out = [0, 0, 0];
    for (const [a, b] of scope.spans) eachState(run, lane, a, b, (x, y, s, share) => { out[CLASS_OF[s]] += (y - x) * share; });
    return out;
  });
}

// For how long exactly k of the lanes are in a class, by k. null: they do too much that is too short to be told one by one.
export function concurrency(run, scope, kind) {
  const begins = [], ends = [];
  for (const [from, to] of scope.spans) for (const lane of scope.lanes) {
    for (let i = stretchAt(run, lane, from), last = run.first[lane + 1]; i < last && run.begin[i] < to; i++) {
      const a = Math.max(from, run.begin[i]), b = Math.min(to, endOf(run, lane, i));
      if (b <= a) continue;
      if (run.state[i] === MIXED) return null;
      if (CLASS_OF[run.state[i]] === kind) { begins.push(a); ends.push(b); }
    }
  }
  const up = Float64Array.from(begins).sort(), down = Float64Array.from(ends).sort(), out = new Float64Array(scope.lanes.length + 1);
  let now = 0, k = 0, j = 0;
  const all = scope.spans.reduce((sum, [a, b]) => sum + b - a, 0);
  for (let i = 0; i <= up.length; i++) { // what ends goes before what begins
    const next = i < up.length ? up[i] : Infinity;
    while (j < down.length && down[j] <= next) { out[k] += down[j] - now; now = down[j]; k--; j++; }
    if (next < Infinity) { out[k] += next - now; now = next; k++; }
  }
  out[0] = all - out.reduce((a, b, n) => n ? a + b : 0, 0); // also before the first one and between spans
  return out;
}

// What was under way, in at most `most` bins: as fine as the page has it. With ranks chosen it is what was on its way to them,
// from the queues, whose bins are wider; then nobody knows the most at any moment.
export function trafficOver(run, scope, most) {
  const { traffic } = run, bins = traffic.to - traffic.from, count = scope.isAll ? traffic.bins : traffic.queueBins, own = bins / count;
  const first = Math.max(0, Math.floor((scope.from - traffic.from) / own + 1e-9)), last = Math.min(count, Math.ceil((scope.to - traffic.from) / own - 1e-9));
  const group = Math.max(1, Math.ceil((last - first) / most)), out = [];
  for (let k = first; k < last; k += group) {
    const row = { from: traffic.from + k * own, to: traffic.from + Math.min(last, k + group) * own, messages: 0, bytes: 0, mostMessages: 0, mostBytes: 0 }, end = Math.min(last, k + group);
    for (let b = k; b < end; b++) {
      const one = scope.isAll ? totals(run, b) : queued(run, scope.lanes, b);
      row.messages += one.messages / (end - k), row.bytes += one.bytes / (end - k);
      row.mostMessages = Math.max(row.mostMessages, one.mostMessages), row.mostBytes = Math.max(row.mostBytes, one.mostBytes);
    }
    out.push(row);
  }
  return out;
}

const part = (column, i, largest, whole) => column[i] / whole * largest;
const totals = (run, bin) => Object.fromEntries(["messages", "bytes", "mostMessages", "mostBytes"].map((key, i) => [key, part(run[`traffic${key[0].toUpperCase()}${key.slice(1)}`], bin, run.traffic.largest[i], 4294967295)]));

function queued(run, lanes, bin) {
  const { queueBins, queueLargest } = run.traffic, out = { messages: 0, bytes: 0, mostMessages: NaN, mostBytes: NaN };
  for (const lane of lanes) {
    out.messages += part(run.queueMessages, lane * queueBins + bin, queueLargest[0], 65535);
    out.bytes += part(run.queueBytes, lane * queueBins + bin, queueLargest[1], 65535);
  }
  return out;
}

// What waits to be received: bins from the first one in the scope on, each [row of lanes] on average of its lanes.
export function queuesOver(run, scope, rows, isBytes) {
  const { traffic } = run, width = (traffic.to - traffic.from) / traffic.queueBins;
  const first = Math.max(0, Math.floor((scope.from - traffic.from) / width + 1e-9)), last = Math.min(traffic.queueBins, Math.ceil((scope.to - traffic.from) / width - 1e-9)), n = Math.max(0, last - first);
  const column = isBytes ? run.queueBytes : run.queueMessages, largest = traffic.queueLargest[isBytes ? 1 : 0], cells = new Float64Array(rows.length * n);
  rows.forEach(({ lanes }, r) => {
    for (let k = 0; k < n; k++) for (const lane of lanes) cells[r * n + k] += part(column, lane * traffic.queueBins + first + k, largest, 65535) / lanes.length;
  });
  return { from: traffic.from + first * width, to: traffic.from + last * width, width, n, cells };
}

// Visits of calls: each(path, ticks, ticks of them that were waiting, lane). What is mixed is none.
export function eachVisit(run, scope, each) {
  for (const lane of scope.lanes) {
    let path = -1, length = 0, waited = 0;
    const end = () => { if (length > 0) each(path, length, waited, lane); path = -1, length = waited = 0; };
    for (let i = stretchAt(run, lane, scope.from), last = run.first[lane + 1]; i < last && run.begin[i] < scope.to; i++) {
      if (run.state[i] === MIXED) { end(); continue; }
      if (run.path[i] !== path) { end(); path = run.path[i]; }
      const length1 = endOf(run, lane, i) - run.begin[i];
      length += length1;
      if (isWait(run.state[i])) waited += length1;
    }
    end();
  }
}
