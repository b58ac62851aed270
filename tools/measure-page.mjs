// measure-page.mjs PAGE.html|ADDRESS ... - how fast pages are, for a quiet machine: the size of the file, how long it takes from
// navigation until all is ready (median of 5), from an event to the end of its drawing while one zooms and moves (median of
// 60, and what 95 % stay below), when the picture is sharp again, and, of an address that patscan view printed, when the part
// that is on the screen is there, and its sums. A window of 1440 x 900, 1x, without a graphics processor.
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { launch } from "../tests/page/browser.mjs";

const DRAWS = 60, median = (values) => at(values, 0.5);
const at = (values, share) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];
const ms = (values) => `${median(values).toFixed(1)} ms (95 % below ${at(values, 0.95).toFixed(1)})`;

// Wheel, keys and a drag come as from a hand: one event a frame, each of which asks for a drawing.
async function inMotion(page, act) {
  await page.evaluate(() => {
    window.draws = [];
    let begin = 0;
    const names = ["wheel", "keydown", "pointermove"];
    window.stopDraws = () => names.forEach((name) => { removeEventListener(name, starts, true); removeEventListener(name, ends); });
    const starts = () => { begin = performance.now(); };
    const ends = () => { const own = begin; requestAnimationFrame(() => window.draws.push(performance.now() - own)); }; // behind the page's own
    names.forEach((name) => { addEventListener(name, starts, { capture: true, passive: true }); addEventListener(name, ends, { passive: true }); });
  });
  for (let k = 0; k < DRAWS; k++) { await act(k); await page.pause(20); }
  return page.evaluate("window.stopDraws(), window.draws");
}

// From the last event to the drawing that has all pixels.
async function untilSharp(page, act) {
  await page.evaluate(() => {
    const { putImageData } = CanvasRenderingContext2D.prototype, wide = document.getElementById("timeline").width;
    CanvasRenderingContext2D.prototype.putImageData = function put(image, ...rest) { if (image.width === wide) window.sharp = performance.now(); return putImageData.call(this, image, ...rest); };
    addEventListener("wheel", () => { window.last = performance.now(); }, { capture: true, passive: true });
  });
  const waits = [];
  for (let k = 0; k < 5; k++) {
    for (let i = 0; i < 6; i++) { await act(i); await page.pause(16); }
    await page.pause(700);
    waits.push(await page.evaluate("window.sharp - window.last"));
  }
  return waits;
}

// Under patscan view: from an event to the drawing of what was asked for, and to the sums in the panel beside it; null: the page
// holds all that there is to show.
async function untilServed(page, share) {
  return page.evaluate(async (part) => {
    const { run, page: { state, timeline } } = window.patscan, width = (run.hull[1] - run.hull[0]) * part, from = run.hull[0] + (run.hull[1] - run.hull[0] - width) * Math.random();
    const before = state.part, begin = performance.now(), drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    let summed = 0;
    const watch = new MutationObserver(() => { summed = performance.now(); });
    watch.observe(document.querySelector(".lens"), { childList: true });
    timeline.show(from, from + width);
    while ((!state.part || state.part === before) && performance.now() - begin < 3000) await new Promise((done) => setTimeout(done, 2));
    if (!state.part || state.part === before) return null;
    const came = performance.now();
    await drawn();
    const sharp = performance.now();
    while (summed < came && performance.now() - came < 3000) await new Promise((done) => setTimeout(done, 2));
    watch.disconnect();
    return [sharp - begin, summed - begin];
  }, share);
}

const cpu = async (page) => (await page.call("Performance.getMetrics")).metrics.find(({ name }) => name === "ThreadTime").value * 1000;

const browser = await launch();
for (const name of process.argv.slice(2)) {
  const isServed = name.startsWith("http"), url = isServed ? name : `file://${resolve(name)}`, page = await browser.page({ width: 1440, height: 900 }), ready = [];
  await page.call("Performance.enable");
  for (let k = 0; k < 5; k++) { await page.open(url); ready.push(await page.evaluate("window.patscan.ready")); }
  const told = await page.evaluate("({ lanes: window.patscan.run.n, stretches: window.patscan.run.begin.length })");
  console.log(`${name}: ${isServed ? "" : `${(statSync(name).size / 2 ** 20).toFixed(2)} MiB, `}${told.lanes} lanes, ${told.stretches} stretches, ready after ${median(ready).toFixed(0)} ms (${ready.map(Math.round).join(" ")})`);
  await page.evaluate("document.querySelector('.timeline').scrollIntoView({ behavior: 'instant' }), window.patscan.page.timeline.box.focus()");
  const { x, y } = await page.evaluate("(({ x, y, width }) => ({ x: x + width / 2, y: y + 60 }))(document.getElementById('timeline').getBoundingClientRect())");
  await page.move(x, y);
  await page.pause(700);
  for (const [words, share, prepare] of [["whole focus", 1], ["a tenth", 0.1], ["a hundredth", 0.01], ["whole focus, a finding chosen", 1, "window.patscan.page.set({ place: window.patscan.run.places.length ? 0 : null })"]]) {
    await page.evaluate(`(({ run, page }, k) => { ${prepare ?? ""}; const w = (run.hull[1] - run.hull[0]) * k; page.timeline.show(run.hull[0] + w / 3, run.hull[0] + w * 4 / 3); })(window.patscan, ${share})`);
    await page.pause(500);
    const zooms = await inMotion(page, (k) => page.wheel(x, y, k % 2 ? 30 : -30)), moves = await inMotion(page, (k) => page.press(k % 2 ? "d" : "a"));
    console.log(`  ${words}: zooms ${ms(zooms)}, moves ${ms(moves)}`);
  }
  console.log(`  sharp ${Math.round(median(await untilSharp(page, (k) => page.wheel(x, y, k % 2 ? 30 : -30))))} ms after the last event`);
  for (const share of isServed ? [1, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001] : []) {
    const waits = [], times = [];
    for (let k = 0; k < 5; k++) {
      await page.pause(800);
      const before = await cpu(page);
      waits.push(await untilServed(page, share)), times.push(await cpu(page) - before);
    }
    const told = waits.filter((wait) => wait != null);
    console.log(`  served: ${share} of the focus ${told.length ? `${ms(told.map((v) => v[0]))}, its sums ${ms(told.map((v) => v[1]))}, of which the page's script takes ${ms(times)}` : "the page has all that there is to show"}`);
  }
  await page.close();
}
await browser.close();
