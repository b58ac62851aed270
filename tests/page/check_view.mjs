// check_view.mjs PATSCAN TRACE [SERVER] - `patscan view` in a browser: it prints an address and nothing else, its page is that of
// the report, asks for what it does not hold, and says so when nobody answers. SERVER serves a run that its page holds a part of.
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { chromium, launch } from "./browser.mjs";

if (!chromium) { console.log("no Chromium is installed"); process.exit(77); }
const [, , patscan, trace, little] = process.argv, browser = await launch();
let failed = 0;
const check = (name, holds, more = "") => { if (!holds) { failed++; console.log("FAILED", name, JSON.stringify(more)); } };

async function serve(program, words, env = {}) {
  const child = spawn(program, words, { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, ...env } });
  let said = "";
  process.on("exit", () => child.kill("SIGKILL")); // whatever ends the test
  child.stdout.setEncoding("utf8");
  const ended = new Promise((done) => child.on("exit", (code, signal) => done(code ?? signal)));
  await new Promise((done) => { child.stdout.on("data", (text) => { said += text; if (said.includes("\n")) done(); }); ended.then(done); });
  return { address: said.trim(), said: () => said, stop: () => { child.kill("SIGINT"); return ended; } };
}

// -- the program
const whole = await serve(patscan, ["view", trace, "-q"]), p = await browser.page();
check("the address is one of this machine, with a token", /^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/$/.test(whole.address), whole.address);
await p.open(whole.address);
check("the page is there", await p.evaluate("document.getElementById('timeline') !== null && window.patscan.run.served === 1"));
const outside = new URL(whole.address);
check("without the token nothing is", (await fetch(outside.origin)).status === 403 && (await fetch(`${outside.origin}/${"0".repeat(32)}/`)).status === 403);
check("another origin is refused", (await fetch(whole.address, { headers: { Origin: "http://evil.example" } })).status === 403);
check("a policy comes as a header", /default-src 'none'.*connect-src 'self'/.test((await fetch(whole.address)).headers.get("content-security-policy")));
await p.evaluate("window.patscan.page.set({ open: 0 }), window.patscan.page.timeline.show(3e6, 9e6)");
await p.until("window.patscan.page.state.stack !== null");
const stack = await p.evaluate("(({ lane, from, to, names, frames }) => ({ lane, from, to, names, n: frames.length / 4 }))(window.patscan.page.state.stack)");
check("a rank's call stack comes, anywhere", stack.lane === 0 && stack.from <= 3e6 && stack.to >= 9e6 && stack.n > 4 && stack.names.includes("relax") && stack.names.includes("main"), stack);
check("its console stays empty", !p.complaints.length, p.complaints);
const isStale = () => p.evaluate("[...document.querySelectorAll('.note.lost')].some((note) => !note.hidden && note.textContent.includes('has changed'))");
check("nothing has changed", !await isStale());
await p.close();
check("Ctrl-C ends it well", await whole.stop() === 0);
check("the address is its only line", whole.said() === `${whole.address}\n`, whole.said());

// -- a trace that is written again
const kept = mkdtempSync(`${tmpdir()}/view-`);
cpSync(trace, `${kept}/run`, { recursive: true });
const old = await serve(patscan, ["view", `${kept}/run`, "-q"]), r = await browser.page();
utimesSync(`${kept}/run/traces.def`, 1, 1);
await r.open(old.address);
await r.until("[...document.querySelectorAll('.note.lost')].some((note) => !note.hidden && note.textContent.includes('has changed'))");
await r.close();
await old.stop();
rmSync(kept, { recursive: true });

// -- a run that the page holds a part of: rank 1 waits from 15 to 20 ms, which the file leaves out
if (little) {
  const server = await serve(little, [], { PS_SERVE_A_LITTLE: "1" }), q = await browser.page();
  await q.open(`${server.address}#t=14000000-21000000`);
  await q.until("window.patscan.page.state.part !== null");
  const states = () => q.evaluate(() => {
    const { run } = window.patscan, out = [];
    for (let i = run.first[1]; i < run.first[2]; i++) out.push([run.begin[i], run.state[i]]);
    return out;
  });
  const told = await states();
  check("what the page left out comes", [[15e6, 1], [20e6, 3], [20.2e6, 0]].every(([t, s]) => told.some(([u, v]) => u === t && v === s)), told);
  await q.until("document.querySelector('.lens').textContent.includes('Waiting for a partner')"); // the panel sums up what came
  await q.until("window.patscan.page.counts.messages >= 1"); // messages come, too
  check("its console stays empty, too", !q.complaints.length, q.complaints);
  await server.stop();
  await q.evaluate("window.patscan.page.timeline.show(50e6, 99e6)");
  await q.until("document.querySelector('.lost').hidden === false"); // it says when nobody answers any more
  await q.close();
}
await browser.close();
console.log(failed ? `${failed} failed` : "all well");
process.exit(failed ? 1 : 0);
