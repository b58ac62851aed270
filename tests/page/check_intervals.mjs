// check_intervals.mjs PAGE.html [MADE.html ROWS]... - the intervals in a browser: one at a time is shown, a click on a head sorts,
// arrow keys walk the tree. Of each page that was made of numbers, with ROWS intervals: what the script makes of them is what the
// page holds for readers without one.
import { readFileSync } from "node:fs";
import { chromium, launch } from "./browser.mjs";

if (!chromium) { console.log("no Chromium is installed"); process.exit(77); }
const [, , file, ...made] = process.argv, browser = await launch();
let failed = 0;
const check = (name, holds, more = "") => { if (!holds) { failed++; console.log("FAILED", name, JSON.stringify(more)); } };
const now = (page) => page.evaluate("Array.from(document.querySelectorAll('.interval.now'), (e) => e.id).join()");
const names = (page) => page.evaluate("Array.from(document.querySelectorAll('#intervals > .scroll tbody th'), (th) => th.textContent).join()");

async function shows(page, hash, interval) {
  await page.evaluate((to) => { location.hash = to; }, hash);
  await page.pause(150);
  check(`#${hash} shows interval ${interval}`, await now(page) === `interval-${interval}`, await now(page));
}

const p = await browser.page();
await p.open(`file://${file}`);
check("the script runs", await p.evaluate("document.documentElement.classList.contains('js')"));
check("at first there is the whole run", await now(p) === "interval-0", await now(p));
await shows(p, "interval-3", 3);
await shows(p, "i2-comm", 2);
const again = await browser.page();
await again.open(`file://${file}#interval-3`);
check("a page opens on the interval of its address", await now(again) === "interval-3", await now(again));
await again.close();
await shows(p, "interval-0", 0);
// Lost: 117.4, 107.8, 107.8 and 96.81 ms; then up again; then as the tree is.
for (const order of ["exchange,the whole run,main,relax", "relax,main,the whole run,exchange", "the whole run,main,exchange,relax"]) {
  await p.evaluate("document.querySelectorAll('#intervals > .scroll thead button')[4].click()");
  check("a click on its head sorts by what was lost", await names(p) === order, await names(p));
}
await p.evaluate("document.querySelector('.interval.now').focus()");
for (const [key, interval] of [["ArrowDown", 1], ["ArrowDown", 2], ["ArrowRight", 3], ["ArrowRight", 3], ["ArrowLeft", 2], ["ArrowUp", 1], ["Home", 0]]) {
  await p.press(key);
  await p.pause(100);
  check(`${key} goes to interval ${interval}`, await now(p) === `interval-${interval}`, await now(p));
}
check("the console stays empty", !p.complaints.length, p.complaints);
await p.close();

// What a file holds for readers without a script, which a script takes away.
function scriptless(name) {
  const text = readFileSync(name, "utf8"), from = text.indexOf('<div class="scriptless">');
  return text.slice(from, text.indexOf("</section>", from));
}

// By interval: [id, what is told] of each characteristic that is held; then what is made of the same numbers.
const compare = async (text) => {
  const told = (cell) => [cell.getAttribute("value") ? Number(cell.getAttribute("value")) : "", cell.textContent, cell.title].join("|");
  const held = Array.from(new DOMParser().parseFromString(text, "text/html").querySelectorAll("tr[id]"), (tr) => [tr.id, Array.from(tr.querySelectorAll("data[id]"), (cell) => [cell.id, told(cell)])]), wrong = [];
  let compared = 0;
  for (const [id, cells] of held.reverse()) {
    location.hash = id;
    await new Promise((done) => addEventListener("hashchange", () => setTimeout(done), { once: true }));
    for (const [name, words] of cells) {
      const cell = document.getElementById(name);
      compared++;
      if (!cell || told(cell) !== words) wrong.push([name, words, cell && told(cell)]);
    }
  }
  document.querySelector(".unlisted button")?.click();
  return { compared, wrong, rows: document.querySelector("#intervals > .scroll > table").tBodies[0].rows.length };
};
for (let k = 0; k < made.length; k += 2) {
  const page = await browser.page();
  await page.open(`file://${made[k]}#i9-comm`);
  check(`${made[k]}: #i9-comm shows interval 9`, await now(page) === "interval-9", await now(page));
  const found = await page.evaluate(compare, scriptless(made[k]));
  check(`${made[k]}: what is made is what was held`, !found.wrong.length, found.wrong.slice(0, 5));
  check(`${made[k]}: 64 intervals, 18 characteristics and 5 of the one class of operations`, found.compared === 64 * 23, found.compared);
  check(`${made[k]}: all intervals are listed when asked for`, found.rows === Number(made[k + 1]), found.rows);
  check(`${made[k]}: the console stays empty`, !page.complaints.length, page.complaints);
  await page.close();
}
await browser.close();
console.log(failed ? `${failed} failed` : "all well");
process.exit(failed ? 1 : 0);
