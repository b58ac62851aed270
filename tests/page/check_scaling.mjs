// check_scaling.mjs PAGE.html REPORT.json - how a program scales, in pictures, of several runs or of two that are compared: what they
// show is what the report says.
import { readFileSync } from "node:fs";
import { barriers, chromium, launch } from "./browser.mjs";

if (!chromium) { console.log("no Chromium is installed"); process.exit(77); }
const [file, json] = process.argv.slice(2), told = JSON.parse(readFileSync(json)), report = told.scaling ?? told, browser = await launch();
let failed = 0;
const check = (name, holds, more = "") => { if (!holds) { failed++; console.log("FAILED", name, JSON.stringify(more)); } };
const p = await browser.page();
await p.open(`file://${file}`);
const table = async (name) => p.evaluate((wanted) => {
  const figure = document.querySelector(`.figure.${wanted}`);
  figure.querySelector("button").click();
  const rows = [...figure.querySelectorAll("tr")].map((r) => [...r.cells].map((c) => c.textContent));
  figure.querySelector("button").click();
  return rows;
}, name);
const ahead = report.forecast.filter((f) => f.speedup != null);
const near = (a, b) => b == null ? a === "" : Math.abs(Number(a) - b) <= 1e-6 * Math.max(1, Math.abs(b));
await p.evaluate(() => document.getElementById("scaling-pictures").scrollIntoView({ behavior: "instant" })); // pictures are drawn once they are seen
const count = () => [...document.querySelectorAll("#scaling-pictures canvas")].map((c) => {
  const copy = new OffscreenCanvas(c.width, c.height).getContext("2d", { willReadFrequently: true }); // it is asked often, the page's own is not
  copy.drawImage(c, 0, 0);
  const { data } = copy.getImageData(0, 0, c.width, c.height);
  let n = 0;
  for (let i = 3; i < data.length; i += 4) n += data[i] > 0;
  return n;
});
await p.until(`(${count})().filter((n) => n > 1000).length === 2`, 20000).catch(() => {}); // when that is depends on what else runs
const drawn = await p.evaluate(count);
check("two pictures are drawn", drawn.filter((n) => n > 1000).length === 2, drawn);
const [, ...speedups] = await table("speed-up"), [heads, ...factors] = await table("efficiencies");
check("the speed-up is that of the report, and of what lies ahead", speedups.length === report.runs.length + ahead.length &&
  [...report.runs, ...ahead].every((r, i) => near(speedups[i][0], r.locations) && near(speedups[i][1], r.duration_s) && near(speedups[i][2], r.speedup)), speedups);
check("so are the efficiencies", factors.length === report.runs.length && report.runs.every((r, i) =>
  heads.slice(3).every((name, k) => near(factors[i][3 + k], r.efficiency[name.replace(" ", "_")]))), factors);
for (const [k, interval] of report.intervals.entries()) {
  await p.evaluate((chosen) => { const e = document.getElementById("scaling-of"); e.value = String(chosen + 1); e.dispatchEvent(new Event("change")); }, k);
  const rows = (await table("speed-up")).slice(1), runs = interval.runs.filter((r) => r.duration_s != null);
  check(`interval ${interval.interval}`, rows.length === runs.length && runs.every((r, i) => near(rows[i][1], r.duration_s) && near(rows[i][2], r.speedup)), rows);
}
await p.evaluate(() => { // the second run by the arrow keys
  const c = document.querySelector(".figure.speed-up canvas");
  for (let n = 0; n < 2; n++) c.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
});
check("arrow keys tell of a run", (await p.evaluate("document.getElementById('tip').textContent")).startsWith(`${report.runs[1].locations} processes`));
check("an interval can be chosen", report.intervals.length > 0);
check("nothing to complain", !p.complaints.length, p.complaints);
await p.close();
const found = await barriers(browser, `file://${file}`);
check("nothing serious for those who do not see it", !found.length, found);
for (const options of [{ width: 390, height: 844 }, { dark: true }]) {
  const other = await browser.page(options);
  await other.open(`file://${file}`);
  check("no sideways scrolling", await other.evaluate("document.documentElement.scrollWidth <= innerWidth"), options);
  check("no complaint", !other.complaints.length, other.complaints);
  await other.close();
}
await browser.close();
process.exit(failed ? 1 : 0);
