// Sums of a span. Over a million stretches they take longer than a frame: those of many lanes and a long time are put together
// from what was added up once, by bins, and what is looked at for its edges.
import { addMixed, isWait, MIXED, mixedLane, N, stretchAt } from "./data.js";

const FEW = 20000; // stretches, which are simply gone through
const MOST_BINS = 256, MOST_CELLS = 2e6;

const empty = (run) => ({ states: new Float64Array(N), paths: new Float64Array(run.paths.length), waits: new Float64Array(run.paths.length), places: new Float64Array(run.places.length), mixed: new Float64Array(1) });
const KEYS = ["states", "paths", "waits", "places", "mixed"];

// Adds what a stretch is from a to b.
function addStretch(run, out, lane, i, a, b) {
  const s = run.state[i], path = run.path[i], length = b - a;
  if (s === MIXED) { out.mixed[0] += length, addMixed(run, lane, a, b, out.states); return; }
  out.states[s] += length, out.paths[path] += length;
  if (!isWait(s) && s !== 5) return;
  out.waits[path] += length;
  if (run.find[i] !== run.none) out.places[run.find[i]] += length;
}

function addSpan(run, out, from, to, lanes) {
  const mixed = mixedLane(run);
  for (const lane of to > from ? lanes : []) {
    const last = run.first[lane + 1];
    for (let i = stretchAt(run, lane, from); i < last && run.begin[i] < to; i++) {
      const a = Math.max(from, run.begin[i]), b = Math.min(to, i + 1 < last ? run.begin[i + 1] : run.end);
      if (run.state[i] === MIXED && b > a) out.mixed[0] += b - a, mixed.add(lane, a, b, out.states);
      else if (b > a) addStretch(run, out, lane, i, a, b);
    }
    mixed.end(lane, out.states);
  }
}

function addSums(out, more, sign) {
  for (const key of KEYS) for (let k = 0; k < out[key].length; k++) out[key][k] += sign * more[key][k];
}

// What the page itself holds, added up from 0 to the begin of each bin; null where that saves nothing.
export function tally(run, few = FEW) {
  if (run.begin.length < few) return null;
  const size = KEYS.reduce((sum, key) => sum + empty(run)[key].length, 0), bins = Math.max(8, Math.min(MOST_BINS, Math.floor(MOST_CELLS / size))), width = run.end / bins;
  const cells = new Float64Array((bins + 1) * size), rows = Array.from({ length: bins + 1 }, (_, bin) => rowOf(run, cells, bin * size));
  for (const lane of run.label.keys()) {
    for (let i = run.first[lane], last = run.first[lane + 1]; i < last; i++) {
      const end = i + 1 < last ? run.begin[i + 1] : run.end;
      for (let a = run.begin[i], bin = Math.floor(a / width); a < end && bin < bins; bin++) {
        const b = Math.min(end, (bin + 1) * width);
        addStretch(run, rows[bin + 1], lane, i, a, b);
        a = b;
      }
    }
  }
  for (let k = size; k < cells.length; k++) cells[k] += cells[k - size];
  return { bins, width, rows };
}

function rowOf(run, cells, at) {
  const row = {};
  for (const key of KEYS) { const { length } = empty(run)[key]; row[key] = cells.subarray(at, at + length); at += length; }
  return row;
}

// Time per state, call path and place of findings in a span: of some lanes, or of all.
export function sums(run, from, to, lanes = null) {
  const out = empty(run), all = lanes ?? [...run.label.keys()], first = Math.ceil(from / run.tally?.width), last = Math.floor(to / run.tally?.width);
  if (lanes || !(last > first + 1)) { addSpan(run, out, from, to, all); return told(out); }
  const a = first * run.tally.width, b = last * run.tally.width, { overlaid } = run;
  addSpan(run, out, from, a, all), addSpan(run, out, b, to, all);
  addSums(out, run.tally.rows[last], 1), addSums(out, run.tally.rows[first], -1);
  if (overlaid) { // a part that was asked for stands in the place of what the page holds of these lanes
    const span = [Math.max(a, overlaid.from), Math.min(b, overlaid.to), [...overlaid.rowOf.keys()]], held = empty(run);
    addSpan({ ...run, ...run.base, fine: null }, held, ...span), addSums(out, held, -1), addSpan(run, out, ...span);
  }
  return told(out);
}

// What is less than a tick is what differences leave over.
function told(out) {
  for (const key of KEYS) for (let k = 0; k < out[key].length; k++) if (out[key][k] < 1e-3) out[key][k] = 0;
  return { ...out, mixed: out.mixed[0] };
}

// The longest wait in a span that belongs to a place for which test(place) holds: of the part of it that lies there.
export function longestWait(run, from, to, test) {
  let best = null;
  for (const lane of run.label.keys()) {
    const last = run.first[lane + 1];
    for (let i = stretchAt(run, lane, from); i < last && run.begin[i] < to; i++) {
      const length = Math.min(to, i + 1 < last ? run.begin[i + 1] : run.end) - Math.max(from, run.begin[i]), s = run.state[i];
      if (run.find[i] !== run.none && (isWait(s) || s === 5) && length > 0 && (!best || length > best.length) && test(run.find[i])) best = { lane, i, length, place: run.find[i] };
    }
  }
  return best;
}
