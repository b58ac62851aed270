// How lanes become pixels: gathers what each state has of each pixel column, and stacks it.
import { above, isWait, MIXED, mixedBins, N, STATES, stretchAt } from "./data.js";
import { css, h } from "./dom.js";

const RAW = 3000; // stretches that a lane has on the screen before the pyramid takes over
const AT_ONCE = 100000; // stretches of all lanes, before the pyramid stands for them together
const MANY = 128; // lanes: then it does earlier, and its bins may be a little wider than pixels
// From top to bottom of a pixel column: waits stand on the ground like bars, so that their heights can be compared.
const ORDER = [6, 8, 0, 7, 3, 4, 5, 2, 1];
const STACK = [...ORDER.map((k) => k + N), ...ORDER]; // what is dimmed first

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

// `view`: { from, to }; `lit`: { test, levels } or null. acc: for each of `width` columns, how much of it each state has;
// dimmed states are N slots further on. Returns how many stretches were looked at; 0: the pyramid was.
export function gather(run, view, acc, width, lane, lit) {
  const slots = lit ? 2 * N : N, scale = width / (view.to - view.from), { begin, state } = run, last = run.first[lane + 1];
  const first = stretchAt(run, lane, view.from), stop = above(begin, view.to, first, last);
  const isMany = run.n > MANY, level = stop - first > (isMany ? RAW / 10 : RAW) && (lit ? lit.levels : run.pyramid).findLast((l) => l.width * scale <= (isMany ? 1.5 : 1)); // bins below a pixel
  if (level) {
    gatherBins(level, view, acc, width, lane, slots);
    return 0;
  }
  for (let i = first; i < stop; i++) {
    const end = i + 1 < last ? begin[i + 1] : run.end;
    const dim = lit && !lit.test(i) ? N : 0;
    if (state[i] !== MIXED) {
      addPart(acc, slots, width, state[i] + dim, (begin[i] - view.from) * scale, (end - view.from) * scale, 1);
      continue;
    }
    mixedBins(run, lane, Math.max(begin[i], view.from), Math.min(end, view.to), (a, b, shares, at, sum) => {
      for (let s = 0; s < N; s++) if (shares[at + s]) addPart(acc, slots, width, s + dim, (a - view.from) * scale, (b - view.from) * scale, shares[at + s] / sum);
    });
  }
  return stop - first;
}

// What all lanes together have, where there are many: false, and nothing, if bins are too coarse and there are few enough
// stretches to look at, unless the view moves.
export function gatherAll(run, view, acc, width, moves, lit) {
  if (run.n <= MANY) return false;
  const levels = lit ? lit.levels : run.pyramid, level = levels.findLast((l) => l.width * width / (view.to - view.from) <= 1.5) ?? ((moves || countIn(run, view) > AT_ONCE) && levels[0]);
  if (!level) return false;
  gatherBins(togetherOf(level), view, acc, width, 0);
  return true;
}

function countIn(run, view) {
  let n = 0;
  for (let lane = 0; lane < run.n; lane++) n += above(run.begin, view.to, run.first[lane], run.first[lane + 1]) - stretchAt(run, lane, view.from);
  return n;
}

// A level of the pyramid with the sums of all lanes, made once.
export function togetherOf(level) {
  const row = level.bins * level.slots, shares = new Float32Array(level.all ? 0 : row);
  if (!level.all) for (let at = 0; at < level.shares.length; at += row) for (let k = 0; k < row; k++) shares[k] += level.shares[at + k];
  return level.all ??= { ...level, shares };
}

function addPart(acc, slots, width, slot, a, b, share) {
  if (b <= 0 || a >= width) return;
  a = a > 0 ? a : 0, b = b < width ? b : width;
  const ca = a | 0, cb = b | 0;
  if (ca === cb) { acc[ca * slots + slot] += (b - a) * share; return; }
  acc[ca * slots + slot] += (ca + 1 - a) * share;
  for (let c = ca + 1; c < cb; c++) acc[c * slots + slot] += share;
  if (cb < width) acc[cb * slots + slot] += (b - cb) * share;
}

function gatherBins({ bins, shares, slots, width: binWidth }, view, acc, width, lane) {
  const scale = width / (view.to - view.from), size = binWidth * scale, to = Math.min(bins, Math.ceil(view.to / binWidth));
  for (let bin = Math.max(0, Math.floor(view.from / binWidth)); bin < to; bin++) {
    const x = (bin * binWidth - view.from) * scale, c = Math.floor(x), next = Math.min(1, Math.max(0, (x + size - c - 1) / size));
    const at = (lane * bins + bin) * slots;
    for (let s = 0; s < slots; s++) { // one of at most a pixel lies in one column or in two
      const part = shares[at + s] * scale;
      if (part === 0) continue;
      if (size > 1) { addPart(acc, slots, width, s, x, x + size, part / size); continue; }
      if (c >= 0) acc[c * slots + s] += part * (1 - next);
      if (next && c + 1 < width) acc[(c + 1) * slots + s] += part * next;
    }
  }
}

// Pixels are written by hand: a rectangle for each stretch would be fifty times slower at 10^6 of them. `row`: where, in
// pixels; `each`: how many pixels a whole lane's share is high.
export function paintRow(pixels, width, row, acc, slots, colours, phase) {
  const { top, bottom, each, hatch } = row, { base, ink } = colours, end = bottom * width, period = Math.round(5 * row.ratio), thick = Math.round(2 * row.ratio);
  for (let c = 0; c < width; c++) {
    let at = top * width + c, sum = 0;
    for (let k = slots > N ? 0 : N; k < STACK.length; k++) {
      const slot = STACK[k], share = acc[c * slots + slot];
      if (share === 0) continue;
      sum += share * each;
      const stop = Math.min(end, (top + Math.round(sum)) * width), colour = base[slot];
      if (!hatch || ink[slot] === colour) { for (; at < stop; at += width) pixels[at] = colour; continue; }
      const way = slot === 1 ? 1 : period - 1;
      for (let k2 = c + phase + Math.floor(at / width) * way; at < stop; at += width, k2 += way) pixels[at] = k2 % period < thick ? ink[slot] : colour;
    }
  }
}
