// A second run below the first one: measured and predicted, or two that are compared. Both show the same stretch of time,
// counted from where their focus begins, or from where an interval begins that both have.
import { makeRun, sameVisit, unpack } from "./data.js";
import { $, h, say, store } from "./dom.js";
import { tooltip } from "./lens.js";
import { timeline } from "./timeline.js";

export async function startBeside(run, page, frame) {
  if (!$("beside-data")) return null;
  const head = JSON.parse($("beside-data").textContent), other = makeRun(head, await unpack(head, $("beside-columns").textContent));
  $("beside-columns").remove();
  const otherPage = Object.assign(store({ ...page.state, sel: null, place: null, lit: null, span: null, critical: false, causes: false }), { counts: {}, hover: (hit, pointer) => tooltip(other, hit, pointer) });
  const stage = h("div", { class: "stage second" }), ns = [run.tickNs, other.tickNs];
  frame.querySelector(".stage").before(h("h3", { class: "which" }, head.title ? run.title : ""));
  frame.append(h("h3", { class: "which second" }, head.title), stage);
  const view = otherPage.timeline = timeline(other, otherPage, stage, "timeline-beside");

  let origin = [run.hull[0], other.hull[0]]; // what stands below what
  const there = (t) => (t - origin[0]) * ns[0] / ns[1] + origin[1], back = (t) => (t - origin[1]) * ns[1] / ns[0] + origin[0];
  let isLinking = false;
  const link = (from, to, map) => { // one moves the other, and is not moved back by it
    if (isLinking) return;
    isLinking = true;
    to.set({ from: map(from.state.from), to: map(from.state.to), span: from.state.span?.map(map) ?? null });
    isLinking = false;
  };
  const moves = (changed) => ["from", "to", "span"].some((k) => changed.has(k));
  page.listen((changed) => {
    if (moves(changed)) link(page, otherPage, there);
    for (const key of ["messages", "order"]) if (changed.has(key)) otherPage.set({ [key]: page.state[key] });
    if (changed.has("align")) align();
  });
  otherPage.listen((changed) => { if (moves(changed)) link(otherPage, page, back); });

  function align() {
    const { sel } = page.state, found = page.state.align === "interval" && sel ? sameVisit(run, other, sel.lane, sel.i) : null;
    origin = found ? [run.begin[sel.i], other.begin[found.i]] : [run.hull[0], other.hull[0]];
    if (page.state.align === "interval" && !found) { say("The other run has no such interval"); note.textContent = sel ? "The other run has no such interval." : "Select an interval first."; page.set({ align: "focus" }); return; }
    if (found) otherPage.set({ sel: found });
    note.textContent = found ? `at the begin of ${run.paths[run.path[sel.i]].name} on rank ${run.label[sel.lane]}` : "";
    link(page, otherPage, there);
  }
  const note = h("span", { class: "muted note", role: "status" });
  const pick = h("select", { onchange: (e) => page.set({ align: e.target.value }) }, h("option", { value: "focus" }, "begin of the focus"), h("option", { value: "interval" }, "selected interval"));
  page.listen((changed) => { if (changed.has("align")) pick.value = page.state.align; });
  frame.querySelector(".tools .gap").after(h("label", { class: "pick" }, "Aligned by ", pick), note);
  link(page, otherPage, there);
  return { run: other, main: page, page: otherPage, repaint: () => view.repaint() };
}
