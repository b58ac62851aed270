// The page as a whole: state and its address, search, keys, theme. What is not the run's picture is in the document as it
// is; this makes it more comfortable.
import { count, groupKeys, groupsOf, makeRun, stretchAt, time, unpack } from "./data.js";
import { $, copy, download, h, store } from "./dom.js";
import { startBeside } from "./beside.js";
import { cards, FILTERS, findingsList, linkFindings } from "./findings.js";
import { startIntervals } from "./intervals.js";
import { lens, tooltip } from "./lens.js";
import { pictures, shareBar } from "./pictures.js";
import { KINDS } from "./ranks.js";
import { startScaling } from "./scaling.js";
import { startServed } from "./served.js";
import { tally } from "./sums.js";
import { timeline } from "./timeline.js";

const TITLES = { computation: "Computation", files: "Reading and writing files", device: "Calls of accelerators", library: "Other library calls", transfer: "Transfer", runtime: "Threads and recorder", "not-running": "Not running", unexplained: "Not explained", waiting: "Waiting" };
const CLOSED_FROM = 256; // lanes: then nodes are closed at first

const KEYS = [["W S", "zoom in, out (at the middle)"], ["wheel", "zoom at the pointer"], ["A D  \u2190 \u2192", "move"], ["drag, two fingers", "move, zoom"], ["Shift+drag, or drag in the ruler", "select a span"], ["click", "select an interval"],
  ["double click", "zoom to an interval"], [", .", "previous, next interval of the rank"], ["\u2191 \u2193", "rank above, below; zoom if nothing is selected"], ["n p", "next, previous wait (of the chosen finding)"], ["e", "open the call stack of the rank; a click on its number does, too"], ["f", "fit the span or the focus"],
  ["Shift+f", "the whole run"], ["c", "critical path"], ["m", "message lines"], ["o", "outline of causes"], ["/", "search; Enter: the next longest"], ["Esc", "clear"], ["?", "this list"]];

function makePage(run) {
  const state = { from: run.hull[0], to: run.hull[1], sel: null, span: null, place: null, lit: null, query: "", critical: false, messages: true, causes: true, order: "number",
    ranks: "", part: null, scroll: 0, align: "focus", open: null, stack: null, fp: "", fr: "", ff: "", fw: "", fs: "lost", closed: run.n > CLOSED_FROM ? groupKeys(groupsOf(run)) : [] };
  return Object.assign(store(state), { counts: {} });
}

// ---- the address: #finding-.., or #t=from-to&sel=lane.time&f=place&span=a-b&r=ranks&q=words&cp=1&o=order&fp=pattern.., times in nanoseconds ----

function keepAddress(run, page) {
  const { state } = page, ns = (t) => Math.round(t * run.tickNs);
  let timer = 0, written = null;
  function read() {
    const named = run.places.findIndex(({ id }) => `#${id}` === location.hash); // as editors name a finding
    if (named >= 0) { page.showWorst(named); page.openPlace(named); return; }
    if (location.hash === written || !/^#(t|sel|f|span|r|q|cp|o|al|open|f[prfws])=/.test(location.hash)) return;
    const q = new URLSearchParams(location.hash.slice(1)), pair = (v) => v?.split("-").map((s) => Math.max(0, Math.min(run.end, Number(s) / run.tickNs)));
    const changes = { span: null, sel: null, place: null, critical: q.get("cp") === "1" }, t = pair(q.get("t")), span = pair(q.get("span"));
    if (t?.length === 2 && t[1] > t[0]) [changes.from, changes.to] = t;
    if (span?.length === 2 && span[1] > span[0]) changes.span = span;
    if (q.get("sel")) { const [lane, at] = q.get("sel").split(".").map(Number); if (lane >= 0 && lane < run.n) changes.sel = { lane, i: stretchAt(run, lane, at / run.tickNs) }; }
    for (const key of Object.keys(FILTERS)) changes[key] = q.get(key) ?? (key === "fs" ? "lost" : "");
    changes.open = /^\d+$/.test(q.get("open") ?? "") && Number(q.get("open")) < run.n ? Number(q.get("open")) : null;
    changes.ranks = q.get("r") ?? "";
    if (q.get("al") === "interval" && $("beside-data")) changes.align = "interval";
    if (ORDERS.some(([o]) => o === q.get("o"))) changes.order = q.get("o");
    if (q.has("f") && run.places[q.get("f")]) changes.place = Number(q.get("f"));
    page.set(changes);
    if (q.get("q")) page.search(q.get("q"));
  }
  function write() {
    const parts = [`t=${ns(state.from)}-${ns(state.to)}`];
    if (state.sel) parts.push(`sel=${state.sel.lane}.${ns(run.begin[state.sel.i])}`);
    if (state.place != null) parts.push(`f=${state.place}`);
    if (state.span) parts.push(`span=${state.span.map(ns).join("-")}`);
    if (state.ranks) parts.push(`r=${state.ranks}`);
    if (state.query) parts.push(`q=${encodeURIComponent(state.query)}`);
    if (state.critical) parts.push("cp=1");
    if (state.open != null) parts.push(`open=${state.open}`);
    if (state.align !== "focus") parts.push(`al=${state.align}`);
    if (state.order !== "number") parts.push(`o=${state.order}`);
    for (const key of Object.keys(FILTERS)) if (state[key] && state[key] !== "lost") parts.push(`${key}=${encodeURIComponent(state[key])}`);
    written = `#${parts.join("&")}`;
    history.replaceState(null, "", written);
  }
  read();
  page.listen((changed) => {
    if (![..."from to sel place span ranks query critical order align open".split(" "), ...Object.keys(FILTERS)].some((k) => changed.has(k))) return;
    clearTimeout(timer);
    timer = setTimeout(write, 250);
  });
  addEventListener("hashchange", read);
  page.writeAddress = write;
}

// ---- search: functions, files and lines by words; what matches stays lit in the timeline ----

function addSearch(run, page) {
  const { state } = page;
  let last = null;
  page.search = (text) => {
    const words = text.trim().toLowerCase(), input = $("search");
    if (input && input.value !== text) input.value = text;
    $("hits").textContent = "";
    if (!words) { page.set({ query: "", lit: null }); return; }
    const titled = run.places.map((p) => p.title.toLowerCase().includes(words));
    const lit = run.paths.map(({ name, file, line }, p) => (p || words.length > 3) && `${name} ${file}:${line}`.toLowerCase().includes(words) ? 1 : 0);
    let hits = 0;
    for (let i = 0; i < run.path.length; i++) hits += lit[run.path[i]];
    if (!hits && titled.includes(true)) { page.set({ query: text, lit: null, place: titled.indexOf(true) }); $("hits").textContent = "a finding"; return; }
    page.set({ query: text, lit, place: null });
    $("hits").textContent = hits ? `${count(hits)} intervals` : "nothing";
  };
  page.nextHit = () => { // from one to the next longest that is lit
    let best = null;
    const limit = last?.query === state.query ? last.length : Infinity;
    for (let lane = 0; lane < run.n; lane++) for (let i = run.first[lane]; i < run.first[lane + 1]; i++) {
      const length = (i + 1 < run.first[lane + 1] ? run.begin[i + 1] : run.end) - run.begin[i];
      if (state.lit[run.path[i]] && length < limit && (!best || length > best.length)) best = { lane, i, length };
    }
    if (!best) return;
    last = { query: state.query, length: best.length };
    page.timeline.select(best.lane, best.i, true);
  };
}

function clear(page) {
  page.search("");
  page.set({ sel: null, span: null, place: null, lit: null, query: "" });
}

// ---- around the timeline ----

function tools(run, page) {
  const { state } = page;
  const toggle = (key, name, title) => {
    const b = h("button", { class: "toggle", type: "button", title, "aria-pressed": String(state[key]), onclick: () => page.set({ [key]: !state[key] }) }, name);
    page.listen(() => b.setAttribute("aria-pressed", String(state[key])));
    return b;
  };
  const input = h("input", { id: "search", type: "search", placeholder: "Search function or file   /", "aria-label": "Search functions and files",
    oninput: (e) => page.search(e.target.value),
    onkeydown: (e) => { if (e.key === "Enter" && state.lit) page.nextHit(); if (e.key === "Escape") { page.search(""); page.timeline.box.focus(); } } });
  const chosen = h("span", { class: "chosen" });
  const showChosen = () => chosen.replaceChildren(...state.place == null ? [] : [run.places[state.place].title, h("button", { class: "quiet icon", type: "button", "aria-label": "Show all again", onclick: () => page.set({ place: null }) }, "\u00d7")]);
  page.listen(showChosen);
  const key = (name, label, title) => h("button", { type: "button", "aria-label": label, title, onclick: () => page.timeline.keys[name]() }, name === "f" ? "Fit" : name === "w" ? "+" : "\u2212");
  return h("div", { class: "tools" }, input, h("span", { id: "hits", class: "muted num", role: "status" }), chosen, h("span", { class: "gap" }),
    run.stepBegin.length ? toggle("critical", "Critical path", "What nobody waited in, from the end back to the begin: key c") : null,
    run.causes.length ? toggle("causes", "Causes", "Outlines what makes others wait: key o") : null,
    run.messageBegin.length ? toggle("messages", "Messages", "Message lines, when zoomed: key m") : null,
    h("label", { class: "pick" }, "Ranks by ", orderOf(run, page)),
    h("span", { class: "group" }, key("s", "Zoom out", "s"), key("w", "Zoom in", "w"), key("f", "Fit", "f; the whole run: Shift+f")),
    h("button", { type: "button", onclick: (e) => { page.writeAddress(); copy(location.href, e.currentTarget); }, title: "Copy the address of this view" }, "Link"),
    h("button", { type: "button", "aria-label": "Keys", title: "Keys: ?", onclick: help }, "?"));
}

const ORDERS = [["number", "number"], ["waiting", "time lost"], ["grouped", "time lost, in groups"]];

function orderOf(run, page) {
  const pick = h("select", { onchange: (e) => page.set({ order: e.target.value }) }, ORDERS.filter(([o]) => o !== "grouped" || groupKeys(groupsOf(run)).length).map(([value, name]) => h("option", { value }, name)));
  page.listen((changed) => { if (changed.has("order")) pick.value = page.state.order; });
  return pick;
}

function help() {
  const close = h("button", { class: "quiet icon", type: "button", "aria-label": "Close", onclick: () => $("help").close() }, "\u00d7");
  $("help").replaceChildren(h("header", {}, h("h2", { id: "h-help" }, "Keys"), close), h("dl", {}, KEYS.map(([k, v]) => h("div", {}, h("dt", {}, h("kbd", {}, k)), h("dd", {}, v)))));
  $("help").showModal();
}

function listen(page) {
  const own = { "/": () => $("search").focus(), "?": help, c: () => page.set({ critical: !page.state.critical }), m: () => page.set({ messages: !page.state.messages }), o: () => page.set({ causes: !page.state.causes }), Escape: () => clear(page) };
  addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest?.("input, select, textarea, dialog, .interval")) return;
    const act = own[e.key] ?? (e.key.length === 1 && page.timeline.keys[e.key]);
    if (act) { e.preventDefault(); act(); }
  });
}

function leftOut(run) {
  const { waits, waitsNs, others, othersNs, messages, collectives } = run.leftOut, said = [];
  const short = [[waits, waitsNs, "short waits"], [others, othersNs, waits ? "other short intervals" : "short intervals"]].filter(([n]) => n).map(([n, ns, name]) => `${count(n)} ${name} (${time(ns, 3)} in all)`);
  if (short.length) said.push(`${short.join(" and ")} are in the bars and sums, but not one by one`);
  if (messages) said.push(`${count(messages)} messages that were under way for the shortest time have no lines`);
  if (collectives) said.push(`${count(collectives)} later collective operations have no bands`);
  return said.length ? h("p", { class: "muted note" }, run.served ? "What is too short for an overview is shown as you zoom in." : `To keep this file small: ${said.join("; ")}.`) : null;
}

// ---- theme: as the system has it, until somebody chooses ----

function theme(repaint) {
  const order = ["system", "light", "dark"], names = { system: "Auto", light: "Light", dark: "Dark" }, button = h("button", { class: "quiet", type: "button", id: "theme" });
  let now = "system";
  try { now = localStorage.getItem("patscan-theme") ?? now; } catch { /* a file may have no storage */ }
  const apply = () => {
    document.documentElement.dataset.theme = now;
    button.textContent = names[now], button.setAttribute("aria-label", `Theme: ${names[now]}`);
    repaint();
  };
  button.onclick = () => {
    now = order[(order.indexOf(now) + 1) % 3];
    try { localStorage.setItem("patscan-theme", now); } catch { /* as above */ }
    apply();
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply);
  document.querySelector("header nav")?.append(button);
  apply();
}

// ---- tables of the document: a filter and a csv button for each that is long enough ----

function equip(table) {
  const name = (table.caption?.textContent || table.closest("section")?.id || "table").toLowerCase().replace(/[^a-z0-9]+/g, "-"), box = table.parentNode;
  const cells = (row) => [...row.cells].map((cell) => cell.querySelector("data[value]")?.getAttribute("value") ?? cell.textContent.trim());
  const bar = h("div", { class: "table-tools" });
  if (table.tBodies[0].rows.length > 12) {
    bar.append(h("input", { type: "search", placeholder: "Filter", "aria-label": `Filter: ${table.caption?.textContent ?? name}`, oninput: (e) => {
      const words = e.target.value.toLowerCase().split(/\s+/);
      for (const row of table.tBodies[0].rows) row.hidden = !words.every((w) => row.textContent.toLowerCase().includes(w));
    } }));
  }
  bar.append(h("button", { class: "quiet", type: "button", onclick: () => download(`${name}.csv`, [...table.rows].map(cells)) }, "csv"));
  box.before(bar);
}

function filterFindings() {
  const list = document.querySelector("#findings .findings");
  if (!list || list.children.length < 4 || document.querySelector(".findings-tools")) return;
  list.before(h("input", { type: "search", class: "filter", placeholder: "Filter by pattern, rank, file", "aria-label": "Filter the findings", oninput: (e) => {
    const words = e.target.value.toLowerCase().split(/\s+/);
    for (const item of list.children) item.hidden = !words.every((w) => item.textContent.toLowerCase().includes(w));
  } }));
}

// ---- begin ----

// Behind the findings, which are what most come for.
function pictureSection() {
  const made = h("section", { id: "pictures" }, h("h2", {}, "Pictures"));
  ($("findings") ?? $("run")).after(made);
  document.querySelector('header nav a[href="#settings"]')?.before(h("a", { href: "#pictures" }, "Pictures"));
  document.querySelectorAll("#profile figure").forEach((drawn) => { drawn.hidden = true; }); // the same, for those without a script
  document.querySelectorAll('#profile h2, header nav a[href="#profile"]').forEach((head) => { head.textContent = "Locations"; });
  return made;
}

// Of two runs the pictures are of one.
function whichRun(run, beside, show) {
  const each = [[run, beside.main], [beside.run, beside.page]];
  return h("label", { class: "pick" }, "Of the run ", h("select", { id: "pictures-of", onchange: (e) => show(...each[Number(e.target.value)]) }, each.map(([of], k) => h("option", { value: k }, of.title))));
}

const kindsOf = (run) => KINDS.map(([kind, id]) => [id, TITLES[kind], run.time.find((row) => row[0] === kind).slice(1).reduce((a, b) => a + b, 0)]);

// Where the time of the other run went, below that of the first.
function showShares(other, run, shares) {
  const below = h("div", { id: "shares-beside", class: "legend-box" });
  shares.before(h("h3", { class: "which" }, run.title));
  shares.after(h("h3", { class: "which" }, other.title), below);
  shareBar(below, kindsOf(other));
}

async function startRun() {
  const head = JSON.parse($("run-data").textContent), section = $("run");
  const run = makeRun(head, await unpack(head, $("run-columns").textContent));
  $("run-columns").remove(); // a second copy of the run that nobody needs
  const page = makePage(run), shares = h("div", { id: "shares" }), stage = h("div", { class: "stage" }), panel = h("aside", { class: "lens", "aria-label": "What is selected" });
  document.body.append(h("dialog", { id: "help", "aria-labelledby": "h-help" }), h("div", { id: "tip", role: "tooltip", hidden: true }), h("div", { id: "said", class: "unseen", role: "status", "aria-live": "polite" }));
  section.querySelector(".rest")?.remove();
  addSearch(run, page);
  const frame = h("div", { class: "timeline" });
  section.append(shares, cards(run, page) ?? "", frame);
  shareBar(shares, kindsOf(run));
  frame.append(tools(run, page), stage, panel);
  page.timeline = timeline(run, page, stage);
  page.hover = (hit, pointer) => tooltip(run, hit, pointer);
  const beside = await startBeside(run, page, frame);
  section.append(leftOut(run) ?? "");
  linkFindings(run, page);
  findingsList(run, page);
  let repaint = () => {};
  if (beside) showShares(beside.run, run, shares);
  theme(() => { page.timeline.repaint(); beside?.repaint(); repaint(); });
  const box = pictureSection(), drawn = h("div", {});
  box.append(beside ? whichRun(run, beside, (of, its) => { drawn.replaceChildren(); repaint = pictures(of, its, drawn); }) : "", drawn);
  setTimeout(() => { document.documentElement.classList.remove("early"), repaint = pictures(run, page, drawn), box.dataset.drawn = "", run.tally = tally(run), run.pyramid.forEach(({ used }) => used); }, 50); // nobody has scrolled or zoomed yet
  keepAddress(run, page);
  page.timeline.draw();
  beside?.page.timeline.draw();
  lens(run, page, panel);
  if (run.served) startServed(run, page);
  listen(page);
  document.documentElement.dataset.findings = head.findings;
  window.patscan = { run, page, beside, ready: performance.now() }; // for tests, and whoever opens the console
}

async function start() {
  startIntervals();
  document.querySelectorAll("main table.sort").forEach((table) => table.closest("#intervals") || equip(table));
  if ($("run-data")) await startRun(); else document.documentElement.classList.remove("early");
  startScaling();
  filterFindings();
  document.documentElement.dataset.ready = "";
}

document.documentElement.classList.add("js", "early"); // at once, so that what is hidden is never laid out
document.addEventListener("DOMContentLoaded", start);
