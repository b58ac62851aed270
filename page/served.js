// Under `patscan view` the page asks for what it does not hold: the part of the run that is on the screen, as closely as it
// was recorded. It stands in the run in the place of what the page had there, so that all views show it.
import { PART_AROUND, covers, longest, ranges, stretchAt, unpack, withPart } from "./data.js";
import { $, h } from "./dom.js";

const REST = 30, STILL = 300, ALIVE = 60e3; // milliseconds
const OVERLAID = ["messageBegin", "messageLength", "messageBytes", "messageFrom", "messageTo", "collectiveBegin", "collectiveLast", "collectiveEnd", "collectiveLane", "collectivePath"];

function show(run, page, part) {
  const { sel } = page.state, at = sel && run.begin[sel.i], base = run.base;
  const isWhole = part?.begin.length > 0; // otherwise it has bins only: what is drawn one by one is what the page holds
  Object.assign(run, isWhole ? withPart(run, base, part) : base, { fine: part?.bins ? part : null, overlaid: isWhole ? part : null });
  for (const name of OVERLAID) run[name] = isWhole && !part.messagesLeftOut ? part[name] : base[name];
  run.longestMessage = run.messageLength === base.messageLength ? base.longestMessage : longest(run.messageLength);
  if (sel) page.set({ sel: { lane: sel.lane, i: stretchAt(run, sel.lane, at) } });
  page.set({ part: part ?? null });
}

async function ask(run, wish, signal) {
  const answer = await fetch(`part?from=${wish.from}&to=${wish.to}&lanes=${ranges(wish.lanes)}`, { signal });
  if (!answer.ok) throw new Error(await answer.text());
  const head = await answer.json();
  if (!head.columns || head.bins && head.bins * run.end < run.bins * (head.to - head.from)) return null; // too many: the page's own picture is close enough
  return { ...head, ...await unpack(head, head.data), data: null, isCoarse: head.bins > 0, lanes: wish.lanes, rowOf: new Map(wish.lanes.map((lane, row) => [lane, row])) };
}

export function startServed(run, page) {
  let timer = 0, abort = null, part = null, last = -STILL;
  const lost = h("p", { class: "note lost", role: "status", hidden: true }, "patscan view has ended: what is here stays, but nothing more comes.");
  const stale = h("p", { class: "note lost", role: "status", hidden: true }, "The trace has changed since this page was made: start patscan view again to see it.");
  $("run").querySelector(".timeline").before(lost, stale);
  const { leftOut } = run, isWhole = !leftOut.waits && !leftOut.others && !leftOut.messages && !leftOut.collectives;
  const hear = () => fetch("here").then((answer) => answer.text()).then((news) => { lost.hidden = true, stale.hidden = !news; }, () => { lost.hidden = false; });
  setInterval(hear, ALIVE), hear();
  async function lookIn() { // the lane that is open
    const { from, to, open, stack } = page.state, room = (to - from) * PART_AROUND;
    if (open == null || !run.stacks || stack?.lane === open && stack.from <= from && stack.to >= to && stack.to - stack.from <= (to - from) * 2) return;
    const answer = await fetch(`stack?from=${Math.max(0, Math.floor(from - room))}&to=${Math.min(run.end, Math.ceil(to + room))}&lanes=${open}`).catch(() => null);
    lost.hidden = answer !== null;
    if (answer?.ok && page.state.open === open) page.set({ stack: await answer.json() });
  }
  async function look() {
    lookIn();
    if (isWhole) return;
    const { from, to } = page.state, lanes = page.timeline.shown(), room = (to - from) * PART_AROUND;
    if (!lanes.length || covers(part, from, to, lanes)) return;
    abort?.abort();
    const { signal } = abort = new AbortController();
    const wish = { from: Math.max(0, Math.floor(from - room)), to: Math.min(run.end, Math.ceil(to + room)), lanes };
    try {
      const found = await ask(run, wish, signal);
      lost.hidden = true;
      if (signal.aborted) return; // somebody has moved on meanwhile
      part = found;
    } catch (e) {
      if (e.name !== "AbortError") lost.hidden = false;
      return;
    }
    show(run, page, part);
  }
  const soon = () => {
    const { from, to } = page.state;
    if (part && (from < part.from || to > part.to)) { part = null; show(run, page, null); }
    const now = performance.now(), isFirst = now - last >= STILL; // most often it is a jump, and the only one: what is wanted then is asked for before it is drawn
    clearTimeout(timer), last = now;
    if (isFirst) look(); else { abort?.abort(); timer = setTimeout(look, REST); }
  };
  page.listen((changed) => { if (["from", "to", "closed", "order", "scroll", "open"].some((k) => changed.has(k))) soon(); });
  soon();
}
