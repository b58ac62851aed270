// Wheel, mouse and fingers on the timeline: one drags or selects, two pinch; the map moves the view.
import { endOf } from "./data.js";

export function addPointers(view) {
  const { run, page, box, mapBox, scroller, frame, ruler, show, zoom, move, glide, span, timeAt, hitTest, select } = view, { state } = page;
  let drag = null, otherScroll = 0;
  const fingers = new Map();
  addEventListener("wheel", (e) => { if (!box.contains(e.target)) otherScroll = e.timeStamp; }, { passive: true });
  box.addEventListener("wheel", (e) => {
    const isWhole = span() >= run.end && e.deltaY > 0;
    if (e.timeStamp - otherScroll < 400 || isWhole && !e.ctrlKey) return; // a scroll of the page that comes by
    if (e.shiftKey && view.isTall()) return; // of the lanes
    e.preventDefault();
    if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) move(e.deltaX / view.width());
    else zoom(Math.exp(Math.max(-60, Math.min(60, e.deltaY)) * 0.004), timeAt(e.clientX - box.getBoundingClientRect().left));
  }, { passive: false });
  scroller.addEventListener("scroll", () => view.scrolled(scroller.scrollTop));
  const place = (e) => {
    const r = frame.getBoundingClientRect();
    return { x: e.clientX - r.left, y: e.clientY - r.top, pageX: e.clientX, pageY: e.clientY };
  };
  box.addEventListener("pointerdown", (e) => {
    if (e.button) return;
    const p = place(e);
    view.point(p); // a finger comes without having moved
    fingers.set(e.pointerId, p.x);
    drag = { ...p, from: state.from, to: state.to, spans: e.shiftKey || p.y < ruler, moved: false };
    if (fingers.size === 2) { const [a, b] = [...fingers.values()].map(timeAt); drag = { pinch: [a, b] }; }
    box.setPointerCapture(e.pointerId);
  });
  function pinch() { // what was below the fingers stays there
    const [a, b] = fingers.values(), [ta, tb] = drag.pinch;
    if (Math.abs(b - a) < 8) return;
    const size = (tb - ta) / (b - a);
    show(ta - a * size, ta - a * size + view.width() * size);
  }
  box.addEventListener("pointermove", (e) => {
    const pointer = place(e);
    view.point(pointer);
    if (fingers.has(e.pointerId)) fingers.set(e.pointerId, pointer.x);
    if (drag?.pinch) { pinch(); return; }
    if (drag && Math.abs(pointer.x - drag.x) > 3) drag.moved = true;
    if (drag?.moved && drag.spans) page.set({ span: [timeAt(Math.min(drag.x, pointer.x)), timeAt(Math.max(drag.x, pointer.x))].map((v) => Math.max(0, Math.min(run.end, v))) });
    else if (drag?.moved) { const by = (drag.x - pointer.x) / view.width() * (drag.to - drag.from); show(drag.from + by, drag.to + by); }
    box.classList.toggle("moving", !!drag?.moved && !drag.spans);
    page.hover?.(drag?.moved ? null : hitTest(), pointer);
  });
  const lift = (e) => {
    fingers.delete(e.pointerId);
    if (e.type === "pointerup" && drag && !drag.moved && !drag.pinch) { const hit = hitTest(); if (hit && !hit.frame) select(hit.lane, hit.i); else page.set({ span: null }); }
    if (!fingers.size) drag = null;
    box.classList.remove("moving");
  };
  box.addEventListener("pointerup", lift);
  box.addEventListener("pointercancel", lift);
  box.addEventListener("pointerleave", () => { page.hover?.(null); view.point(null); });
  box.addEventListener("dblclick", () => { const hit = hitTest(); if (hit && !hit.frame) { const a = run.begin[hit.i], b = endOf(run, hit.lane, hit.i); glide(a - (b - a), b + (b - a)); } });
  const toMap = (e) => { const r = mapBox.getBoundingClientRect(), at = (e.clientX - r.left) / r.width * run.end; show(at - span() / 2, at + span() / 2); };
  mapBox.addEventListener("pointerdown", (e) => { mapBox.setPointerCapture(e.pointerId); toMap(e); });
  mapBox.addEventListener("pointermove", (e) => { if (e.buttons) toMap(e); });
}
