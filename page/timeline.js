// The timeline: lanes over time on two canvases. The lower one has the run and is drawn when the view changes; the upper
// one has what follows the pointer. Both are drawn at most once a frame.
import { above, callPath, callsOf, endOf, groupKeys, groupsOf, isBelow, isWait, lostBy, MIXED, N, pyramid, STATES, stretchAt, time } from "./data.js";
import { canvas, h, onWidth, say } from "./dom.js";
import { addColumns, arrow, emptyColumns, gather, gatherAll, isCrowded, nearestBins, paintBins, paintRow, readColours, togetherOf } from "./draw.js";
import { addPointers } from "./pointers.js";
import { drawStack, frameAt, heightOf } from "./stack.js";

const RULER = 22, HEAD = 18, MAP = 34, SUM = 48, TALLEST = 660, FOOT = SUM + 6;
const FRAME = 16, LINES = 1200, OWN_LINES = 80, NAMES = 400, FRAMES = 2000, ROOM_AROUND = 20;

export function timeline(run, page, stage, id = "timeline") {
  const { state } = page, everyLane = [...run.label.keys()];
  const gutter = h("div", { class: "gutter" }), box = h("div", {
    class: "lanes", tabindex: "0", role: "application", "aria-roledescription": "timeline",
    "aria-label": `Timeline of ${run.n} lanes. W and S zoom, A and D move, comma and dot go from interval to interval, question mark lists all keys.`,
  });
  const mapBox = h("div", { class: "map" }), scroller = h("div", { class: "scroller" }, gutter, box);
  stage.append(h("div", { class: "corner" }), mapBox, scroller);
  let rows = [], tall = 0, high = 0, colours, under, over, small, pointer = null, pending = 0, drawnAt = 0, frames = [];
  const low = canvas(box, () => high, { id, role: "img", "aria-label": "States of all ranks over time" });
  const top = canvas(box, () => high, { class: "over", "aria-hidden": "true" });
  const mini = canvas(mapBox, () => MAP, { role: "img", "aria-label": "The whole run and the part that is shown" });

  // ---- lanes ----
  const lost = lostBy(run), mostLost = Math.max(...lost) || 1;
  const groups = groupsOf(run), meanLost = (lanes) => lanes.reduce((a, l) => a + lost[l], 0) / lanes.length;

  function layOut() {
    const isFlat = state.order === "waiting", heads = isFlat ? 0 : groupKeys(groups).length;
    const least = run.n <= 64 ? 9 : run.n <= 150 ? 4 : 3;
    const size = Math.max(least, Math.min(56, Math.floor((400 - heads * HEAD) / run.n)));
    rows = [], tall = RULER;
    const push = (row) => { rows.push({ ...row, y: tall }); tall += row.h; };
    const sorted = (items) => state.order === "number" ? items : [...items].sort((a, b) => meanLost(b.lanes) - meanLost(a.lanes));
    const place = (items, depth) => {
      for (const item of sorted(items)) {
        const closed = item.parts && state.closed.includes(item.key);
        if (item.parts) push({ group: item, h: HEAD, head: true, closed, depth });
        if (closed) push({ lanes: item.lanes, h: Math.max(size, 20) });
        else if (item.parts) place(item.parts, depth + 1);
        else push({ lane: item.lanes[0], lanes: item.lanes, h: size });
        if (!item.parts && state.open === item.lanes[0]) push({ stack: true, lanes: [], h: heightOf(run, state) });
      }
    };
    place(isFlat ? everyLane.map((lane) => ({ lanes: [lane], parts: null })) : groups, 0);
    tall += FOOT;
    high = Math.min(tall, TALLEST);
    rows.push({ all: true, lanes: everyLane, h: SUM, y: tall - SUM }); // what all do together: utilisation over time
    scroller.style.height = `${high}px`;
    box.style.height = `${tall}px`;
    labelLanes(size);
  }

  function labelLanes(size) {
    const step = Math.ceil(12 / size), mean = (lanes) => meanLost(lanes) / mostLost;
    gutter.replaceChildren(...rows.filter((row) => !row.all).map((row, i) => row.head
      ? h("button", { class: "node", "aria-expanded": String(!row.closed), vars: { top: `${row.y}px`, "--depth": row.depth }, onclick: () => fold(row.group) }, row.group.name)
      : row.stack ? h("div", { class: "lane", "data-label": "", vars: { top: `${row.y}px`, height: `${row.h}px`, "--lost": 0 } })
      : h("div", { class: row.h < 12 ? "lane low" : "lane", title: row.lane == null ? null : "Its call stack", onclick: row.lane == null ? null : () => page.set({ open: state.open === row.lane ? null : row.lane }), "data-label": row.lane == null ? `${run.label[row.lanes[0]]}-${run.label[row.lanes.at(-1)]}` : (state.order === "number" ? row.lane : i) % step ? "" : run.label[row.lane],
        vars: { top: `${row.y}px`, height: `${row.h}px`, "--lost": mean(row.lanes) } })),
    h("div", { class: "foot", vars: { "--top": `${high - FOOT}px`, height: `${FOOT}px` } }, "all"),
    h("div", { class: "gutter-head", title: "Bars: how long each one waited, the longest being full" }, "waits"));
    gutter.style.height = `${tall}px`;
  }

  function fold({ key, name }) {
    page.set({ closed: state.closed.includes(key) ? state.closed.filter((k) => k !== key) : [...state.closed, key] });
    gutter.querySelectorAll(".node").forEach((b) => b.textContent === name && b.focus());
  }
  let scroll = 0; // how many pixels of the lanes are above what is shown
  const yOf = (row) => row.all ? high - SUM : row.y - scroll;
  const isSeen = (row) => !row.all && yOf(row) + row.h > RULER && yOf(row) < high - FOOT;
  const rowOf = (lane) => rows.find((row) => !row.head && !row.all && (row.lane === lane || row.lane == null && row.lanes.includes(lane)));
  const rowAt = (y) => y < high - FOOT && y > RULER ? rows.find((row) => !row.head && !row.all && y >= yOf(row) && y < yOf(row) + row.h) : null;
  const middles = new Map();
  const middle = (lane) => {
    if (!middles.has(lane)) { const row = rowOf(lane); middles.set(lane, row ? row.y + row.h / 2 : 0); }
    return middles.get(lane) - scroll;
  };

  // ---- drawing ----
  const span = () => state.to - state.from;
  const x = (t) => (t - state.from) / span() * under.width;
  const t = (px) => state.from + px / under.width * span();
  let image = null, raster, pixels, acc, sum; // kept between frames: a fresh image of this size costs more than drawing it
  let slow = false, resting = 0; // a full frame took too long: while the view moves, half the pixels do

  function makeRoom(W, H) {
    if (image?.width === W && image.height === H) return;
    image = under.g.createImageData(W, H), pixels = new Uint32Array(image.data.buffer), raster = h("canvas", { width: W, height: H });
    acc = emptyColumns(W), sum = emptyColumns(W);
  }

  function pixelRow(row, ratio, H) {
    const y = yOf(row), begin = Math.max(0, Math.round((y + 1) * ratio)), size = Math.max(1, Math.round((row.h - (row.h > 12 ? 3 : row.h > 4 ? 1 : 0)) * ratio));
    return { top: begin, bottom: Math.min(H, begin + size), each: size / row.lanes.length, hatch: row.h >= 14, ratio };
  }

  function drawLanes(coarse) {
    const { g, width, height, ratio } = under, part = coarse ? 2 : 1, ry = Math.max(1, ratio / part);
    const W = Math.ceil(low.el.width / part), H = Math.round(low.el.height * ry / ratio), lit = litTest(), slots = lit ? 2 * N : N, named = [];
    makeRoom(W, H);
    pixels.fill(colours.ground), sum.shares.fill(0), sum.used.fill(0);
    const isSummed = gatherAll(run, state, sum, W, coarse, lit), bins = coarse ? nearestBins(run, state, W, lit) : null, phase = Math.floor(state.from / span() * W) % Math.round(5 * ry);
    for (const row of rows) {
      const isIn = row.all || isSeen(row);
      if (row.head || row.stack || !isIn && isSummed) continue;
      if (row.all) { paintRow(pixels, W, pixelRow(row, ry, H), sum, slots, colours, phase); continue; }
      if (!isIn) { for (const lane of row.lanes) gather(run, state, sum, W, lane, lit); continue; }
      if (bins && row.lane != null && isCrowded(run, state, row.lane)) {
        paintBins(pixels, W, pixelRow(row, ry, H), bins, row.lane, colours, phase);
        continue;
      }
      acc.shares.fill(0, 0, W * slots), acc.used.fill(0);
      for (const lane of row.lanes) {
        const n = gather(run, state, acc, W, lane, lit);
        if (n && n < NAMES && row.lane != null && row.h >= 16) named.push(row);
      }
      paintRow(pixels, W, pixelRow(row, ry, H), acc, slots, colours, phase);
      if (!isSummed) addColumns(sum, acc, W, slots);
    }
    if (tall > high) clearFoot(W, H, ry);
    if (!coarse) g.putImageData(image, 0, 0);
    else { raster.getContext("2d").putImageData(image, 0, 0), g.imageSmoothingEnabled = false, g.drawImage(raster, 0, 0, width, height); }
    return named;
  }

  function clearFoot(W, H, ry) { // lanes that reach below where they are shown
    pixels.fill(colours.ground, Math.round((high - FOOT) * ry) * W, Math.round((high - SUM) * ry) * W);
  }

  function drawUnder(coarse = false) {
    const began = performance.now(), { g, width, height } = under;
    const named = drawLanes(coarse);
    drawOutside(g, width, height);
    g.save(), g.beginPath(), g.rect(0, RULER, width, high - FOOT - RULER), g.clip();
    drawBands(g, width);
    for (const row of named) drawNames(g, row);
    for (const row of rows) if (row.stack) drawStack(g, run, state, { x, top: yOf(row) + 2, width, colours });
    drawCauses(g);
    drawMessages(g);
    if (state.critical) drawCritical(g);
    if (state.place != null) drawFinding(g);
    g.restore();
    drawRuler(g, width);
    if (!coarse) slow = performance.now() - began > 11;
    clearTimeout(resting);
    if (coarse) resting = setTimeout(() => request(), 110);
    frames.push(performance.now() - began);
    if (frames.length > FRAMES) frames = frames.slice(-FRAMES / 2);
  }

  let litNow = null; // what is lit, as a test and as a pyramid; made when it changes
  function litTest() {
    if (!state.lit && state.place == null) return litNow = null;
    if (litNow && litNow.words === state.lit && litNow.place === state.place) return litNow;
    const { lit: words, place } = state, lights = words ?? (run.find.includes(place) ? null : callsOf(run, run.places[place])), test = lights ? (i) => lights[run.path[i]] : (i) => run.find[i] === place;
    return litNow = { words, place, test, levels: pyramid(run, test) };
  }

  function drawOutside(g, width, height) { // what lies outside the focus is veiled
    g.fillStyle = colours.paper, g.globalAlpha = 0.6;
    let at = 0;
    for (const [a, b] of [...run.focus, [run.end, run.end]]) {
      const x0 = Math.max(0, x(at)), x1 = Math.min(width, x(a));
      if (x1 > x0) g.fillRect(x0, RULER, x1 - x0, height);
      at = b;
    }
    g.globalAlpha = 1;
  }

  function drawBands(g, width) {
    const bottom = high - FOOT - RULER;
    let i = above(run.collectiveBegin, state.from);
    while (i > 0 && run.collectiveEnd[i - 1] > state.from) i--;
    const stop = above(run.collectiveBegin, state.to);
    if (stop - i > width / 24) return;
    for (; i < stop; i++) {
      const a = x(run.collectiveBegin[i]), b = x(run.collectiveEnd[i]), late = x(run.collectiveLast[i]), y = middle(run.collectiveLane[i]);
      g.fillStyle = colours.collective, g.globalAlpha = 0.07;
      g.fillRect(a, RULER, Math.max(1, b - a), bottom);
      if (b - a < 6) continue;
      g.globalAlpha = 0.9;
      g.fillRect(Math.round(late), RULER, 1, bottom);
      g.beginPath(); // a mark on the lane of the one who came last
      g.moveTo(late - 5, y - 5), g.lineTo(late, y), g.lineTo(late - 5, y + 5);
      g.fill();
    }
    g.globalAlpha = 1;
  }

  function drawNames(g, row) {
    const last = run.first[row.lane + 1], y = yOf(row);
    g.font = colours.font, g.textBaseline = "middle";
    for (let i = stretchAt(run, row.lane, state.from); i < last && run.begin[i] < state.to; i++) {
      const a = Math.max(0, x(run.begin[i])), b = Math.min(under.width, x(endOf(run, row.lane, i))), s = run.state[i];
      if (b - a > 3 && x(run.begin[i]) > 0) { g.fillStyle = colours.paper; g.fillRect(Math.round(a), y + 1, 1, row.h - 3); }
      if (b - a < 38 || s === 6) continue;
      const peer = run.peer[i] === run.none ? null : run.label[run.peer[i]];
      let text = s === MIXED ? "many short ones" : isWait(s) ? peer == null ? "waits" : `waits for ${peer}` : run.paths[run.path[i]].name;
      if (g.measureText(text).width > b - a - 10) text = isWait(s) && peer != null ? peer : "";
      if (!text) continue;
      const w = g.measureText(text).width;
      if (isWait(s)) { g.fillStyle = colours.paper; g.fillRect(a + 4, y + row.h / 2 - 8, w + 6, 14); }
      g.fillStyle = s === 4 ? colours.onCollective : colours.text;
      g.globalAlpha = s === 0 ? 0.75 : 1;
      g.fillText(text, a + 7, y + row.h / 2 - 0.5);
      g.globalAlpha = 1;
    }
  }

  function drawMessages(g) {
    const first = above(run.messageBegin, state.from - run.longestMessage), stop = above(run.messageBegin, state.to), n = stop - first;
    const limit = state.place == null ? LINES : OWN_LINES; // a finding brings its own lines
    page.counts = { messages: n, limit, drawn: n <= limit && state.messages };
    if (!page.counts.drawn) return;
    g.strokeStyle = g.fillStyle = colours.text, g.globalAlpha = n < 150 ? 0.6 : 0.22;
    for (let i = first; i < stop; i++) {
      arrow(g, x(run.messageBegin[i]), middle(run.messageFrom[i]), x(run.messageBegin[i] + run.messageLength[i]), middle(run.messageTo[i]), n < 150 ? 6 : 0);
    }
    g.globalAlpha = 1;
  }

  // Where those who make others wait do what takes them so long.
  function drawCauses(g) {
    if (!state.causes) return;
    g.strokeStyle = colours.cause, g.lineWidth = 1.5;
    let drawn = 0;
    for (const [lane, path] of run.causes.slice(0, 3)) {
      const row = rowOf(lane), first = stretchAt(run, lane, state.from), stop = above(run.begin, state.to, first, run.first[lane + 1]);
      if (!row || row.lane == null || stop - first > 20000) continue;
      for (let i = first; i < stop && drawn < FRAMES; i++) {
        if (![0, 3, 4, 7, 9, 10].includes(run.state[i])) continue; // not what itself waits
        const a = x(run.begin[i]), b = x(endOf(run, lane, i));
        if (b - a < 3 || !isBelow(run, run.path[i], path)) continue;
        g.strokeRect(Math.max(-4, a) + 0.75, yOf(row) + 1.25, Math.min(under.width + 4, b) - Math.max(-4, a) - 1.5, row.h - (row.h > 12 ? 3 : 2));
        drawn++;
      }
    }
    g.lineWidth = 1;
  }

  function drawCritical(g) {
    for (const [width, colour] of [[5, colours.paper], [2, colours.text]]) {
      g.strokeStyle = colour, g.lineWidth = width, g.lineJoin = "round";
      g.beginPath();
      const first = Math.max(0, above(run.stepBegin, state.from) - 1), stop = above(run.stepBegin, state.to);
      const skip = Math.max(1, Math.ceil((stop - first) / 5000));
      for (let i = first; i < stop; i += skip) {
        const row = rowOf(run.stepLane[i]), y = row ? yOf(row) + (row.h >= 16 ? row.h - 7 : row.h / 2) : 0; // below the names
        g.lineTo(x(run.stepBegin[i]), y), g.lineTo(x(run.stepEnd[i]), y);
      }
      g.stroke();
    }
    g.lineWidth = 1;
  }

  // The waits of the chosen finding that can be told apart: who ended them, and a frame about the worst one.
  function drawFinding(g) {
    let drawn = 0;
    g.strokeStyle = g.fillStyle = colours.waitInk;
    for (const row of rows) for (const lane of row.head || !isSeen(row) ? [] : row.lanes) {
      const first = stretchAt(run, lane, state.from), stop = above(run.begin, state.to, first, run.first[lane + 1]);
      if (stop - first > 3000) continue;
      for (let i = first; i < stop && drawn < NAMES; i++) {
        if (run.find[i] !== state.place || run.peer[i] === run.none) continue;
        const end = endOf(run, lane, i);
        if (x(end) - x(run.begin[i]) < 3) continue;
        arrow(g, x(end), middle(run.peer[i]), x(end), middle(lane), 6);
        drawn++;
      }
    }
    const { worst } = run.places[state.place];
    if (worst) frame(g, worst[0], worst[1], worst[2], colours.waitInk, 2);
  }

  function frame(g, lane, from, to, colour, width) {
    const row = rowOf(lane);
    if (!row) return;
    const a = Math.max(-4, x(from)), b = Math.min(under.width + 4, x(to));
    g.strokeStyle = colour, g.lineWidth = width;
    g.strokeRect(a, yOf(row) + 0.5, Math.max(2, b - a), row.h - (row.h > 12 ? 2 : 1));
    g.lineWidth = 1;
  }

  function ticks(width) {
    const rough = span() * run.tickNs / (width / 110), power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough), out = [];
    for (let v = Math.ceil(state.from * run.tickNs / step) * step; v <= state.to * run.tickNs; v += step) out.push(v);
    return { out, step };
  }
  // All labels of a ruler have one unit and as many digits as the step needs.
  function label(v, step, digits = step) {
    const [scale, unit] = step >= 1e8 ? [1e9, "s"] : step >= 1e5 ? [1e6, "ms"] : step >= 100 ? [1e3, "us"] : [1, "ns"];
    return `${(v / scale).toFixed(Math.min(9, Math.max(0, Math.ceil(-Math.log10(digits / scale) - 1e-9))))} ${unit}`;
  }
  function drawRuler(g, width) {
    const { out, step } = ticks(width);
    g.fillStyle = colours.paper;
    g.fillRect(0, 0, width, RULER);
    g.font = colours.font, g.textBaseline = "middle";
    for (const v of out) {
      const px = Math.round(x(v / run.tickNs));
      g.fillStyle = colours.line;
      g.fillRect(px, RULER - 6, 1, 6);
      g.fillStyle = colours.muted;
      if (px < width - 40) g.fillText(label(v, step), px + 4, RULER / 2);
    }
    g.fillStyle = colours.line;
    g.fillRect(0, RULER - 1, width, 1);
  }

  function drawSpan(g, width, height) {
    const [a, b] = state.span.map(x);
    g.fillStyle = colours.accent;
    g.globalAlpha = 0.1, g.fillRect(a, 0, b - a, height);
    g.globalAlpha = 1, g.fillRect(a, 0, 1, height), g.fillRect(b - 1, 0, 1, height);
    g.font = `600 ${colours.font}`, g.textBaseline = "middle", g.textAlign = "center";
    const text = time((state.span[1] - state.span[0]) * run.tickNs), w = g.measureText(text).width + 12, mid = Math.max(w / 2, Math.min(width - w / 2, (a + b) / 2));
    g.fillRect(mid - w / 2, 2, w, RULER - 4);
    g.fillStyle = colours.paper, g.fillText(text, mid, RULER / 2), g.textAlign = "left";
  }

  function drawSelected(g) {
    const { lane, i } = state.sel;
    frame(g, lane, run.begin[i], endOf(run, lane, i), colours.text, 2);
    if (run.peer[i] === run.none) return;
    const end = x(endOf(run, lane, i));
    g.strokeStyle = g.fillStyle = colours.text, g.lineWidth = 1.5;
    arrow(g, end, middle(run.peer[i]), end, middle(lane), 7);
    g.lineWidth = 1;
  }

  function drawOver() {
    const { g, width, height } = over;
    g.clearRect(0, 0, width, height);
    if (state.span) drawSpan(g, width, height);
    g.save(), g.beginPath(), g.rect(0, RULER, width, high - FOOT - RULER), g.clip();
    if (state.sel) drawSelected(g);
    const hit = hitTest();
    if (hit && !hit.frame) frame(g, hit.lane, run.begin[hit.i], endOf(run, hit.lane, hit.i), colours.text, 1);
    g.restore();
    if (!pointer) return;
    const px = Math.round(pointer.x), { step } = ticks(width), text = label(t(px) * run.tickNs, step, step / 50);
    g.fillStyle = colours.text;
    g.globalAlpha = 0.35, g.fillRect(px, RULER, 1, height), g.globalAlpha = 1;
    g.font = colours.font, g.textBaseline = "middle";
    const w = g.measureText(text).width + 10, left = Math.max(0, Math.min(width - w, px - w / 2));
    g.fillRect(left, 3, w, RULER - 7), g.fillStyle = colours.paper, g.fillText(text, left + 5, RULER / 2);
  }

  let backdrop = null; // the map without its frame: changes with size and colours only
  function paintMap() {
    const W = mini.el.width, H = mini.el.height, level = run.pyramid.find((l) => l.bins <= 1024) ?? run.pyramid.at(-1), scale = W / run.end;
    const picture = small.g.createImageData(W, H), columns = emptyColumns(W), { shares, used } = togetherOf(level);
    for (let c = 0; c < W; c++) {
      const bin = Math.min(level.bins - 1, Math.floor(c / scale / level.width));
      columns.used[c] = used[bin];
      for (let s = 0; s < N; s++) columns.shares[c * N + s] = shares[bin * N + s] / level.width;
    }
    const target = new Uint32Array(picture.data.buffer);
    target.fill(colours.ground);
    paintRow(target, W, { top: 0, bottom: H, each: H / run.n, hatch: false, ratio: small.ratio }, columns, N, colours, 0);
    backdrop = picture;
  }
  function drawMap() {
    const { g, width } = small;
    if (!backdrop) paintMap();
    g.putImageData(backdrop, 0, 0);
    const a = state.from / run.end * width, b = Math.max(a + 3, state.to / run.end * width);
    g.fillStyle = colours.paper, g.globalAlpha = 0.6;
    g.fillRect(0, 0, a, MAP), g.fillRect(b, 0, width, MAP);
    g.globalAlpha = 1, g.strokeStyle = colours.text, g.lineWidth = 1.5;
    g.strokeRect(Math.max(0.75, a), 0.75, Math.min(width, b) - Math.max(0.75, a) - 0.75, MAP - 1.5);
  }

  // After the event that asked for it, without waiting for the next frame, unless one was drawn a moment ago.
  function request(what = "all") {
    if (!pending) (performance.now() - drawnAt > FRAME ? queueMicrotask : requestAnimationFrame)(drawPending);
    pending = Math.max(pending, { over: 1, move: 2, all: 3 }[what]);
  }

  function drawPending() {
    const what = pending;
    pending = 0;
    if (what > 1) { drawUnder(what === 2 && slow); drawMap(); }
    if (what) { drawOver(); drawnAt = performance.now(); }
  }

  function drawAll(coarse) { pending = 0; drawUnder(coarse); drawMap(); drawOver(); }

  function layOutAnew() {
    layOut();
    middles.clear();
    under = low.fit(), over = top.fit(), small = mini.fit(), backdrop = image = null;
  }

  function resize() {
    layOutAnew();
    drawAll(); // at once: a canvas of a new size is empty
  }

  // ---- moving ----
  const least = Math.max(20, 200 / run.tickNs);
  function show(from, to) {
    const length = Math.min(run.end, Math.max(Math.min(least, run.end), to - from));
    from = Math.max(0, Math.min(run.end - length, from));
    page.set({ from, to: from + length });
  }
  const zoom = (factor, at = (state.from + state.to) / 2) => show(at - (at - state.from) * factor, at + (state.to - at) * factor);
  const move = (share) => show(state.from + span() * share, state.to + span() * share);
  function glide(from, to) { // long jumps are shown on the way, unless motion is unwanted
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) { show(from, to); return; }
    const [a, b, start] = [state.from, state.to, performance.now()];
    const step = (now) => {
      const k = Math.max(0, Math.min(1, (now - start) / 220)), ease = 1 - (1 - k) ** 3;
      show(a + (from - a) * ease, b + (to - b) * ease);
      if (k < 1) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  function hitTest() {
    const row = pointer && rowAt(pointer.y);
    if (row?.stack) { const inStack = frameAt(run, state, t(pointer.x), pointer.y - yOf(row) - 2); return inStack ? { frame: inStack } : null; }
    return row && row.lane != null ? { lane: row.lane, i: stretchAt(run, row.lane, t(pointer.x)) } : null;
  }

  function reveal(lane) {
    const row = rowOf(lane);
    if (row && (yOf(row) < RULER || yOf(row) + row.h > high - FOOT)) scroller.scrollTop = row.y - high / 2;
  }
  function select(lane, i, isShown = false) {
    page.set({ sel: { lane, i } });
    reveal(lane);
    const a = run.begin[i], b = endOf(run, lane, i), room = (b - a) * ROOM_AROUND;
    if (isShown && (b - a < span() / 200 || a < state.from || b > state.to)) glide(a - room / 2, b + room / 2);
    say(describe(lane, i));
  }
  function describe(lane, i) {
    const s = run.state[i], peer = run.peer[i] === run.none ? "" : ` (rank ${run.label[run.peer[i]]})`;
    const what = s === MIXED ? "many short ones" : `${run.paths[run.path[i]].name}, ${STATES[s].name.toLowerCase()}${peer}`;
    return `Rank ${run.label[lane]}: ${what}, ${time((endOf(run, lane, i) - run.begin[i]) * run.tickNs)} at ${time(run.begin[i] * run.tickNs)}`;
  }

  addPointers({
    run, page, box, mapBox, scroller, show, zoom, move, glide, span, timeAt: t, hitTest, select,
    frame: low.el, width: () => under.width, isTall: () => tall > high, ruler: RULER,
    point: (at) => { pointer = at; request("over"); },
    scrolled: (y) => { scroll = y; page.set({ scroll: y }); request("move"); },
  });

  // ---- keys that belong to the timeline ----
  const step = (way) => {
    const { lane, i } = state.sel ?? { lane: 0, i: stretchAt(run, 0, (state.from + state.to) / 2) }, next = i + way;
    if (next >= run.first[lane] && next < run.first[lane + 1]) select(lane, next, true);
  };
  const change = (way) => {
    const shown = rows.filter((r) => r.lane != null), { lane, i } = state.sel ?? { lane: shown[0]?.lane, i: run.first[shown[0]?.lane] };
    const next = shown[shown.findIndex((r) => r.lane === lane) + way];
    if (next) select(next.lane, stretchAt(run, next.lane, (run.begin[i] + endOf(run, lane, i)) / 2));
  };
  const nextWait = (way) => { // the next wait in time, of any rank, of the chosen finding if one is chosen
    const at = state.sel ? run.begin[state.sel.i] : state.from;
    let best = null;
    for (const lane of everyLane) {
      for (let i = stretchAt(run, lane, at) + (way > 0 ? 1 : -1); i >= run.first[lane] && i < run.first[lane + 1]; i += way) {
        if (!isWait(run.state[i]) || state.place != null && run.find[i] !== state.place || run.begin[i] === at) continue;
        if (!best || (run.begin[i] - best.begin) * way < 0) best = { lane, i, begin: run.begin[i] };
        break;
      }
    }
    if (best) select(best.lane, best.i, true);
  };
  const keys = {
    w: () => zoom(0.7), s: () => zoom(1 / 0.7), a: () => move(-0.2), d: () => move(0.2),
    ArrowUp: () => state.sel ? change(-1) : zoom(0.7), ArrowDown: () => state.sel ? change(1) : zoom(1 / 0.7), ArrowLeft: () => move(-0.1), ArrowRight: () => move(0.1),
    ",": () => step(-1), ".": () => step(1), e: () => page.set({ open: state.sel && state.open !== state.sel.lane ? state.sel.lane : null }), n: () => nextWait(1), p: () => nextWait(-1),
    f: () => state.span ? glide(...state.span) : glide(...run.hull), F: () => glide(0, run.end),
    Home: () => show(0, span()), End: () => show(run.end - span(), run.end),
  };
  box.addEventListener("keydown", (e) => { if (e.key.startsWith("Arrow") || e.key === "Home" || e.key === "End") { e.preventDefault(); keys[e.key](); } });

  page.listen((changed) => {
    if (["closed", "order", "open", "stack"].some((k) => changed.has(k)) || state.open != null && rows.some((r) => r.stack && r.h !== heightOf(run, state))) { resize(); return; }
    const has = (...names) => names.some((k) => changed.has(k));
    request(has("place", "lit", "critical", "messages", "causes", "part") ? "all" : has("from", "to") ? "move" : "over");
  });
  colours = readColours();
  layOutAnew();
  onWidth(stage, resize, stage.clientWidth);
  return {
    keys, select, show, glide, box, describe,
    shown: () => rows.filter((r) => !r.head && isSeen(r)).flatMap((r) => r.lanes).sort((a, b) => a - b), draw: drawAll,
    repaint: () => { colours = readColours(); backdrop = null; request(); },
    measure: (draws) => { frames = []; draws(drawAll); return frames; },
    path: (i) => callPath(run, run.path[i]),
  };
}
