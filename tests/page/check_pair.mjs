// check_pair.mjs PREDICTED.html COMPARED.html - two runs above one another: they show the same stretch of time, counted from where
// their focus begins or from where an interval begins, and each moves the other.
import { barriers, chromium, launch } from "./browser.mjs";

if (!chromium) { console.log("no Chromium is installed"); process.exit(77); }
const browser = await launch();
let failed = 0;
const check = (name, holds, more = "") => { if (!holds) { failed++; console.log("FAILED", name, JSON.stringify(more)); } };
const near = (a, b, by) => Math.abs(a - b) <= by;

for (const file of process.argv.slice(2)) {
  const p = await browser.page(), name = (what) => `${file.split("/").at(-1)}: ${what}`;
  await p.open(`file://${file}`);
  const look = () => p.evaluate(() => {
    const { run, page, beside } = window.patscan, of = (r, s) => ({ from: s.from * r.tickNs, to: s.to * r.tickNs, begin: r.hull[0] * r.tickNs, title: r.title, sel: s.sel && { lane: s.sel.lane, begin: r.begin[s.sel.i] * r.tickNs } });
    return [of(run, page.state), of(beside.run, beside.page.state)];
  });
  const isLinked = ([a, b]) => near(a.from - a.begin, b.from - b.begin, 2) && near(a.to - a.begin, b.to - b.begin, 2);
  const first = await look();
  check(name("both runs are there by their names"), first[0].title && first[1].title && await p.evaluate("document.querySelectorAll('h3.which').length") === 4, first);
  check(name("something is drawn of the second one"), await p.evaluate(() => {
    const c = document.getElementById("timeline-beside"), { data } = c.getContext("2d").getImageData(0, 30, c.width, c.height - 30), seen = new Set();
    for (let i = 0; i < data.length; i += 4) seen.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
    return seen.size;
  }) > 4);
  check(name("they are aligned by their focus"), isLinked(first), first);
  await p.evaluate("document.querySelector('.stage.second').scrollIntoView({ behavior: 'instant', block: 'center' })");
  const box = await p.evaluate("(({ x, y, width }) => ({ x, y, width }))(document.getElementById('timeline-beside').getBoundingClientRect())");
  await p.move(box.x + box.width / 2, box.y + 60);
  await p.pause(500);
  await p.wheel(box.x + box.width / 2, box.y + 60, -300);
  await p.pause(150);
  const zoomed = await look();
  check(name("the second one moves the first"), isLinked(zoomed) && zoomed[0].to - zoomed[0].from < (first[0].to - first[0].from) * 0.9, zoomed);
  await p.evaluate("window.patscan.page.timeline.keys.d()");
  const moved = await look();
  check(name("the first one moves the second"), isLinked(moved) && moved[0].from > zoomed[0].from, moved);

  // The same visit of a call on the same rank, later in one run than in the other or not.
  const aligned = await p.evaluate(async () => {
    const { run, page, beside } = window.patscan, lane = 1;
    let i = run.first[lane];
    for (let n = 0; n < 3; i++) if (run.paths[run.path[i]].name.startsWith("MPI_Waitall") && run.path[i] !== run.path[i - 1] && ++n === 3) break;
    page.timeline.select(lane, i, true);
    page.set({ align: "interval" });
    await new Promise((done) => setTimeout(done, 400));
    const other = beside.page.state.sel, at = (r, k) => r.paths[r.path[k]].name;
    return { same: at(run, i) === at(beside.run, other.i) && other.lane === lane, offsets: [(run.begin[i] - page.state.from) * run.tickNs, (beside.run.begin[other.i] - beside.page.state.from) * beside.run.tickNs], hash: location.hash };
  });
  check(name("an interval aligns them"), aligned.same && near(...aligned.offsets, 2) && aligned.hash.includes("al=interval"), aligned);
  // What a call stack says of the time of a wait is the call path that the run has there, at the times of each run.
  const stacks = await p.evaluate(() => [window.patscan.run, window.patscan.beside.run].map((run) => {
    const place = run.places.find(({ worst }) => worst), [lane, from, to] = place.worst, at = (from + to) / 2;
    const { frames, names } = run.stacks.find((w) => w.lane === lane && w.from <= at && at < w.to), stack = [], path = [];
    for (let k = 0; k < frames.length; k += 4) if (frames[k] <= at && at < frames[k + 1]) stack[frames[k + 2]] = names[frames[k + 3]];
    let i = run.first[lane];
    while (i + 1 < run.first[lane + 1] && run.begin[i + 1] <= at) i++;
    for (let node = run.path[i]; node > 0; node = run.paths[node].parent) path.unshift(run.paths[node].name);
    return [stack.join(), path.join()];
  }));
  check(name("each run has its call stacks"), stacks.every(([stack, path]) => stack && stack === path), stacks);
  // The pictures are of either run.
  await p.until("document.getElementById('pictures').dataset.drawn !== undefined");
  const pictures = await p.evaluate(async () => {
    const { run, beside } = window.patscan, select = document.getElementById("pictures-of"), out = [];
    window.patscan.page.set({ span: null });
    for (const [k, of] of [run, beside.run].entries()) {
      select.value = String(k), select.dispatchEvent(new Event("change"));
      const figure = document.querySelector(".figure.ranks"), button = figure.querySelector("figcaption button");
      button.click();
      await new Promise((done) => setTimeout(done, 100));
      const computed = Array.from(figure.querySelectorAll("tbody tr"), (tr) => Number(tr.cells[1].textContent)).reduce((a, b) => a + b, 0);
      out.push([document.querySelectorAll("#pictures .figure").length, computed, of.time[0].slice(1).reduce((a, b) => a + b, 0) / 1e9]);
    }
    return out;
  });
  check(name("pictures of both runs"), pictures.every(([n, told, is]) => n >= 12 && near(told, is, 1e-7)), pictures);
  check(name("nothing to complain"), !p.complaints.length, p.complaints);
  await p.close();
  const found = await barriers(browser, `file://${file}`);
  check(name("nothing serious for those who do not see it"), !found.length, found);
  const phone = await browser.page({ width: 390, height: 844 });
  await phone.open(`file://${file}`);
  check(name("no sideways scrolling"), await phone.evaluate("document.documentElement.scrollWidth <= innerWidth"));
  await phone.close();
}
await browser.close();
console.log(failed ? `${failed} failed` : "all well");
process.exit(failed ? 1 : 0);
