// How a program scales, in pictures: speed-up and efficiencies over the number of processes, of the whole run or of an interval.
import { percent, time } from "./data.js";
import { $, css, h } from "./dom.js";
import { figure } from "./figure.js";

const FACTORS = ["global", "parallel", "load balance", "communication", "serialization", "transfer", "computation scalability"];
const COLOURS = ["--ink", "--accent", "--loss", "--transfer", "--insufficient", "--good", "--wait-all"];
const LEFT = 44, RIGHT = 12, TOP = 8, BOTTOM = 24, HEIGHT = 220;

const speedupIdeal = (runs, n) => n / runs[0][0];

// The rows of a table: a line for each run, with what is not known left empty.
function scalingRows(runs) {
  return [["processes", "length_s", "speed-up", ...FACTORS], ...runs.map((r) => Array.from({ length: FACTORS.length + 3 }, (_, i) => r[i] ?? ""))];
}

// Places of values between two ends, in powers of two or evenly.
function scaleOf(low, high, from, to, isLog) {
  const at = isLog ? Math.log2 : (v) => v, span = at(high) - at(low) || 1;
  return (v) => from + (at(v) - at(low)) / span * (to - from);
}

function powersBetween(low, high) {
  const all = [];
  for (let k = Math.ceil(Math.log2(low) - 1e-9); 2 ** k <= high * (1 + 1e-9); k++) all.push(2 ** k);
  return all;
}

// curves: { name, colour, points: [[processes, value]], dashed }. ticks: of y.
function plot({ g, width }, curves, { low, high, isLog, ticks, label }) {
  const all = curves.flatMap((c) => c.points), x = scaleOf(Math.min(...all.map((p) => p[0])), Math.max(...all.map((p) => p[0])), LEFT, width - RIGHT, true);
  const y = scaleOf(low, high, HEIGHT - BOTTOM, TOP, isLog);
  g.font = `11px ${css("--sans")}`, g.lineWidth = 1, g.textBaseline = "middle";
  for (const t of ticks) {
    g.fillStyle = css("--line"), g.fillRect(LEFT, Math.round(y(t)), width - LEFT - RIGHT, 1);
    g.fillStyle = css("--muted"), g.textAlign = "right", g.fillText(label(t), LEFT - 6, y(t));
  }
  g.textAlign = "center", g.textBaseline = "alphabetic", g.fillStyle = css("--muted");
  for (const n of new Set(all.map((p) => p[0]))) g.fillText(String(n), x(n), HEIGHT - 8);
  for (const { colour, points, dashed } of curves) {
    g.strokeStyle = g.fillStyle = css(colour), g.lineWidth = 2;
    g.setLineDash(dashed ? [5, 4] : []);
    g.beginPath();
    points.forEach(([n, v], i) => g[i ? "lineTo" : "moveTo"](x(n), y(v)));
    g.stroke();
    g.setLineDash([]);
    if (!dashed) for (const [n, v] of points) g.beginPath(), g.arc(x(n), y(v), 3, 0, 7), g.fill();
  }
}

const known = (points) => points.filter(([, v]) => v != null && v > 0);

function legend(box, curves) {
  box.append(h("ul", { class: "legend" }, curves.map((c) => h("li", {}, h("i", { class: "swatch", vars: { background: `var(${c.colour})` } }), h("span", {}, c.name)))));
}

function speedups(box, data, runs, isWhole) {
  const points = known(runs.map((r) => [r[0], r[2]])), last = points.at(-1), ahead = isWhole ? known(data.ahead.map((a) => [a[0], a[2]])) : [];
  const most = Math.max(...points.map((p) => p[0]), ...ahead.map((p) => p[0])), first = runs[0][0];
  const curves = [{ name: "perfect", colour: "--muted", dashed: true, points: [[first, 1], [most, speedupIdeal(runs, most)]] }, { name: "as it runs", colour: "--accent", points }];
  if (ahead.length) curves.push({ name: "if it goes on like this", colour: "--accent", dashed: true, points: [last, ...ahead] });
  const values = curves.flatMap((c) => c.points.map((p) => p[1])), low = Math.min(...values), high = Math.max(...values);
  const rows = () => [...scalingRows(runs), ...ahead.length ? data.ahead.map((a) => [a[0], a[1] ?? "", a[2] ?? "", ...FACTORS.map(() => "")]) : []];
  const made = figure(box, { title: "Speed-up", note: "dashed: perfect speed-up, and the forecast", name: "speed-up", height: () => HEIGHT, rows,
    draw: (at) => plot(at, curves, { low, high, isLog: true, ticks: powersBetween(low, high), label: (v) => String(v < 1 ? `1/${1 / v}` : v) }),
    spots: () => spotsOf(runs, made.el.clientWidth, most),
    words: (px) => wordsAt(runs, px, made.el.clientWidth, most, (r) => `${r[0]} processes: ${time(r[1] * 1e9, 3)}, speed-up ${r[2]?.toFixed(2) ?? "not known"}`) });
  return made.paint;
}

// The places of the runs, for arrow keys.
const spotsOf = (runs, width, most) => runs.map((r) => [scaleOf(runs[0][0], most, LEFT, width - RIGHT, true)(r[0]), HEIGHT / 2]);

// What is said of the run whose place is nearest.
function wordsAt(runs, px, width, most, say) {
  const x = scaleOf(runs[0][0], most, LEFT, width - RIGHT, true);
  const near = runs.reduce((best, r) => Math.abs(x(r[0]) - px) < Math.abs(x(best[0]) - px) ? r : best);
  return Math.abs(x(near[0]) - px) < 40 ? say(near) : "";
}

function efficiencies(box, runs) {
  const curves = FACTORS.map((name, i) => ({ name, colour: COLOURS[i], points: known(runs.map((r) => [r[0], r[3 + i]])) })).filter((c) => c.points.length);
  if (!curves.length) return null;
  const high = Math.max(1, ...curves.flatMap((c) => c.points.map((p) => p[1]))), ticks = [0, 0.2, 0.4, 0.6, 0.8, 1];
  const made = figure(box, { title: "Efficiencies", note: "of the methodology of POP", name: "efficiencies", height: () => HEIGHT, rows: () => scalingRows(runs),
    draw: (at) => plot(at, curves, { low: 0, high, isLog: false, ticks, label: (v) => `${Math.round(v * 100)} %` }),
    spots: () => spotsOf(runs, made.el.clientWidth, runs.at(-1)[0]),
    words: (px) => wordsAt(runs, px, made.el.clientWidth, runs.at(-1)[0], (r) => `${r[0]} processes: ${FACTORS.map((f, i) => r[3 + i] == null ? null : `${f} ${percent(r[3 + i])}`).filter(Boolean).join(", ")}`) });
  legend(box.querySelector(".figure.efficiencies"), curves);
  return made.paint;
}

export function startScaling() {
  if (!$("scaling-data")) return;
  const data = JSON.parse($("scaling-data").textContent), box = $("scaling-pictures");
  const all = [{ name: "the whole run", runs: data.runs }, ...data.intervals.map(({ name, runs }) => ({ name, runs: runs.filter((r) => r[1] != null) }))];
  let paints = [];
  const show = (k) => {
    box.replaceChildren();
    paints = [speedups(box, data, all[k].runs, k === 0), efficiencies(box, all[k].runs)].filter(Boolean);
  };
  if (!$("tip")) document.body.append(h("div", { id: "tip", role: "tooltip", hidden: true }));
  if (!$("said")) document.body.append(h("div", { id: "said", class: "unseen", role: "status", "aria-live": "polite" }));
  if (all.length > 1) {
    box.before(h("label", { class: "pick" }, "Of ", h("select", { id: "scaling-of", onchange: (e) => show(Number(e.target.value)) }, all.map(({ name }, k) => h("option", { value: k }, name)))));
  }
  show(0);
  new MutationObserver(() => paints.forEach((paint) => paint())).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => paints.forEach((paint) => paint()));
}
