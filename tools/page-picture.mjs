// page-picture.mjs PAGE.html OUT.png - the picture of a page that README.md shows: `patscan traces/demo --report
// html:PAGE.html`, as a window of 1440 x 900 shows it.
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { launch } from "../tests/page/browser.mjs";

const [, , file, out] = process.argv, browser = await launch(), page = await browser.page({ width: 1440, height: 900 });
await page.open(`file://${resolve(file)}`);
await page.evaluate(() => { // around the worst wait
  const { run, page: view } = window.patscan, [, from, to] = run.places[0].worst, room = 6 * (to - from);
  view.jump(0);
  view.timeline.show(from - room, to + room);
  view.set({ place: null });
  scrollTo({ top: 0, behavior: "instant" });
});
await page.pause(600);
writeFileSync(out, await page.screenshot());
await browser.close();
