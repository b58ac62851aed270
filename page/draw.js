// How lanes become pixels: gathers what each state has of each pixel column, and stacks it.
import { above, isWait, MIXED, mixedBins, N, STATES, stretchAt } from "./data.js";
import { css, h } from "./dom.js";

const RAW = 3000; // stretches that a lane has on the screen before the pyramid takes over
const AT_ONCE = 100000; // stretches of all lanes, before the pyramid stands for them together
const MANY = 128; // lanes: then it does earlier, and its bins may be a little wider than pixels
// From top to bottom of a pixel column: waits stand on the ground like bars, so that their heights can be compared.
const ORDER = [6, 8, 0, 9, 10, 7, 3, 4, 5, 2, 1];
const STACK = Uint8Array.of(...ORDER.map((k) => k + N), ...ORDER); // what is dimmed first
// Which states a column has, as bits, in the order in which they are stacked.
const STACKED = Uint16Array.from({ length: 1 << N }, (_, used) => ORDER.reduce((bits, s, k) => bits | (used >> s & 1) << k, 0));

// Colours from the style sheet, as pixels and as words.
export function readColours() {
  const g = h("canvas").getContext("2d", { willReadFrequently: true });
  const pixel = (text) => {
    g.fillStyle = text;
    g.fillRect(0, 0, 1, 1);
    const [r, gg, b] = g.getImageData(0, 0, 1, 1).data;
    return (255 << 24 | b << 16 | gg << 8 | r) >>> 0;
  };
  const ground = pixel(css("--ground"));
  const faint = (p) => [0, 8, 16].reduce((out, bit) => out | Math.round((p >> bit & 255) * 0.28 + (ground >> bit & 255) * 0.72) << bit, 255 << 24) >>> 0;
  const base = STATES.map((s) => pixel(css(`--${s.id}`))), ink = STATES.map((s, i) => isWait(i) ? pixel(css(`--${s.id}-ink`)) : base[i]);
  const dim = base.map(faint);
  return {
    ground, base: Uint32Array.of(...base, ...dim), ink: Uint32Array.of(...ink, ...dim),
    text: css("--ink"), muted: css("--muted"), line: css("--line"), paper: css("--ground"), accent: css("--accent"),
    library: css("--library"), frames: [css("--compute"), `color-mix(in srgb, ${css("--compute")} 70%, ${css("--ground")})`, `color-mix(in srgb, ${css("--compute")} 75%, ${css("--collective")})`], collective: css("--collective"), onCollective: css("--on-collective"), waitInk: css("--wait-ink"), cause: css("--cause"),
    font: `11px ${css("--sans")}`,
  };
}

// Columns of pixels that nothing is in yet: how much of each one every state has, as bits which ones have any, and where a
// column of pixels finds its own.
export const emptyColumns = (width) => ({ shares: new Float32Array(width * 2 * N), used: new Uint32Array(width), index: Uint32Array.from({ length: width }, (_, c) => c), first: 0 });

// `view`: { from, to }; `lit`: { test, levels } or null. acc: `width` columns, to which it is added; dimmed states are N slots
// further on. Returns how many stretches were looked at; 0: the pyramid was.
export function gather(run, view, acc, width, lane, lit) {
  const slots = lit ? 2 * N : N, scale = width / (view.to - view.from), { begin, state } = run, last = run.first[lane + 1];
  const first = stretchAt(run, lane, view.from), stop = above(begin, view.to, first, last);
  const level = isCrowded(run, view, lane) && levelOf(run, lit, scale, run.n > MANY ? 1.5 : 1);
  if (level) {
    gatherBins(level, view, acc, width, lane, slots);
    return 0;
  }
  let dim = 0;
  const mix = (a, b, shares, at, sum) => addMix(acc, slots, width, dim, (a - view.from) * scale, (b - view.from) * scale, shares, at, sum);
  for (let i = first; i < stop; i++) {
    const end = i + 1 < last ? begin[i + 1] : run.end;
    dim = lit && !lit.test(i) ? N : 0;
    if (state[i] !== MIXED) addPart(acc, slots, width, state[i] + dim, (begin[i] - view.from) * scale, (end - view.from) * scale, 1);
    else mixedBins(run, lane, Math.max(begin[i], view.from), Math.min(end, view.to), mix);
  }
  return stop - first;
}

// While many lanes move, each column of pixels takes the bin in its middle: columns of all lanes, of which one begins at
// lane * bins. null: no bins are as narrow as that.
export function nearestBins(run, view, width, lit) {
  const scale = width / (view.to - view.from), level = run.n > MANY && levelOf(run, lit, scale, 1.5);
  if (!level) return null;
  const index = Uint32Array.from({ length: width }, (_, c) => Math.min(level.bins - 1, Math.floor((view.from + (c + 0.5) / scale) / level.width)));
  return { ...level, index };
}

export const isCrowded = (run, view, lane) => countOf(run, view, lane) > (run.n > MANY ? RAW / 10 : RAW);
const countOf = (run, view, lane) => above(run.begin, view.to, run.first[lane], run.first[lane + 1]) - stretchAt(run, lane, view.from);
const levelOf = (run, lit, scale, most) => (lit ? lit.levels : run.pyramid).findLast((l) => l.width * scale <= most); // the widest bins of at most so many pixels

// What all lanes together have, where there are many: false, and nothing, if bins are too coarse and there are few enough
// stretches to look at, unless the view moves.
export function gatherAll(run, view, acc, width, moves, lit) {
  if (run.n <= MANY) return false;
  const level = levelOf(run, lit, width / (view.to - view.from), 1.5) ?? ((moves || countIn(run, view) > AT_ONCE) && (lit ? lit.levels : run.pyramid)[0]);
  if (!level) return false;
  gatherBins(togetherOf(level), view, acc, width, 0);
  return true;
}

function countIn(run, view) {
  let n = 0;
  for (let lane = 0; lane < run.n; lane++) n += countOf(run, view, lane);
  return n;
}

// A level of the pyramid with the sums of all lanes, made once.
export function togetherOf(level) {
  if (level.all) return level.all;
  const shares = new Float32Array(level.bins * level.slots), used = new Uint32Array(level.bins);
  for (let bin = 0; bin < level.used.length; bin++) addColumn(shares, used, bin % level.bins, level, bin, level.slots);
  return level.all = { ...level, shares, used };
}

function addColumn(shares, used, to, from, at, slots) {
  used[to] |= from.used[at];
  for (let left = from.used[at]; left; left &= left - 1) {
    const s = 31 - Math.clz32(left & -left);
    shares[to * slots + s] += from.shares[at * slots + s];
  }
}

export function addColumns(to, from, width, slots) {
  for (let c = 0; c < width; c++) addColumn(to.shares, to.used, c, from, c, slots);
}

function addPart({ shares, used }, slots, width, slot, a, b, share) {
  if (b <= 0 || a >= width) return;
  a = a > 0 ? a : 0, b = b < width ? b : width;
  const ca = a | 0, cb = b | 0, bit = 1 << slot;
  used[ca] |= bit;
  if (ca === cb) { shares[ca * slots + slot] += (b - a) * share; return; }
  shares[ca * slots + slot] += (ca + 1 - a) * share;
  for (let c = ca + 1; c < cb; c++) shares[c * slots + slot] += share, used[c] |= bit;
  if (cb < width) shares[cb * slots + slot] += (b - cb) * share, used[cb] |= bit;
}

// All states of a bin at once: `from` has their shares from `at` on, which are `sum` together.
function addMix({ shares, used }, slots, width, dim, a, b, from, at, sum) {
  if (b <= 0 || a >= width) return;
  a = a > 0 ? a : 0, b = b < width ? b : width;
  let bits = 0;
  for (let s = 0; s < N; s++) if (from[at + s]) bits |= 1 << s + dim;
  for (let c = a | 0; c < b; c++) {
    const part = ((b < c + 1 ? b : c + 1) - (a > c ? a : c)) / sum;
    used[c] |= bits;
    for (let s = 0, to = c * slots + dim; s < N; s++) shares[to + s] += from[at + s] * part;
  }
}

function gatherBins({ bins, shares, used, slots, width: binWidth }, view, acc, width, lane) {
  const scale = width / (view.to - view.from), size = binWidth * scale, to = Math.min(bins, Math.ceil(view.to / binWidth));
  for (let bin = Math.max(0, Math.floor(view.from / binWidth)); bin < to; bin++) {
    const x = (bin * binWidth - view.from) * scale, c = Math.floor(x), next = Math.min(1, Math.max(0, (x + size - c - 1) / size));
    const at = lane * bins + bin, isNext = next && c + 1 < width;
    if (size <= 1 && c >= 0) acc.used[c] |= used[at];
    if (size <= 1 && isNext) acc.used[c + 1] |= used[at];
    for (let left = used[at]; left; left &= left - 1) { // one of at most a pixel lies in one column or in two
      const s = 31 - Math.clz32(left & -left), part = shares[at * slots + s] * scale;
      if (size > 1) { addPart(acc, slots, width, s, x, x + size, part / size); continue; }
      if (c >= 0) acc.shares[c * slots + s] += part * (1 - next);
      if (isNext) acc.shares[(c + 1) * slots + s] += part * next;
    }
  }
}

// Pixels are written by hand: a rectangle for each stretch would be fifty times slower at 10^6 of them. `row`: where, in
// pixels; `each`: how many pixels a whole lane's share is high.
export function paintRow(pixels, width, row, { shares, used, index, first }, slots, colours, phase) {
  const { top, bottom, each, hatch } = row, { base, ink } = colours, end = bottom * width, period = Math.round(5 * row.ratio), thick = Math.round(2 * row.ratio);
  for (let c = 0; c < width; c++) {
    const column = first + index[c], states = used[column];
    let at = top * width + c, sum = 0.5, done = 0;
    for (let left = STACKED[states >> N] | STACKED[states & (1 << N) - 1] << N; left; left &= left - 1) {
      const slot = STACK[31 - Math.clz32(left & -left)];
      sum += shares[column * slots + slot] * each;
      if ((sum | 0) === done) continue; // less than a pixel
      done = sum | 0;
      const stop = Math.min(end, (top + done) * width), colour = base[slot];
      if (!hatch || ink[slot] === colour) { for (; at < stop; at += width) pixels[at] = colour; continue; }
      const way = slot === 1 ? 1 : period - 1;
      for (let k2 = c + phase + Math.floor(at / width) * way; at < stop; at += width, k2 += way) pixels[at] = k2 % period < thick ? ink[slot] : colour;
    }
  }
}

// The same of bins that stand for the columns, see nearestBins().
export function paintBins(pixels, width, row, level, lane, colours, phase) {
  paintRow(pixels, width, { ...row, each: row.each / level.width }, { ...level, first: lane * level.bins }, level.slots, colours, phase);
}

export function arrow(g, x0, y0, x1, y1, head) {
  g.beginPath();
  g.moveTo(x0, y0), g.lineTo(x1, y1);
  g.stroke();
  if (!head || Math.hypot(x1 - x0, y1 - y0) < 8) return;
  const way = Math.atan2(y1 - y0, x1 - x0);
  g.beginPath();
  g.moveTo(x1, y1);
  g.lineTo(x1 - head * Math.cos(way - 0.4), y1 - head * Math.sin(way - 0.4));
  g.lineTo(x1 - head * Math.cos(way + 0.4), y1 - head * Math.sin(way + 0.4));
  g.fill();
}
