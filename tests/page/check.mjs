// check.mjs PAGE.html REPORT.json - what the page does in a browser: it draws, zooms, moves, selects, searches, jumps and keeps
// its view in the address, says the numbers of the report, and the console stays empty.
import { readFileSync } from "node:fs";
import { barriers, chromium, launch } from "./browser.mjs";

if (!chromium) { console.log("no Chromium is installed"); process.exit(77); }
const [, , file, json] = process.argv, report = JSON.parse(readFileSync(json, "utf8")), url = `file://${file}`;
const browser = await launch();
let failed = 0;
const check = (name, holds, more = "") => { if (!holds) { failed++; console.log("FAILED", name, JSON.stringify(more)); } };
const near = (a, b, by) => Math.abs(a - b) <= by;

const p = await browser.page();
await p.open(url);
const look = () => p.evaluate(() => {
  const { from, to, sel, span, place, query, critical, closed } = window.patscan.page.state;
  return { from, to, sel, span, place, query, critical, closed };
});
const rest = () => p.pause(120);
const key = async (...keys) => { for (const k of keys) { await p.press(k); await rest(); } };

// -- what it says
check("it counts the findings", await p.evaluate("+document.documentElement.dataset.findings") === report.findings.length);
check("the timeline is a canvas", await p.evaluate("document.getElementById('timeline').tagName") === "CANVAS");
const shares = await p.evaluate("Array.from(document.querySelectorAll('#shares .legend b'), (b) => parseFloat(b.textContent))");
check("the bar adds up to 100.0 %", near(shares.reduce((a, b) => a + b, 0), 100, 1e-9), shares);
const told = await p.evaluate("Object.fromEntries(window.patscan.run.time.map(([kind, ...ns]) => [kind, ns.reduce((a, b) => a + b, 0) / 1e9]))");
for (const { kind, time_s } of report.time) check(`time: ${kind}`, near(told[kind], time_s, 1e-7), [told[kind], time_s]);
const focus = report.trace.focus, begin = await look();
const { tickNs, n, end } = await p.evaluate("({ tickNs: window.patscan.run.tickNs, n: window.patscan.run.n, end: window.patscan.run.end })");
check("it opens on the focus", near(begin.from * tickNs / 1e9, focus.begin_s, 2e-9) && near(begin.to * tickNs / 1e9, focus.end_s, 2e-9), begin);
const seen = await p.evaluate(() => {
  const c = document.getElementById("timeline"), { data } = c.getContext("2d").getImageData(0, 30, c.width, c.height - 30), parts = new Map();
  for (let i = 0; i < data.length; i += 4) { const colour = (1 << 24 | data[i] << 16 | data[i + 1] << 8 | data[i + 2]).toString(16).slice(1); parts.set(colour, (parts.get(colour) ?? 0) + 4 / data.length); }
  const style = getComputedStyle(document.documentElement), of = (id) => parts.get(style.getPropertyValue(`--${id}`).trim().slice(1)) ?? 0;
  return { colours: parts.size, compute: of("compute"), wait: of("wait") + of("wait-ink") };
});
check("lanes are drawn", seen.colours > 4 && seen.compute > 0.1 && seen.wait > 0.01, seen);

// -- moving
await p.evaluate("document.querySelector('.timeline').scrollIntoView({ behavior: 'instant' })");
const box = await p.evaluate("(({ x, y, width }) => ({ x, y, width }))(document.getElementById('timeline').getBoundingClientRect())");
const X = (k) => box.x + box.width * k, Y = box.y + 60;
await p.move(X(0.5), Y);
await p.pause(500);
await p.wheel(X(0.5), Y, -300);
await rest();
let now = await look();
check("the wheel zooms at the pointer", now.to - now.from < (begin.to - begin.from) * 0.9 && near((now.from + now.to) / 2, (begin.from + begin.to) / 2, (begin.to - begin.from) * 0.02), now);
let before = now;
await p.drag(X(0.5), Y, X(0.3), Y);
now = await look();
check("a drag moves", now.from > before.from && near(now.to - now.from, before.to - before.from, 1), [before, now]);
before = now;
await key("w");
check("w zooms in", (await look()).to - (await look()).from < before.to - before.from);
before = await look();
await key("a");
check("a moves", (await look()).from < before.from);
await key("d");
check("d moves back", near((await look()).from, before.from, 1));
await p.drag(X(0.4), Y, X(0.6), Y, 8);
await p.pause(200);
now = await look();
check("shift and drag select a span", now.span?.length === 2 && near(now.span[1] - now.span[0], (now.to - now.from) * 0.2, (now.to - now.from) * 0.02), now);
const option = await p.evaluate("document.querySelector('.lens .copy code').textContent"), asked = /^--from ([\d.]+)us --to ([\d.]+)us$/.exec(option);
check("the panel tells the span as options", asked && near(asked[1] * 1e3, now.span[0] * tickNs, 2) && near(asked[2] * 1e3, now.span[1] * tickNs, 2), option);
const sums = await p.evaluate("Array.from(document.querySelectorAll('.lens ul:first-of-type .num'), (e) => e.textContent.startsWith('<') ? 0.05 : parseFloat(e.textContent))");
check("the panel's states add up", near(sums.reduce((a, b) => a + b, 0), 100, 0.6), sums);
await key("f");
now = await look();
check("f fits the span", near(now.from, now.span[0], 1) && near(now.to, now.span[1], 1), now);
await key("Escape", "f");
check("f fits the focus", near((await look()).from, begin.from, 1));
await key("F");
check("F shows the whole run", (await look()).from === 0 && (await look()).to === end);
await key("f");

// -- selecting
await p.click(X(0.5), Y);
await rest();
now = await look();
check("a click selects", now.sel !== null, now);
await key(".");
check(". goes to the next interval", (await look()).sel.i === now.sel.i + 1);
await key(",", "n");
check("n goes to a wait", await p.evaluate("[1, 2].includes(window.patscan.run.state[window.patscan.page.state.sel.i])"));
await key("c");
check("c shows the critical path", (await look()).critical);
await p.pause(400);

// -- the address
const address = await p.evaluate("location.href");
now = await look();
const q = await browser.page();
await q.open(address);
const again = await q.evaluate(() => { const { from, to, sel, critical } = window.patscan.page.state; return { from, to, sel, critical }; });
check("the address keeps the view", near(again.from, now.from, 2) && near(again.to, now.to, 2) && again.sel?.i === now.sel.i && again.critical, [again, now]);
await q.close();
await key("c", "Escape");

// -- search and findings
await key("/");
const call = report.findings[0].callpath.at(-1);
await p.type(call);
await p.press("Enter");
await p.pause(300);
now = await look();
check("search finds a call", now.query === call && now.sel && await p.evaluate("window.patscan.run.paths[window.patscan.run.path[window.patscan.page.state.sel.i]].name") === call, now);
await key("Escape", "Escape");
const jumped = await p.evaluate(async () => {
  document.querySelector(".findings .actions button").click();
  await new Promise((done) => setTimeout(done, 400));
  const { run, page: { state } } = window.patscan, [lane, from, to] = run.places[state.place].worst, { i } = state.sel;
  return { place: state.place, sel: state.sel, shown: state.from <= from && state.to >= to, lane, hit: run.begin[i] <= (from + to) / 2, open: document.querySelector(".lens .picked") !== null };
});
check("a finding shows its worst instance", jumped.sel.lane === jumped.lane && jumped.shown && jumped.hit && jumped.open, jumped);
check("and back", await p.evaluate(() => { window.patscan.page.openPlace(window.patscan.page.state.place); return document.querySelector(".findings .chosen") !== null; }));
const named = await browser.page();
await named.open(`${url}#${await p.evaluate("window.patscan.run.places[0].id")}`);
await named.pause(400);
check("an address of a finding chooses it in the timeline, too", await named.evaluate(() => {
  const { run, page: { state } } = window.patscan, [lane, from, to] = run.places[0].worst;
  return state.place === 0 && state.sel.lane === lane && state.from <= from && state.to >= to && document.querySelector(".findings .chosen").id === run.places[0].id;
}));
await named.close();
await key("Escape", "?");
check("? lists the keys", await p.evaluate("document.getElementById('help').open"));
await key("Escape");
check("lanes can be sorted", await p.evaluate(async () => {
  const select = document.querySelector(".pick select");
  select.value = "waiting";
  select.dispatchEvent(new Event("change"));
  await new Promise((done) => setTimeout(done, 100));
  return document.querySelectorAll(".gutter .lane").length;
}) === n);

// -- the list of findings
await key("Escape");
const list = (changes) => p.evaluate(async (wanted) => {
  const { run, page } = window.patscan;
  page.set({ fp: "", fr: "", ff: "", fw: "", fs: "lost", ...wanted });
  await new Promise((done) => setTimeout(done, 400));
  const byId = new Map(run.places.map((place) => [place.id, place]));
  return { places: Array.from(document.querySelectorAll("#findings .findings > li:not([hidden])"), (li) => { const { id, type: pattern, title, lost } = byId.get(li.id); return { id, type: pattern, title, lost }; }), hash: location.hash };
}, changes);
const every = await list({}), type = every.places.at(-1).type, byPattern = await list({ fp: type });
check("findings are sorted by what was lost", every.places.every((f, i, a) => !i || a[i - 1].lost >= f.lost), every.places);
check("a pattern is chosen", byPattern.places.length > 0 && byPattern.places.length < every.places.length && byPattern.places.every((f) => f.type === type), byPattern.places);
check("the address keeps what is chosen", byPattern.hash.includes(`fp=${type}`), byPattern.hash);
const ofRank = await list({ fr: "2" }), expected = new Set(report.findings.filter((f) => f.process === 2).map((f) => `${f.site}`));
check("a rank is chosen", ofRank.places.length > 0 && ofRank.places.every((f) => expected.has(f.id.split("-")[1])) && every.places.filter((f) => expected.has(f.id.split("-")[1])).length === ofRank.places.length, ofRank.places);
check("a file that is not there has none", (await list({ ff: "none.c" })).places.length === 0);
const byTitle = await list({ fs: "pattern" });
check("they are sorted by pattern", byTitle.places.map((f) => f.title).join() === byTitle.places.map((f) => f.title).sort((a, b) => a.localeCompare(b)).join(), byTitle.places);
await list({});
check("each finding has its formula and its advice", await p.evaluate("Array.from(document.querySelectorAll('#findings .findings > li'), (li) => /Lost is /.test(li.textContent) && li.querySelector('.advice') !== null).every(Boolean)"));
check("nothing leads to an editor unasked", await p.evaluate("document.querySelectorAll('a.editor:not([hidden])').length") === 0);
const links = await p.evaluate(() => {
  const [scheme, root] = [document.querySelector(".findings-tools label:last-of-type select"), document.querySelector(".findings-tools .root")];
  scheme.value = "vscode", root.value = "/home/me/my project/";
  scheme.dispatchEvent(new Event("change"));
  const out = Array.from(document.querySelectorAll("a.editor:not([hidden])"), (a) => a.getAttribute("href"));
  scheme.value = "", root.value = "";
  scheme.dispatchEvent(new Event("change"));
  return out;
});
check("links lead to an editor when asked", links.length > 0 && /^vscode:\/\/file\/home\/me\/my%20project\/.*heat\.c:\d+$/.test(links[0]), links);

// -- causes as cards
const cards = await p.evaluate("Array.from(document.querySelectorAll('.cards li'), (li) => li.textContent)");
const gains = report.causes.slice(0, 1).map((c) => c.fixes.find((f) => f.gain_s > 0).gain_s / (focus.end_s - focus.begin_s));
check("the largest cause is a card with what mending it gains", cards.length <= 3 && cards[0].includes(`${(gains[0] * 100).toFixed(1)} %`) && cards[0].includes(`ank ${report.causes[0].process}`), [cards, gains]);
const shown = await p.evaluate(async () => {
  document.querySelector(".cards button").click();
  await new Promise((done) => setTimeout(done, 300));
  return window.patscan.page.state.sel?.lane;
});
check("a card shows its cause in the timeline", shown === report.causes[0].location, shown);

const way = await p.evaluate(async () => {
  const there = document.querySelector('#findings a[href^="#cause-"]'), { id } = there.closest("li"), back = document.querySelector(`${there.hash} a[href="#${id}"]`);
  back?.click();
  await new Promise((done) => setTimeout(done, 300));
  const { run, page } = window.patscan, { place } = page.state;
  return { id, said: back?.textContent, chosen: run.places[place]?.id, title: run.places[place]?.title };
});
check("a finding leads to its cause, and the cause back", way.chosen === way.id && way.said.startsWith(`${way.title} (`), way);

// -- a rank's call stack, where the file has it: around the longest waits
const opened = await p.evaluate(async () => {
  const { run, page } = window.patscan, { lane, from, to, frames, names } = run.stacks[0];
  page.jump(0);
  await new Promise((done) => setTimeout(done, 300));
  const sel = page.state.sel, low = document.getElementById("timeline").clientHeight;
  page.timeline.keys.e();
  await new Promise((done) => setTimeout(done, 400));
  const at = (run.places[0].worst[1] + run.places[0].worst[2]) / 2, path = [];
  for (let k = 0; k < frames.length; k += 4) if (frames[k] <= at && at < frames[k + 1]) path[frames[k + 2]] = names[frames[k + 3]];
  return { lane, sel, open: page.state.open, path, in: from <= at && at <= to, taller: document.getElementById("timeline").clientHeight - low, hash: location.hash };
});
check("a rank's lane opens to its call stack", opened.open === opened.lane && opened.in && opened.taller > 20 && opened.hash.includes(`open=${opened.lane}`), opened);
check("the stack is the finding's call path", opened.path.join() === report.findings[0].callpath.join(), [opened.path, report.findings[0].callpath]);
await key("e", "Escape");

// -- tables behind pictures
await p.until("document.getElementById('pictures').dataset.drawn !== undefined");
const tables = await p.evaluate(() => Array.from(document.querySelectorAll("#pictures .figure:not(.calls)"), (f) => {
  const button = f.querySelector("figcaption button");
  button.click();
  const rows = f.querySelectorAll("table tr").length;
  button.click();
  return [f.className, rows];
}));
check("each picture has its table", tables.length >= 3 && tables.every(([, rows]) => rows > 1), tables);

// -- for those who do not see it
for (const dark of [false, true]) {
  const found = await barriers(browser, url, { dark }, dark ? "" : "window.patscan.page.jump(0), window.patscan.page.set({ open: window.patscan.run.stacks[0].lane })");
  check(`nothing serious for those who do not see it${dark ? ", in the dark" : ""}`, !found.length, found);
}

// -- how fast it is drawn: with room for a busy machine
const drawn = await p.evaluate(() => window.patscan.page.timeline.measure((draw) => { for (let k = 0; k < 30; k++) draw(true); }).sort((a, b) => a - b));
check("a frame in motion takes its time, not more", drawn[drawn.length >> 1] < 50, drawn);

// -- fingers: two pinch, and what is below them stays there; one moves
const phone = await browser.page({ width: 390, height: 844 });
await phone.call("Emulation.setTouchEmulationEnabled", { enabled: true, maxTouchPoints: 2 });
await phone.open(url);
const lanes = await phone.evaluate(() => { const c = document.getElementById("timeline"); c.scrollIntoView({ behavior: "instant", block: "center" }); const { x, y, width } = c.getBoundingClientRect(); return { x, y: y + 60, width }; });
const view = () => phone.evaluate("(({ from, to, sel }) => ({ from, to, sel }))(window.patscan.page.state)"), at = (share) => [lanes.x + lanes.width * share, lanes.y];
async function gesture(from, to) {
  await phone.fingers("touchStart", ...from.map(at));
  for (let k = 1; k <= 8; k++) await phone.fingers("touchMove", ...from.map((share, i) => at(share + (to[i] - share) * k / 8)));
  await phone.fingers("touchEnd");
  await phone.pause(100);
}
const wide = await view(), size = wide.to - wide.from;
await gesture([0.4, 0.6], [0.3, 0.7]);
const half = await view();
check("two fingers that part zoom in", near(half.to - half.from, size / 2, size / 100) && near(half.from + 0.3 * (half.to - half.from), wide.from + 0.4 * size, size / 100), [wide, half]);
await gesture([0.25, 0.75], [0.45, 0.55]);
const out = await view();
check("two fingers that meet zoom out", out.to - out.from > 2 * (half.to - half.from), [half, out]);
await phone.evaluate("window.patscan.page.timeline.keys.f()");
await phone.pause(400);
await gesture([0.4, 0.6], [0.3, 0.7]);
const held = await view();
await gesture([0.6], [0.4]);
const aside = await view();
check("one finger moves", near(aside.from - held.from, 0.2 * (held.to - held.from), size / 50) && near(aside.to - aside.from, held.to - held.from, 2), [held, aside]);
check("a gesture selects nothing", aside.sel === null, aside);
await phone.fingers("touchStart", at(0.5));
await phone.fingers("touchEnd");
await phone.pause(100);
check("a touch selects", (await view()).sel !== null);
await phone.close();

// -- sizes and looks
for (const options of [{ width: 390, height: 844 }, { width: 820, height: 1100, dark: true }, { print: true, width: 794 }]) {
  const other = await browser.page(options);
  await other.open(url);
  check(`nothing is wider than the screen or the paper: ${JSON.stringify(options)}`, await other.evaluate("document.documentElement.scrollWidth <= innerWidth"));
  check(`nothing to complain: ${JSON.stringify(options)}`, !other.complaints.length, other.complaints);
  await other.close();
}
check("the console stays empty", !p.complaints.length, p.complaints);
await browser.close();
console.log(failed ? `${failed} failed` : "all well");
process.exit(failed ? 1 : 0);
