// The run in memory: columns of typed arrays, a pyramid of shares over them, and the questions that views ask. Nothing in
// here knows about the page. docs/HTML.md has the format.

export const STATES = [
  { id: "compute", name: "Computation" },
  { id: "wait", name: "Waiting for a partner" },
  { id: "wait-all", name: "Waiting in collectives" },
  { id: "transfer", name: "Transfer" },
  { id: "collective", name: "Collectives" },
  { id: "unexplained", name: "Not explained" },
  { id: "outside", name: "Not running" },
  { id: "library", name: "Other library calls" },
  { id: "runtime", name: "Threads and recorder" },
  { id: "files", name: "Reading and writing files" },
  { id: "device", name: "Calls of accelerators" },
];
export const N = STATES.length;
export const MIXED = N; // short ones of several states: what they are stands in the shares of bins
export const isWait = (state) => state === 1 || state === 2;

export async function unpack(head, text) {
  const raw = await inflate(Uint8Array.fromBase64?.(text) ?? bytesOf(atob(text)), head.columns.reduce((sum, [, count, width]) => sum + count * width, 0)), columns = {};
  let at = 0;
  let before = null;
  for (const [name, count, width, difference] of head.columns) {
    before = columns[name] = column(raw.subarray(at, at += count * width), count, width, difference, before);
  }
  return columns;
}

// Into one array of the size that is known: twice as fast as what collects the pieces itself.
async function inflate(packed, size) {
  const { writable, readable } = new DecompressionStream("deflate-raw"), writer = writable.getWriter(), reader = readable.getReader(), raw = new Uint8Array(size);
  writer.write(packed).catch(() => {}), writer.close().catch(() => {}); // whoever reads is told
  let at = 0;
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) { raw.set(piece.value, at); at += piece.value.length; }
  return raw;
}

function bytesOf(text) { // fifty times faster than Uint8Array.from()
  const out = new Uint8Array(text.length);
  for (let i = 0; i < out.length; i++) out[i] = text.charCodeAt(i);
  return out;
}

// Byte planes back to numbers, differences back to values.
export function column(planes, count, width, difference, before = null) {
  if (width > 4) return rows(planes, count, width);
  const out = new { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array }[width](count);
  if (width === 1) out.set(planes);
  else if (width === 2) for (let i = 0; i < count; i++) out[i] = planes[i] | planes[count + i] << 8;
  else for (let i = 0, j = count, k = 2 * count, l = 3 * count; i < count; i++, j++, k++, l++) out[i] = planes[i] | planes[j] << 8 | planes[k] << 16 | planes[l] << 24;
  if (difference === 2) for (let i = 0; i < count; i++) out[i] += before[i];
  if (difference === 1) for (let i = 1, sum = out[0]; i < count; i++) out[i] = sum = sum + out[i] | 0;
  return out;
}

// What has more bytes than a number is so many small ones.
function rows(planes, count, width) {
  const out = new Uint8Array(count * width);
  for (let i = 0, at = 0; i < count; i++) for (let k = i; k < planes.length; k += count) out[at++] = planes[k];
  return out;
}

// 0 stands for the text before.
function fillIn(list, at) {
  let before = "";
  for (const row of list) before = row[at] = row[at] === 0 ? before : row[at];
}

export function makeRun(head, columns) {
  fillIn(head.lanes, 2), fillIn(head.paths, 1), fillIn(head.paths, 2);
  const run = { ...head, ...columns, base: columns, fine: null, head, n: head.lanes.length, none: columns.peer.BYTES_PER_ELEMENT === 2 ? 65535 : 4294967295 };
  run.paths = head.paths.map(([parent, name, file, line], i) => ({ parent: i ? parent : -1, name: name || "outside of all functions", file, line }));
  run.label = head.lanes.map(([process, thread]) => thread > 4e9 ? `${process}` : `${process}.${thread}`);
  run.laneOfProcess = new Map(head.lanes.map(([process], lane) => [process, lane]).reverse());
  run.nodes = head.lanes.map(([, , node]) => node);
  run.hull = [run.focus[0][0], run.focus.at(-1)[1]];
  if (run.hull[1] <= run.hull[0]) run.hull = [0, run.end];
  run.longestMessage = columns.longestMessage = longest(run.messageLength);
  run.pyramid = pyramid(run);
  return run;
}

// How long each lane waited or lost time otherwise, in the focus.
export const lostBy = (run) => run.label.map((_, lane) => run.time.filter(([kind]) => kind === "waiting" || kind === "unexplained").reduce((sum, row) => sum + row[lane + 1], 0));

export function longest(lengths) {
  let most = 0;
  for (let i = 0; i < lengths.length; i++) if (lengths[i] > most) most = lengths[i];
  return most;
}

// First index in [low, high) whose value is above x. Stretches touch, so the one before it is the one at x.
export function above(values, x, low = 0, high = values.length) {
  while (low < high) {
    const mid = (low + high) >> 1;
    if (values[mid] <= x) low = mid + 1; else high = mid;
  }
  return low;
}

export const endOf = (run, lane, i) => i + 1 < run.first[lane + 1] ? run.begin[i + 1] : run.end;

export function stretchAt(run, lane, at) {
  return Math.max(run.first[lane], above(run.begin, at, run.first[lane], run.first[lane + 1]) - 1);
}

// What is mixed, bin by bin: each(from, to, shares, at, sum), the states' shares being those from `at` on, which are `sum`
// together. A part that was asked for (`fine`) has bins of its own.
export function mixedBins(run, lane, from, to, each) {
  const { fine } = run, row = fine?.rowOf.get(lane);
  if (row == null || to <= fine.from || from >= fine.to) { inBins(run, lane, 0, run.end, from, to, each); return; }
  if (from < fine.from) inBins(run, lane, 0, run.end, from, fine.from, each);
  inBins(fine, row, fine.from, fine.to, Math.max(from, fine.from), Math.min(to, fine.to), each);
  if (to > fine.to) inBins(run, lane, 0, run.end, fine.to, to, each);
}

function inBins({ shares, bins }, row, begin, end, low, high, each) { // the bins are those from begin to end
  const width = (end - begin) / bins;
  for (let bin = Math.floor((low - begin) / width); bin < bins && begin + bin * width < high; bin++) {
    const at = (row * bins + bin) * N, left = begin + bin * width;
    let sum = 0;
    for (let s = 0; s < N; s++) sum += shares[at + s];
    if (sum) each(Math.max(low, left), Math.min(high, left + width), shares, at, sum);
  }
}

// The same, added up by state.
export function addMixed(run, lane, from, to, states) {
  mixedBins(run, lane, from, to, (a, b, shares, at, sum) => addShares(states, 0, shares, at, b - a, sum));
}

function addShares(to, first, shares, at, length, sum = 0) {
  if (!sum) for (let s = 0; s < N; s++) sum += shares[at + s];
  for (let s = 0, each = sum ? length / sum : 0; s < N; s++) to[first + s] += each * shares[at + s];
}

// Of a lane that has many mixed stretches in each bin: how long they are there together comes first, what that was afterwards.
export function mixedLane(run) {
  const { shares, bins, end, fine } = run, width = end / bins, lengths = new Float64Array(bins);
  return {
    add(lane, from, to, states) {
      if (fine?.rowOf.has(lane)) addMixed(run, lane, from, to, states); else spread(lengths, 0, bins, width, from, to);
    },
    end(lane, states) {
      for (let bin = 0; bin < bins; bin++) if (lengths[bin]) { addShares(states, 0, shares, (lane * bins + bin) * N, lengths[bin]); lengths[bin] = 0; }
    },
  };
}

// Adds what lies between `from` and `to` to bins of `width`, of which the first is at `at`.
function spread(lengths, at, bins, width, from, to) {
  for (let bin = Math.floor(from / width); from < to && bin < bins; bin++) {
    const end = Math.min(to, (bin + 1) * width);
    lengths[at + bin] += end - from;
    from = end;
  }
}

// The same, state by state: each(from, to, state, share).
export function mixedParts(run, lane, from, to, each) {
  mixedBins(run, lane, from, to, (a, b, shares, at, sum) => {
    for (let s = 0; s < N; s++) if (shares[at + s]) each(a, b, s, shares[at + s] / sum);
  });
}

const STRETCH = ["begin", "state", "path", "peer", "find"];

// The columns of the run with those of a part in their place: of the part's lanes, from its begin to its end.
export function withPart(run, base, part) {
  const pieces = []; // [columns, from, to, where it begins], in the order of the lanes
  const first = new Uint32Array(run.n + 1);
  let n = 0;
  const take = (columns, from, to, begin = null) => { if (to > from) { pieces.push([columns, from, to, begin]); n += to - from; } };
  for (let lane = 0; lane < run.n; lane++) {
    const from = base.first[lane], to = base.first[lane + 1], row = part.rowOf.get(lane);
    first[lane] = n;
    if (row == null) { take(base, from, to); continue; }
    const before = above(base.begin, part.from - 1, from, to), behind = Math.max(from, above(base.begin, part.to, from, to) - 1);
    take(base, from, before);
    take(part, part.first[row], part.first[row + 1]);
    if (part.to < run.end) take(base, behind, to, Math.max(part.to, base.begin[behind]));
  }
  first[run.n] = n;
  const out = { first };
  for (const name of STRETCH) {
    const numbers = out[name] = roomFor(base, name, n);
    let at = 0;
    for (const [columns, from, to, begin] of pieces) {
      numbers.set(columns[name].subarray(from, to), at);
      if (name === "begin" && begin != null) numbers[at] = begin;
      at += to - from;
    }
  }
  return out;
}

// What was made for the part before is no longer looked at: a million fresh numbers would cost more than to write them.
function roomFor(base, name, n) {
  const kept = base.room ??= {};
  if (!(kept[name]?.length >= n)) kept[name] = new base[name].constructor(n + (n >> 3));
  return kept[name].subarray(0, n);
}

// Bins of the finest level: so many that all levels together stay small.
function finest(run) {
  let bins = run.bins || 4096;
  while (!run.bins && bins > 64 && bins * run.n * N > 1 << 22) bins /= 2;
  return bins;
}

// levels[0] is the finest: the time per state in each bin of each lane, and as bits (`used`) which ones have any; every further
// level has half as many bins. With a test of what is lit, bins have twice the slots: what is not lit is counted N further on.
export function pyramid(run, isLit = null) {
  const bins = finest(run), slots = isLit ? 2 * N : N, width = run.end / bins, levels = [{ bins, slots, width, shares: new Float32Array(run.n * bins * slots), used: new Uint32Array(run.n * bins) }];
  fillBins(run, levels[0], isLit);
  while (levels.at(-1).bins > 64) levels.push(halved(levels.at(-1)));
  return levels;
}

function halved(finer) { // made when somebody looks at it
  const { bins, slots, width } = finer;
  let made = null;
  const look = () => made ??= inPairs(finer);
  return { bins: bins / 2, slots, width: width * 2, get shares() { return look().shares; }, get used() { return look().used; } };
}

function inPairs({ shares: from, used: fromUsed, slots }) {
  const shares = new Float32Array(from.length / 2), used = new Uint32Array(fromUsed.length / 2);
  for (let bin = 0; bin < fromUsed.length; bin++) {
    used[bin >> 1] |= fromUsed[bin];
    for (let left = fromUsed[bin]; left; left &= left - 1) { const s = 31 - Math.clz32(left & -left); shares[(bin >> 1) * slots + s] += from[bin * slots + s]; }
  }
  return { shares, used };
}

function fillBins(run, level, isLit) {
  const { bins, slots, width, shares, used } = level, { begin, first, state, fine } = run;
  const mixed = Array.from({ length: run.bins ? slots / N : 0 }, () => new Float32Array(run.n * bins)); // how long it is, of what is lit and of what is not
  const add = (bin, slot, length) => { shares[bin * slots + slot] += length, used[bin] |= 1 << slot; };
  for (let lane = 0; lane < run.n; lane++) {
    const own = lane * bins, isFine = fine?.rowOf.has(lane);
    for (let i = first[lane], last = first[lane + 1]; i < last; i++) {
      const end = i + 1 < last ? begin[i + 1] : run.end, dim = isLit && !isLit(i) ? 1 : 0;
      if (state[i] === MIXED) {
        if (!isFine) spread(mixed[dim], own, bins, width, begin[i], end);
        else mixedParts(run, lane, begin[i], end, (a, b, s, share) => add(own + Math.min(bins - 1, Math.floor(a / width)), s + dim * N, (b - a) * share));
        continue;
      }
      let a = begin[i], bin = Math.floor(a / width);
      for (; a < end && bin < bins; bin++) {
        const b = Math.min(end, (bin + 1) * width);
        add(own + bin, state[i] + dim * N, b - a);
        a = b;
      }
    }
  }
  mixed.forEach((lengths, dim) => fillMixed(run, level, lengths, dim * N));
}

function fillMixed(run, { slots, shares, used }, lengths, dim) {
  for (let bin = 0; bin < lengths.length; bin++) {
    if (!lengths[bin]) continue;
    addShares(shares, bin * slots + dim, run.shares, bin * N, lengths[bin]);
    for (let s = 0; s < N; s++) if (run.shares[bin * N + s]) used[bin] |= 1 << s + dim;
  }
}

export function callPath(run, path) {
  const out = [];
  for (; path > 0; path = run.paths[path].parent) out.unshift(run.paths[path].name);
  return out.length ? out : [run.paths[0].name];
}

// By path: is it a call of the finding? Not all that findings count is waiting, which is drawn for itself.
export const callsOf = (run, { call, file, line }) => run.paths.map((p) => p.name === call && p.file === file && p.line === line);

export function isBelow(run, path, ancestor) {
  while (path > ancestor) path = run.paths[path].parent;
  return path === ancestor;
}

// Lanes as a tree: nodes, where there are several, and in them processes with several threads. A leaf has no parts.
export function groupsOf(run) {
  const by = (lanes, keyOf) => [...lanes.reduce((map, lane) => map.set(keyOf(lane), [...map.get(keyOf(lane)) ?? [], lane]), new Map())];
  const processes = (lanes) => by(lanes, (lane) => run.head.lanes[lane][0]).map(([process, own]) => own.length === 1 ? { lanes: own, parts: null }
    : { key: `p${process}`, name: `rank ${process}`, lanes: own, parts: own.map((lane) => ({ lanes: [lane], parts: null })) });
  const nodes = by([...run.label.keys()], (lane) => run.nodes[lane]);
  return nodes.length < 2 ? processes([...run.label.keys()]) : nodes.map(([name, lanes]) => ({ key: `n${name}`, name: name || "one node", lanes, parts: processes(lanes) }));
}

export const groupKeys = (groups) => groups.flatMap((g) => g.parts ? [g.key, ...groupKeys(g.parts)] : []);

// Which visit of its call path a stretch of a lane belongs to, and where the same one begins in another run: [lane, stretch].
export function visitOf(run, lane, i) {
  let n = 0;
  for (let k = run.first[lane]; k <= i; k++) n += run.path[k] === run.path[i] && (k === run.first[lane] || run.path[k - 1] !== run.path[k]);
  return n;
}

export function sameVisit(run, other, lane, i) {
  const name = callPath(run, run.path[i]).join("\n"), there = other.label.indexOf(run.label[lane]);
  let left = visitOf(run, lane, i);
  const isSame = other.paths.map((_, p) => callPath(other, p).join("\n") === name);
  for (let k = there < 0 ? Infinity : other.first[there]; k < other.first[there + 1]; k++) {
    left -= isSame[other.path[k]] && (k === other.first[there] || other.path[k - 1] !== other.path[k]);
    if (left === 0) return { lane: there, i: k };
  }
  return null;
}

// ---- what is asked for under `patscan view` ----

export const PART_AROUND = 0.25; // how much more than the screen, on each side

// Rising numbers as ranges: 0-7,12.
export function ranges(numbers) {
  const out = [];
  for (const n of numbers) {
    const last = out.at(-1);
    if (last && last[1] === n - 1) last[1] = n; else out.push([n, n]);
  }
  return out.map(([a, b]) => a === b ? `${a}` : `${a}-${b}`).join(",");
}

// And back.
export const lanesOf = (text) => text.split(",").filter(Boolean).flatMap((range) => {
  const [a, b = a] = range.split("-").map(Number);
  return Array.from({ length: b - a + 1 }, (_, k) => a + k);
});

// Does a part still show all that a view could?
export function covers(part, from, to, lanes) {
  if (!part || from < part.from || to > part.to || lanes.some((lane) => !part.rowOf.has(lane))) return false;
  return !part.isCoarse || part.to - part.from <= (to - from) * (1 + 3 * PART_AROUND);
}

// ---- numbers as people read them ----

export function time(ns, digits = 4) {
  if (ns === 0) return "0";
  const size = Number(Math.abs(ns).toPrecision(digits)), [scale, unit] = size >= 1e9 ? [1e9, "s"] : size >= 1e6 ? [1e6, "ms"] : size >= 1e3 ? [1e3, "us"] : [1, "ns"];
  return `${Number((ns / scale).toPrecision(digits))} ${unit}`;
}

export const percent = (x) => x > 0 && x < 0.0005 ? "<0.1 %" : `${(x * 100).toFixed(1)} %`;
export const count = (x) => x.toLocaleString("en");

export function bytes(x) {
  const [scale, unit] = x < 1e3 ? [1, "B"] : x < 1e6 ? [1e3, "kB"] : x < 1e9 ? [1e6, "MB"] : [1e9, "GB"];
  return `${Number((x / scale).toPrecision(3))} ${unit}`;
}

// Rounded to one digit so that they add up to exactly 100.0 (largest remainder).
export function wholeShares(values) {
  const total = values.reduce((a, b) => a + b, 0) || 1;
  const tenths = values.map((v) => v / total * 1000), floors = tenths.map(Math.floor);
  let left = 1000 - floors.reduce((a, b) => a + b, 0);
  const order = tenths.map((v, i) => [v - floors[i], i]).sort((a, b) => b[0] - a[0]);
  for (const [, i] of order) if (left-- > 0) floors[i]++;
  return floors.map((v) => v / 10);
}
