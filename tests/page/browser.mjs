// A browser to test with: the Chromium that is installed, driven over a pipe by its own protocol. No library is needed.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const chromium = ["chromium", "chromium-browser", "google-chrome", "chrome"].find((name) => spawnSync("sh", ["-c", `command -v ${name}`]).status === 0);

export async function launch() {
  const profile = mkdtempSync(join(tmpdir(), "patscan-browser-"));
  const child = spawn(chromium, ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe", "--allow-file-access-from-files", `--user-data-dir=${profile}`],
    { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  process.on("exit", () => child.kill("SIGKILL")); // whatever ends the test
  const waiting = new Map(), listeners = new Set();
  let buffer = "", last = 0;
  child.stdio[4].setEncoding("utf8").on("data", (chunk) => {
    const parts = (buffer + chunk).split("\0");
    buffer = parts.pop();
    for (const part of parts) {
      const message = JSON.parse(part), wait = waiting.get(message.id);
      if (!wait) { for (const f of listeners) f(message); continue; }
      waiting.delete(message.id);
      if (message.error) wait.fail(new Error(`${wait.method}: ${message.error.message}`)); else wait.done(message.result);
    }
  });
  child.on("exit", () => { for (const wait of waiting.values()) wait.fail(new Error("the browser ended")); });
  const send = (method, params = {}, sessionId = undefined) => new Promise((done, fail) => {
    waiting.set(++last, { done, fail, method });
    child.stdio[3].write(`${JSON.stringify({ id: last, method, params, sessionId })}\0`);
  });
  const close = async () => {
    await send("Browser.close").catch(() => {});
    await new Promise((done) => { if (child.exitCode != null) done(); else child.on("exit", done); });
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  return { page: (options) => openPage(send, listeners, options), close };
}

// What is serious for those who do not see the page; nothing where the tool that knows is not installed (page/package.json).
export async function barriers(browser, url, options = {}, before = "") {
  const axe = new URL("../../page/node_modules/axe-core/axe.min.js", import.meta.url);
  if (!existsSync(axe)) return [];
  const page = await browser.page(options);
  await page.call("Page.setBypassCSP", { enabled: true });
  await page.open(url);
  await page.until("!window.patscan || document.getElementById('pictures')?.dataset.drawn !== undefined");
  await page.evaluate(`(() => { ${before} })()`);
  await page.pause(300);
  await page.call("Runtime.evaluate", { expression: readFileSync(axe, "utf8") });
  const found = await page.evaluate("window.axe.run().then((r) => r.violations.map((v) => [v.impact, v.id, v.nodes[0].target.join(' ')]))");
  await page.close();
  return found.filter(([impact]) => impact === "serious" || impact === "critical");
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function openPage(send, listeners, { width = 1440, height = 900, ratio = 1, dark = false, print = false, reduced = true } = {}) {
  const { targetId } = await send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
  const call = (method, params) => send(method, params, sessionId);
  const complaints = [];
  const hear = (m) => {
    if (m.sessionId !== sessionId) return;
    if (m.method === "Runtime.consoleAPICalled") complaints.push(m.params.args.map((a) => a.value ?? a.description).join(" "));
    if (m.method === "Runtime.exceptionThrown") complaints.push(m.params.exceptionDetails.exception?.description ?? m.params.exceptionDetails.text);
    if (m.method === "Log.entryAdded") complaints.push(m.params.entry.text);
  };
  listeners.add(hear);
  await Promise.all([call("Page.enable"), call("Runtime.enable"), call("Log.enable"),
    call("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: ratio, mobile: false }),
    call("Emulation.setEmulatedMedia", { media: print ? "print" : "", features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }, { name: "prefers-reduced-motion", value: reduced ? "reduce" : "no-preference" }] })]);
  const evaluate = async (expression, ...args) => {
    const source = typeof expression === "function" ? `(${expression})(${args.map((a) => JSON.stringify(a)).join(",")})` : expression;
    const { result, exceptionDetails } = await call("Runtime.evaluate", { expression: source, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  const until = async (expression, ms = 60000) => {
    for (const end = Date.now() + ms; Date.now() < end; await pause(20)) if (await evaluate(expression)) return;
    throw new Error(`never: ${expression}`);
  };
  const mouse = (type, x, y, more = {}) => call("Input.dispatchMouseEvent", { type, x, y, ...more });
  return {
    call, evaluate, until, complaints, pause,
    open: async (url) => {
      await call("Page.navigate", { url: "about:blank" });
      await call("Page.navigate", { url });
      await until("document.documentElement?.dataset.ready !== undefined && location.href !== 'about:blank'");
    },
    move: (x, y) => mouse("mouseMoved", x, y),
    wheel: (x, y, deltaY) => mouse("mouseWheel", x, y, { deltaX: 0, deltaY }),
    click: async (x, y) => { await mouse("mouseMoved", x, y); await mouse("mousePressed", x, y, { button: "left", clickCount: 1 }); await mouse("mouseReleased", x, y, { button: "left", clickCount: 1 }); },
    drag: async (x0, y0, x1, y1, modifiers = 0) => {
      await mouse("mouseMoved", x0, y0, { modifiers });
      await mouse("mousePressed", x0, y0, { button: "left", clickCount: 1, modifiers });
      for (let k = 1; k <= 5; k++) await mouse("mouseMoved", x0 + (x1 - x0) * k / 5, y0 + (y1 - y0) * k / 5, { button: "left", buttons: 1, modifiers });
      await mouse("mouseReleased", x1, y1, { button: "left", clickCount: 1, modifiers });
    },
    press: async (key, text = key.length === 1 ? key : undefined) => {
      await call("Input.dispatchKeyEvent", { type: "keyDown", key, text });
      await call("Input.dispatchKeyEvent", { type: "keyUp", key });
    },
    fingers: (type, ...places) => call("Input.dispatchTouchEvent", { type, touchPoints: places.map(([x, y], id) => ({ x, y, id })) }),
    type: (text) => call("Input.insertText", { text }),
    screenshot: async (isFull = false) => Buffer.from((await call("Page.captureScreenshot", { format: "png", captureBeyondViewport: isFull })).data, "base64"),
    close: async () => { listeners.delete(hear); await send("Target.closeTarget", { targetId }); },
  };
}
