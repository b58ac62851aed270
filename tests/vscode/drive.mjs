// drive.mjs PATSCAN FOLDER PICTURES - the extension in a real VS Code: code-server serves it, Chromium shows it. FOLDER holds
// work/ with the source and the reports of the demo. What is looked for: marks, the list, the page.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { chromium as browserName } from "../page/browser.mjs";

if (!browserName) { console.log("no Chromium is installed"); process.exit(77); }
const [, , patscan, folder, pictures] = process.argv, work = join(folder, "work"), here = (name) => fileURLToPath(new URL(name, import.meta.url));
const settings = { "patscan.program": patscan, "security.workspace.trust.enabled": false, "workbench.startupEditor": "none", "workbench.tips.enabled": false, "extensions.ignoreRecommendations": true,
  "telemetry.telemetryLevel": "off", "editor.minimap.enabled": false, "chat.disableAIFeatures": true, "workbench.colorTheme": "Default Light Modern", "window.commandCenter": false, "workbench.secondarySideBar.defaultVisibility": "hidden", "editor.fontSize": 13 };

// ---- code-server, with nothing but the extension ----

const home = join(folder, "home"), entry = here("node_modules/code-server/out/node/entry.js");
mkdirSync(join(home, "User"), { recursive: true });
writeFileSync(join(home, "User/settings.json"), JSON.stringify(settings));
const places = ["--user-data-dir", home, "--extensions-dir", join(folder, "extensions"), "--config", join(folder, "config.yaml")];
writeFileSync(join(folder, "config.yaml"), "auth: none\nbind-addr: 127.0.0.1:0\ncert: false\n");
const env = { ...process.env, HOME: folder };
const installed = spawnSync(process.execPath, [entry, ...places, "--install-extension", here("../../editors/vscode/patscan.vsix")], { env, encoding: "utf8" });
assert.match(installed.stdout, /successfully installed/, installed.stdout + installed.stderr);

const server = spawn(process.execPath, [entry, ...places, "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust", "--disable-getting-started-override", work], { env, stdio: ["ignore", "pipe", "pipe"] });
process.on("exit", () => server.kill("SIGTERM")); // whatever ends the test
let said = "";
server.stderr.setEncoding("utf8").on("data", (text) => { said += text; });
const address = await new Promise((done, fail) => {
  server.stdout.setEncoding("utf8").on("data", (text) => { said += text; const at = /HTTP server listening on (\S+)/.exec(said); if (at) done(at[1]); });
  server.on("exit", () => fail(new Error(`code-server ended: ${said}`)));
});

const browser = await chromium.launch({ executablePath: spawnSync("sh", ["-c", `command -v ${browserName}`], { encoding: "utf8" }).stdout.trim(), args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1320, height: 720 } });
page.setDefaultTimeout(60000);
const complaints = [];
page.on("console", (message) => { if (/Content Security Policy/.test(message.text())) complaints.push(message.text()); });

const command = async (words) => {
  await page.keyboard.press("F1");
  await page.locator(".quick-input-widget input").fill(`>${words}`);
  await page.locator(".quick-input-list .monaco-list-row.focused").waitFor();
  await page.keyboard.press("Enter");
};
const picture = (name) => page.screenshot({ path: join(pictures, `${name}.png`) });

const see = (selector, text) => page.locator(selector, { hasText: text }).first().waitFor();
const row = (text) => page.locator(".pane-body .monaco-list-row", { hasText: text }).first();
const until = async (what, seen) => { // the page's policy lets no library look by itself
  for (const end = Date.now() + 60000; Date.now() < end; await page.waitForTimeout(100)) {
    const found = await seen();
    if (found) return found;
  }
  throw new Error(`never: ${what}`);
};
const runFrame = async () => { // the page lies in a frame of a frame
  for (const frame of page.frames()) if (await frame.evaluate("window.patscan?.ready > 0").catch(() => false)) return frame;
  return null;
};

async function look() {
  const report = JSON.parse(readFileSync(join(work, "report.json"), "utf8")), shares = new Map();
  for (const finding of report.findings) shares.set(`${finding.site} ${finding.line}`, (shares.get(`${finding.site} ${finding.line}`) ?? 0) + finding.share);
  const n_warnings = [...shares.values()].filter((share) => share >= 0.01).length;

  // marks: all of them, before any file is opened
  await page.goto(new URL(`?folder=${encodeURIComponent(work)}`, address).href);
  await page.locator(`[id="status.problems"] [aria-label*="Warnings: ${n_warnings},"], [id="status.problems"] [aria-label*="${n_warnings} "]`).first().waitFor();

  // the list, and from it to the line: its mark, what is told over the function and behind the line
  await page.locator(".activitybar .action-label[aria-label='patscan']").click();
  await row("Late nonblocking send").waitFor();
  await row("heat.c:23").click();
  await page.locator(".monaco-editor .squiggly-warning").first().waitFor();
  await see(".codelens-decoration", "24.12 ms shorter if shared out evenly, worst on rank 2");
  const lost = report.findings.filter((f) => f.line === 23).reduce((sum, f) => sum + f.lost_s, 0);
  await see(".view-line", new RegExp(`MPI_Waitall.*${(lost * 1e3).toFixed(2)}\\sms\\slost`));
  await see("[id='status.editor.selection']", "Ln 23");

  // the page, at the finding whose action is used
  await row("heat.c:23").hover();
  await row("heat.c:23").getByRole("button", { name: "Show in the Run's Page" }).click();
  const frame = await until("the page", runFrame), place = () => frame.evaluate("window.patscan.run.places[window.patscan.page.state.place]?.id");
  const { site } = report.findings.find((f) => f.type === "late-nonblocking-send");
  await until("the finding in the page", async () => await place() === `finding-${site}-23`);
  assert.match(await frame.evaluate("document.querySelector('meta[http-equiv=Content-Security-Policy]').content"), /^default-src 'none'/);
  assert.notEqual(await frame.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--wait')"), "");
  assert.deepEqual(complaints, []);
  await page.waitForTimeout(1000); // the list has its colours, the page its pictures
  await picture("vscode");
  await row("heat.c:42").click();
  await see("[id='status.editor.selection']", "Ln 42");
  await page.locator(".view-line", { hasText: "MPI_Allreduce" }).click({ position: { x: 80, y: 5 } });
  const action = page.locator(".action-widget .monaco-list-row", { hasText: "Show it in the run's page" });
  await until("the menu of the light bulb", async () => { // it closes when something else happens to appear
    await page.keyboard.press("Control+.");
    return action.click({ timeout: 5000 }).then(() => true, () => false);
  });
  await until("the other finding in the page", async () => (await place())?.endsWith("-42"));

  // grouped otherwise; a report that changes; another one
  await command("patscan: Group by File");
  await row("traces/demo/heat.c").waitFor();
  writeFileSync(join(work, "report.json"), JSON.stringify({ ...report, findings: report.findings.filter((f) => f.type === "nxn-wait") }));
  await row("Late nonblocking send").waitFor({ state: "detached" });
  await row("Wait in an N-to-N operation").waitFor();
  writeFileSync(join(work, "other.json"), JSON.stringify({ ...report, findings: report.findings.filter((f) => f.type === "region-imbalance") }));
  await command("patscan: Choose a Report");
  await see(".quick-input-title", "A report or a trace");
  await until("the list of the other report", async () => { // while the picker reads the folder it may put its name back
    const input = page.locator(".quick-input-widget input");
    if (await input.isVisible()) {
      await input.fill(join(work, "other.json"));
      await see(".quick-input-list .monaco-list-row", "other.json");
      await page.keyboard.press("Enter");
    }
    return row("Imbalanced function").waitFor({ timeout: 3000 }).then(() => true, () => false);
  });
  assert.equal(JSON.parse(readFileSync(join(work, ".vscode/settings.json"), "utf8"))["patscan.report"], "other.json");
}

let verdict = 0;
try {
  await look();
  console.log("VS Code shows the marks, the list and the page");
} catch (error) {
  verdict = 1;
  await picture("failed");
  console.log(said, error);
}
await browser.close();
process.exit(verdict);
