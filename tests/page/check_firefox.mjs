// check_firefox.mjs PAGE.html - the page in Firefox, driven by its own protocol (Marionette): it is drawn, zooms, finds and jumps.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const firefox = ["firefox-esr", "firefox"].find((name) => spawnSync("sh", ["-c", `command -v ${name}`]).status === 0);
if (!firefox) { console.log("no Firefox is installed"); process.exit(77); }
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const freePort = () => new Promise((done) => { const s = createServer().listen(0, "127.0.0.1", () => { const { port } = s.address(); s.close(() => done(port)); }); });

const port = await freePort(), profile = mkdtempSync(join(tmpdir(), "patscan-firefox-"));
writeFileSync(join(profile, "user.js"), `user_pref("marionette.port", ${port});\nuser_pref("app.update.enabled", false);\nuser_pref("datareporting.policy.dataSubmissionEnabled", false);\n`);
const child = spawn(firefox, ["--headless", "--marionette", "--no-remote", "--profile", profile], { stdio: "ignore", env: { ...process.env, HOME: profile } });
const end = async (code) => {
  child.kill("SIGKILL");
  await new Promise((done) => { if (child.exitCode != null || child.signalCode) done(); else child.on("exit", done); });
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  process.exit(code);
};

async function attach() {
  for (let k = 0; k < 300; k++) {
    const socket = await new Promise((done) => { const s = connect(port, "127.0.0.1", () => done(s)); s.on("error", () => done(null)); });
    if (socket) return socket;
    await pause(200);
  }
  throw new Error("Firefox does not listen");
}
const socket = await attach().catch(async (e) => { console.log(e.message); await end(1); });
let buffer = Buffer.alloc(0), last = 0;
const waiting = new Map();
socket.on("data", (chunk) => { // LENGTH:JSON
  buffer = Buffer.concat([buffer, chunk]);
  for (let at = buffer.indexOf(":"); at > 0 && buffer.length >= at + 1 + Number(buffer.subarray(0, at)); at = buffer.indexOf(":")) {
    const size = Number(buffer.subarray(0, at)), message = JSON.parse(buffer.subarray(at + 1, at + 1 + size));
    buffer = buffer.subarray(at + 1 + size);
    if (!Array.isArray(message)) continue;
    const [, id, error, result] = message, wait = waiting.get(id);
    waiting.delete(id);
    if (error) wait?.fail(new Error(error.message)); else wait?.done(result);
  }
});
const send = (command, parameters = {}) => new Promise((done, fail) => {
  const text = JSON.stringify([0, ++last, command, parameters]);
  waiting.set(last, { done, fail });
  socket.write(`${Buffer.byteLength(text)}:${text}`);
});
const evaluate = async (f, ...args) => (await send("WebDriver:ExecuteAsyncScript", { script: `const done = arguments[arguments.length - 1]; Promise.resolve((${f})(...Array.from(arguments).slice(0, -1))).then(done, (e) => done(String(e)));`, args, newSandbox: false, sandbox: null })).value;

let failed = 0;
const check = (name, holds, more = "") => { if (!holds) { failed++; console.log("FAILED", name, JSON.stringify(more)); } };
try {
  await send("WebDriver:NewSession", { capabilities: { alwaysMatch: {} } });
  await send("WebDriver:SetWindowRect", { width: 1440, height: 1000 });
  await send("WebDriver:Navigate", { url: `file://${process.argv[2]}` });
  for (let k = 0; k < 100 && !await evaluate(() => document.documentElement.dataset.ready !== undefined); k++) await pause(100);
  const seen = await evaluate(() => {
    const c = document.getElementById("timeline"), { data } = c.getContext("2d").getImageData(0, 30, c.width, c.height - 30), colours = new Set();
    for (let i = 0; i < data.length; i += 4) colours.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
    return { ready: document.documentElement.dataset.ready !== undefined, colours: colours.size, cards: document.querySelectorAll(".cards li").length, wide: document.documentElement.scrollWidth <= innerWidth };
  });
  check("it is ready and something is drawn", seen.ready && seen.colours > 4, seen);
  check("causes are cards, and nothing is too wide", seen.cards > 0 && seen.wide, seen);
  const zoomed = await evaluate(async () => {
    const { wrappedJSObject: page = window } = window, { state } = page.patscan.page, before = state.to - state.from;
    document.querySelector(".tools .group button:nth-child(2)").click();
    await new Promise((done) => setTimeout(done, 200));
    return (state.to - state.from) / before;
  });
  check("it zooms", zoomed < 0.9, zoomed);
  const jumped = await evaluate(async () => {
    const { wrappedJSObject: page = window } = window;
    document.querySelector(".findings .actions button").click();
    await new Promise((done) => setTimeout(done, 600));
    return page.patscan.page.state.sel !== null && document.querySelector(".lens .picked") !== null;
  });
  check("a finding shows its worst instance", jumped === true, jumped);
  const pictures = await evaluate(() => document.querySelectorAll("#pictures .figure").length);
  check("the other pictures are there", pictures >= 4, pictures);
} catch (e) { failed++; console.log("FAILED", e.message); }
console.log(failed ? `${failed} failed` : "all well");
await end(failed ? 1 : 0);
