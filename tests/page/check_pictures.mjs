// check_pictures.mjs PAGE.html REPORT.json PROFILE.json PREDICTED.html GIVEN.html - the pictures in a browser: their tables say the numbers of the report
// and of its profile (of 1000 bins, on a tree), that of a prediction shows the network of its machine, that of a measured run the one that was given, they follow the selected span and ranks, and can be used without a mouse.
import { readFileSync } from "node:fs";
import { chromium, launch } from "./browser.mjs";

if (!chromium) { console.log("no Chromium is installed"); process.exit(77); }
const [, , file, json, more, predicted, given] = process.argv, report = JSON.parse(readFileSync(json, "utf8")), { profile } = JSON.parse(readFileSync(more, "utf8"));
const browser = await launch();
let failed = 0;
const check = (name, holds, what = "") => { if (!holds) { failed++; console.log("FAILED", name, JSON.stringify(what)?.slice(0, 600)); } };
const near = (a, b, by = 1e-6) => Math.abs(a - b) <= by * Math.max(1e-9, Math.abs(a), Math.abs(b)) + 1e-9;
const sum = (values) => values.reduce((a, b) => a + b, 0);

const p = await browser.page();
await p.open(`file://${file}`);
await p.until("document.getElementById('pictures').dataset.drawn !== undefined");
// The table behind a picture, opened by its button.
const table = (name) => p.evaluate(async (wanted) => {
  const figure = document.querySelector(`.figure.${wanted}`), button = figure.querySelector("figcaption button");
  if (button.getAttribute("aria-pressed") === "false") button.click();
  const rows = Array.from(figure.querySelectorAll(".scroll tr"), (tr) => Array.from(tr.cells, (cell) => cell.textContent));
  button.click();
  return rows;
}, name);
const pick = (name, value) => p.evaluate((wanted, chosen) => {
  const select = document.querySelector(`.figure.${wanted} figcaption select`);
  select.value = chosen, select.dispatchEvent(new Event("change"));
}, name, value);
const set = (changes) => p.evaluate(async (wanted) => { window.patscan.page.set(wanted); await new Promise((done) => setTimeout(done, 200)); }, changes);
const timeOf = (kind) => report.time.find((row) => row.kind === kind).time_s;

// -- the numbers of the report and of the profile
const [states, ...over] = await table("utilisation");
const inState = (names) => sum(over.map((row) => (row[1] - row[0]) * sum(states.map((name, k) => names.includes(name) ? Number(row[k]) : 0))));
check("utilisation: computation", near(inState(["Computation"]), timeOf("computation"), 1e-5), [inState(["Computation"]), timeOf("computation")]);
check("utilisation: waiting", near(inState(["Waiting for a partner", "Waiting in collectives"]), timeOf("waiting"), 1e-5), [inState(["Waiting for a partner", "Waiting in collectives"]), timeOf("waiting")]);
const traffic = (await table("traffic")).slice(1).map((row) => row.map(Number));
check("traffic: messages times time", near(sum(traffic.map((r) => (r[1] - r[0]) * r[2])), sum(profile.bins.map((b) => (b.end_s - b.begin_s) * b.messages)), 1e-4));
check("traffic: the most", Math.max(...traffic.map((r) => r[4])) === profile.peak_messages.value && Math.max(...traffic.map((r) => r[5])) === profile.peak_bytes.value, profile.peak_bytes);
const duration = profile.duration_s;
for (const [k, key] of ["busy", "overhead", "idle"].entries()) {
  await pick("concurrency", String(k));
  const shares = (await table("concurrency")).slice(1).map((row) => Number(row[1]));
  check(`concurrency: ${key}`, shares.length === profile.concurrency[key].length && shares.every((v, n) => near(v * duration, profile.concurrency[key][n], 1e-6)), shares);
  await p.evaluate("window.patscan.page.set({ span: [...window.patscan.run.hull] })"); // the same from what is drawn, one by one
  const again = (await table("concurrency")).slice(1).map((row) => Number(row[1]));
  check(`concurrency, counted anew: ${key}`, again.every((v, n) => Math.abs(v - shares[n]) < 1e-4), [again, shares]);
  await set({ span: null });
}
const spokes = (await table("kiviat")).slice(1);
check("the spokes", spokes.length === profile.by_location.length && spokes.every((row, i) => ["busy_s", "overhead_s", "idle_s"].every((key, k) => Math.abs(row[k + 1] - profile.by_location[i][key] / duration) < 1e-4)), spokes);
const ranks = await table("ranks");
for (const { kind, time_s } of report.time) if (ranks[0].includes(`${kind}_s`)) check(`time by rank: ${kind}`, near(sum(ranks.slice(1).map((row) => Number(row[ranks[0].indexOf(`${kind}_s`)]))), time_s, 1e-7), kind);
const matrix = await table("messages");
check("the matrix", profile.matrix.every((m) => Number(matrix[m.from + 1][m.to + 1]) === m.bytes) && Number(matrix.at(-1).at(-1)) === profile.bytes, matrix);
await p.evaluate("(() => { const input = document.querySelector('.figure.network input'); input.value = 'tree'; input.dispatchEvent(new Event('change')); })()");
const links = (await table("network")).slice(1).map((row) => row.map(Number)), load = profile.network.load;
const linkOf = new Map(links.map((row) => [`${row[0]} ${row[1]}`, row]));
check("the links of a network", links.length === load.length && load.every((l) => { const row = linkOf.get(`${l.from} ${l.to}`); return row?.[3] === l.messages && row[4] === l.bytes; }), [links, load]);
const note = await p.evaluate("document.querySelector('.figure.network figcaption .muted').textContent");
check("hops on average", note.includes(`${(profile.network.hops / profile.network.messages).toFixed(2)} hops`), note);

// -- the call tree: its own time is that of the functions of the report
const tree = await p.evaluate(() => {
  const { run } = window.patscan, own = new Map();
  for (let lane = 0; lane < run.n; lane++) for (let i = run.first[lane]; i < run.first[lane + 1]; i++) {
    const end = i + 1 < run.first[lane + 1] ? run.begin[i + 1] : run.end, [from, to] = run.hull, name = run.paths[run.path[i]].name;
    own.set(name, (own.get(name) ?? 0) + Math.max(0, Math.min(end, to) - Math.max(run.begin[i], from)) * run.tickNs / 1e9);
  }
  document.querySelector(".cube").scrollIntoView({ behavior: "instant" });
  return Object.fromEntries(own);
});
const told = new Map();
for (const f of report.functions) told.set(f.callpath.at(-1), (told.get(f.callpath.at(-1)) ?? 0) + f.exclusive_s);
check("functions", [...told].every(([name, time]) => near(tree[name] ?? 0, time, 1e-5)), [tree, [...told]]);
await p.pause(300);
const panes = () => p.evaluate(() => ({
  metrics: Array.from(document.querySelectorAll(".cube .pane:first-child button"), (b) => [b.querySelector(".name").textContent, b.querySelector(".num").textContent]),
  paths: Array.from(document.querySelectorAll(".cube tbody tr"), (tr) => [tr.title, ...Array.from(tr.cells, (cell) => cell.textContent)]),
  ranks: Array.from(document.querySelectorAll(".cube li.row"), (li) => li.textContent),
}));
const first = await panes();
check("three panes", first.metrics.length > 4 && first.paths.length > 2 && first.ranks.length === profile.by_location.length, first);
const chosen = await p.evaluate(async () => {
  Array.from(document.querySelectorAll(".cube .pane:first-child button")).find((b) => b.textContent.startsWith("Waiting for a partner")).click();
  Array.from(document.querySelectorAll(".cube .pathname")).at(-1).click();
  await new Promise((done) => setTimeout(done, 50));
  return document.querySelectorAll(".cube [aria-pressed='true']").length;
});
const second = await panes();
check("a metric and a call path are chosen", chosen === 2 && second.ranks.join() !== first.ranks.join() && second.paths.length < first.paths.length + 9, second);

// -- the selected span and ranks
const { hull, tickNs } = await p.evaluate("({ hull: window.patscan.run.hull, tickNs: window.patscan.run.tickNs })");
const half = [hull[0], Math.round((hull[0] + hull[1]) / 2)];
await set({ span: half, ranks: "1-2" });
const cut = (await table("utilisation")).slice(1);
check("a span narrows a picture", near(cut[0][0], half[0] * tickNs / 1e9, 1e-6) && near(cut.at(-1)[1], half[1] * tickNs / 1e9, 1e-6), [cut[0], cut.at(-1)]);
const narrow = (await table("ranks")).slice(1).map((row) => row[0]);
check("ranks narrow a picture", narrow.join() === "1,2" && cut.every((row) => near(sum(row.slice(2).map(Number)), 2, 1e-3)), [narrow, cut.map((row) => sum(row.slice(2).map(Number)))]);
await p.pause(400);
check("the address keeps them", await p.evaluate("location.hash.includes('r=1-2') && location.hash.includes('span=')"));
check("what they are about is said", await p.evaluate("document.querySelector('.scope').textContent").then((text) => text.includes("2 of 4") && text.includes(" to ")));
await set({ span: null, ranks: "" });

// -- by pointer and by keys
const box = (name) => p.evaluate((wanted) => { const c = document.querySelector(`.figure.${wanted} canvas`); c.scrollIntoView({ behavior: "instant", block: "center" }); const { x, y, width, height } = c.getBoundingClientRect(); return { x, y, width, height }; }, name);
const plot = await box("utilisation");
await p.move(plot.x + plot.width / 2, plot.y + 40);
await p.pause(60);
check("the pointer tells numbers", await p.evaluate("!document.getElementById('tip').hidden && /computation/.test(document.getElementById('tip').textContent)"));
await p.drag(plot.x + plot.width * 0.4, plot.y + 40, plot.x + plot.width * 0.6, plot.y + 40);
await p.pause(120);
const span = await p.evaluate("window.patscan.page.state.span");
check("a drag selects a span", span && near((span[1] - span[0]) / (hull[1] - hull[0]), 0.2 * plot.width / (plot.width - 46), 0.02), span);
await set({ span: null });
for (const name of ["utilisation", "waiting", "traffic", "queues", "concurrency", "kiviat", "portrait", "messages", "network", "durations", "ranks"]) {
  await box(name);
  await p.evaluate((wanted) => document.querySelector(`.figure.${wanted} canvas`).focus(), name);
  let said = "";
  for (let k = 0; k < 60 && !said; k++) { await p.press(k % 2 ? "ArrowRight" : "ArrowDown"); said = await p.evaluate("document.getElementById('said').textContent"); }
  check(`arrow keys tell numbers: ${name}`, said.length > 5, said);
  await p.evaluate("document.getElementById('said').textContent = ''");
  const inked = await p.evaluate((wanted) => {
    const c = document.querySelector(`.figure.${wanted} canvas`), { data } = c.getContext("2d").getImageData(0, 0, c.width, c.height), seen = new Set();
    for (let i = 0; i < data.length; i += 4) if (data[i + 3]) seen.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
    return seen.size;
  }, name);
  check(`it is drawn: ${name}`, inked > 3, inked);
}
check("the console stays empty", !p.complaints.length, p.complaints);

// -- the network of a machine
const other = await browser.page();
async function linksOf(path) {
  await other.open(`file://${path}`);
  await other.until("document.getElementById('pictures').dataset.drawn !== undefined");
  return other.evaluate(() => {
    const figure = document.querySelector(".figure.network"), button = figure.querySelector("figcaption button");
    button.click();
    return { rows: Array.from(figure.querySelectorAll(".scroll tbody tr"), (tr) => Array.from(tr.cells, (cell) => Number(cell.textContent))), note: figure.querySelector("figcaption .muted").textContent, pairs: window.patscan.run.pairs };
  });
}
// Ranks 0 and 1 are below switch 4, 2 and 3 below 5, both switches below 6: two links to a neighbour, four to another one.
async function checkTree(name, path, words) {
  const { rows, note: said, pairs } = await linksOf(path), linkLoad = (from, to) => rows.find((row) => row[0] === from && row[1] === to), across = pairs.filter(([a, b]) => a < 2 !== b < 2);
  const into0 = pairs.filter(([, to]) => to === 0), up = across.filter(([from]) => from < 2), all = sum(pairs.map((pair) => pair[2]));
  check(`${name}: the link to a rank`, linkLoad(4, 0)[3] === sum(into0.map((pair) => pair[2])) && linkLoad(4, 0)[4] === sum(into0.map((pair) => pair[3])), rows);
  check(`${name}: the link to the root`, linkLoad(4, 6)[3] === sum(up.map((pair) => pair[2])) && near(linkLoad(4, 6)[5], sum(up.map((pair) => pair[3])) / 3), rows);
  const hops = (2 * all + 2 * sum(across.map((pair) => pair[2]))) / all;
  check(`${name}: whose it is`, said.startsWith(`${words}: ${hops.toFixed(2)} hops a message on average, 4 at most`), [said, hops]);
}
await checkTree("a predicted machine", predicted, "of the machine");
await checkTree("a measured run", given, "the one that was given");
check("no complaints about it", !other.complaints.length, other.complaints);
await browser.close();
console.log(failed ? `${failed} failed` : "all well");
process.exit(failed ? 1 : 0);
