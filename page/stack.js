// A lane that is open: below it stand the functions that it was in, as they were recorded, one in the other.
import { time } from "./data.js";

const FRAME = 14, DEEPEST = 16, MARKS = 10000;

// What is known of the call stack of a lane somewhere in a span: windows that the file has, or what was asked for.
export function windowsOf(run, state) {
  const own = state.stack?.lane === state.open ? [state.stack] : (run.stacks ?? []).filter((w) => w.lane === state.open);
  return own.filter((w) => w.to > state.from && w.from < state.to);
}

export const depthOf = (windows) => {
  let deepest = -1;
  for (const { frames } of windows) for (let k = 2; k < frames.length; k += 4) deepest = Math.max(deepest, frames[k]);
  return Math.min(DEEPEST, deepest + 1);
};

export const heightOf = (run, state) => FRAME * Math.max(1, depthOf(windowsOf(run, state))) + 6;

// Why there is none, or what is missing of it.
export function missing(run, state, windows) {
  if (!run.stacks && !run.served) return "The call stack cannot be told: only files in OTF2 are read again, and only if nothing in them was moved.";
  if (!run.stacks) return "The call stack cannot be told: this format cannot be read from the middle.";
  if (windows.length) return "";
  return run.served ? "Reading the call stack \u2026" : "This file has call stacks around the longest waits; patscan view has them anywhere.";
}

function hueOf(name) { // the same for the same function
  let n = 0;
  for (const c of name) n = (n * 31 + c.codePointAt(0)) >>> 0;
  return n % 3;
}

export function drawStack(g, run, state, view) {
  const { x, top, width, colours } = view, windows = windowsOf(run, state), say = missing(run, state, windows);
  g.font = colours.font, g.textBaseline = "middle";
  if (say) { g.fillStyle = colours.muted, g.fillText(say, 8, top + FRAME / 2 + 2); return; }
  g.fillStyle = colours.muted;
  const more = run.served ? "Reading \u2026" : "not in this file; patscan view has it", wide = g.measureText(more).width + 16;
  for (const [a, b] of gapsOf(windows, state.from, state.to)) if (x(b) - x(a) > wide) g.fillText(more, x(a) + 8, top + FRAME / 2 + 2);
  let marks = 0;
  for (const { from, to, frames, names } of windows) {
    for (let k = 0; k < frames.length && marks < MARKS; k += 4) { // beside the window nobody knows what was in them
      const a = Math.max(0, x(Math.max(from, frames[k]))), b = Math.min(width, x(Math.min(to, frames[k + 1]))), depth = frames[k + 2], name = names[frames[k + 3]];
      if (b <= 0 || a >= width || depth >= DEEPEST) continue;
      const y = top + depth * FRAME, isLibrary = /^(MPI|PMPI|SHMEM|shmem|upc)_/i.test(name);
      g.fillStyle = isLibrary ? colours.library : colours.frames[hueOf(name)];
      g.fillRect(a, y, Math.max(0.5, b - a - (b - a > 3 ? 1 : 0)), FRAME - 1);
      marks++;
      if (b - a < 34) continue;
      g.fillStyle = colours.text;
      g.save(), g.beginPath(), g.rect(a, y, b - a - 3, FRAME), g.clip();
      g.fillText(name, a + 4, y + FRAME / 2);
      g.restore();
    }
  }
}

// Where nothing is known, as far as it is in view: [from, to].
export function gapsOf(windows, from, to) {
  const gaps = [];
  let at = from;
  for (const w of [...windows].sort((p, q) => p.from - q.from)) {
    if (w.from > at) gaps.push([at, Math.min(to, w.from)]);
    at = Math.max(at, w.to);
  }
  return at < to ? [...gaps, [at, to]] : gaps;
}

// The function at a place of the row; null: none.
export function frameAt(run, state, t, y) {
  const depth = Math.floor(y / FRAME);
  for (const { from, to, frames, names } of windowsOf(run, state)) {
    for (let k = 0; k < frames.length && from <= t && t < to; k += 4) {
      if (frames[k + 2] === depth && frames[k] <= t && t < frames[k + 1]) return { name: names[frames[k + 3]], length: time((frames[k + 1] - frames[k]) * run.tickNs), begin: time(frames[k] * run.tickNs, 6), lane: state.open };
    }
  }
  return null;
}
