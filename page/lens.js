// The panel beside the timeline (what is selected, and the sums of the span) and the tooltip.
import { above, bytes, callPath, count, endOf, isBelow, isWait, MIXED, N, percent, STATES, time } from "./data.js";
import { $, copy, h } from "./dom.js";
import { longestWait, sums } from "./sums.js";

const whereOf = (p) => p.file ? `${p.file}${p.line ? `:${p.line}` : ""}` : null;
const MOST = 6;

// What both the tooltip and the panel say about one stretch.
function facts(run, lane, i) {
  const s = run.state[i], p = run.paths[run.path[i]], begin = run.begin[i], end = endOf(run, lane, i), list = [];
  if (s === MIXED) return { name: "Many short ones", state: { id: "mixed", name: "Several states" }, begin, length: end - begin, list: [["", "Too short and too many to be in this file one by one: their times are in the bars and sums."]] };
  if (isWait(s)) list.push(["Waited for", run.peer[i] === run.none ? "unknown" : `rank ${run.label[run.peer[i]]}`]);
  const m = isWait(s) || s === 3 ? messageOf(run, lane, begin, end, isWait(s) ? run.peer[i] : run.none) : -1;
  if (m >= 0) list.push(["Message", `${run.label[run.messageFrom[m]]} \u2192 ${run.label[run.messageTo[m]]}, ${bytes(run.messageBytes[m])}`]);
  list.push(["Where", whereOf(p) ?? "no line in the trace"], ["Call path", callPath(run, run.path[i]).join(" \u203a ")]);
  if (run.find[i] !== run.none) list.push(["Finding", run.places[run.find[i]].title]);
  const cause = isWait(s) && run.causes.find((c) => c[0] === run.peer[i]);
  if (cause) list.push(["Its cause", `${run.paths[cause[1]].name} on rank ${run.label[cause[0]]}`]);
  const own = run.causes.find((c) => c[0] === lane && s !== 6 && !isWait(s) && isBelow(run, run.path[i], c[1]));
  if (own) list.push(["Others wait", `${time(own[2] * 1e9, 3)} in all, for this function on this rank`]);
  return { name: p.name, state: STATES[s], begin, length: end - begin, list };
}

// The message that came last inside of the call, from the one who was waited for if there is one.
function messageOf(run, lane, begin, end, peer) {
  let best = -1;
  const arrived = (i) => run.messageBegin[i] + run.messageLength[i], slack = 2e4 / run.tickNs;
  for (let i = above(run.messageBegin, begin - run.longestMessage); i < run.messageBegin.length && run.messageBegin[i] <= end; i++) {
    if (run.messageTo[i] === lane && (peer === run.none || run.messageFrom[i] === peer) && arrived(i) >= begin && arrived(i) <= end + slack && (best < 0 || arrived(i) > arrived(best))) best = i;
  }
  return best;
}

const swatch = (id) => h("i", { class: `swatch ${id}` });
const describe = (run, f, lane) => `${f.state.name} \u00b7 rank ${run.label[lane]} \u00b7 at ${time(f.begin * run.tickNs, 6)}`;
const listed = (f) => h("dl", {}, f.list.map(([k, v]) => [h("dt", {}, k), h("dd", {}, v)]));

export function tooltip(run, hit, pointer) {
  const tip = $("tip");
  tip.hidden = !hit;
  if (!hit) return;
  if (hit.frame) {
    tip.replaceChildren(h("div", { class: "tip-head" }, h("b", {}, hit.frame.name), h("span", { class: "num" }, hit.frame.length)), h("div", { class: "muted" }, `Rank ${run.label[hit.frame.lane]}, from ${hit.frame.begin}`));
    placeTip(tip, pointer);
    return;
  }
  const f = facts(run, hit.lane, hit.i);
  tip.replaceChildren(h("div", { class: "tip-head" }, swatch(f.state.id), h("b", {}, f.name), h("span", { class: "num" }, time(f.length * run.tickNs))),
    h("div", { class: "muted" }, describe(run, f, hit.lane)), listed(f));
  placeTip(tip, pointer);
}

function placeTip(tip, pointer) {
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(8, Math.min(innerWidth - width - 8, pointer.pageX + 14))}px`;
  tip.style.top = `${Math.max(8, pointer.pageY + 18 + height > innerHeight - 8 ? pointer.pageY - height - 14 : pointer.pageY + 18)}px`;
}

export function lens(run, page, box) {
  let timer = 0;
  const row = (mark, name, value, share, go) => h("li", {}, h(go ? "button" : "div", { class: "row", onclick: go, vars: { "--share": share } },
    mark, h("span", { class: "name" }, name), h("span", { class: "num" }, value)));

  function selected() {
    const { sel } = page.state;
    if (!sel) return null;
    const f = facts(run, sel.lane, sel.i), place = run.find[sel.i];
    return h("section", { class: "picked" },
      h("header", {}, swatch(f.state.id), h("b", {}, f.name), h("span", { class: "num" }, time(f.length * run.tickNs)),
        h("button", { class: "quiet icon", "aria-label": "Clear the selection", onclick: () => page.set({ sel: null }) }, "\u00d7")),
      h("p", { class: "muted" }, describe(run, f, sel.lane)), listed(f),
      place !== run.none && run.state[sel.i] !== MIXED ? h("button", { class: "small", onclick: () => page.openPlace(place) }, "Open the finding") : null);
  }

  function patterns(found) { // of findings, by pattern
    const by = new Map();
    found.places.forEach((v, k) => v && by.set(run.places[k].title, (by.get(run.places[k].title) ?? 0) + v));
    return [...by].sort((p, q) => q[1] - p[1]).slice(0, MOST);
  }

  function goToWorst(title, from, to) {
    const worst = longestWait(run, from, to, (place) => run.places[place].title === title);
    page.set({ place: worst.place, lit: null, query: "" });
    page.timeline.select(worst.lane, worst.i, true);
  }

  function functions(found) {
    const by = new Map();
    found.paths.forEach((v, p) => v && by.set(run.paths[p].name, (by.get(run.paths[p].name) ?? 0) + v));
    if (found.mixed) by.set("many short ones", found.mixed);
    return [...by].sort((p, q) => q[1] - p[1]).slice(0, MOST);
  }

  function draw() {
    const { from, to, span } = page.state, [a, b] = span ?? [from, to], all = (b - a) * run.n, ns = run.tickNs;
    const found = sums(run, a, b), order = [...Array(N).keys()].filter((k) => found.states[k] > 0).sort((p, q) => found.states[q] - found.states[p]);
    const waits = patterns(found), tops = functions(found), us = (t) => (t * ns / 1e3).toFixed(3);
    const option = `--from ${us(a)}us --to ${us(b)}us`, share = (k) => `${STATES[k].name} ${percent(found.states[k] / all)}`;
    box.replaceChildren(...[selected(),
      h("section", {},
        h("header", {}, h("b", {}, span ? "Selected span" : "In view"), h("span", { class: "num" }, time((b - a) * ns)),
          span ? h("button", { class: "quiet icon", "aria-label": "Clear the span", onclick: () => page.set({ span: null }) }, "\u00d7") : null),
        h("div", { class: "shares thin", role: "img", "aria-label": order.map(share).join(", ") }, order.map((k) => h("i", { class: STATES[k].id, vars: { "flex-grow": found.states[k] } }))),
        h("ul", {}, order.map((k) => row(swatch(STATES[k].id), STATES[k].name, percent(found.states[k] / all), 0))),
        waits.length ? [h("h3", {}, "Waits"), h("ul", {}, waits.map(([title, v]) => row(null, title, time(v * ns, 3), v / waits[0][1], () => goToWorst(title, a, b))))] : null,
        h("h3", {}, "Functions"), h("ul", {}, tops.map(([name, v]) => row(null, name, time(v * ns, 3), v / tops[0][1], () => page.search(name)))),
        h("button", { class: "copy", title: "Copy for patscan and patscan dump", onclick: (e) => copy(option, e.currentTarget) }, h("code", {}, option), h("span", {}, "Copy"))),
      page.counts.messages && !page.counts.drawn && page.state.messages
        ? h("p", { class: "muted note" }, `${count(page.counts.messages)} messages in view. Lines are drawn below ${count(page.counts.limit)}: zoom in.`) : null].filter(Boolean));
  }

  // They come after the movement has ended: a frame has no time for them.
  const soon = () => { clearTimeout(timer); timer = setTimeout(draw, 40); };
  page.listen((changed) => { if (["from", "to", "span", "sel", "place", "messages", "part"].some((k) => changed.has(k))) soon(); });
  draw();
}
