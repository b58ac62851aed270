// check_protocol.mjs PATSCAN FOLDER - the whole conversation with `patscan lsp`, as VS Code's own protocol library has it: that
// library refuses what is no message. FOLDER holds traces/demo/heat.c, report.json and report.html of the demo.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const protocol = createRequire(new URL("../../editors/vscode/package.json", import.meta.url))("vscode-languageserver-protocol/node");
const [, , patscan, folder] = process.argv, WAIT_MS = 20000;
const uriOf = (name) => pathToFileURL(join(folder, name)).href;

// ---- a report of two files: the waits in MPI_Allreduce are told to stand in a copy, behind what UTF-8 and UTF-16 count apart ----

const [heat, norm] = ["traces/demo/heat.c", "traces/demo/norm.c"].map(uriOf), report = JSON.parse(readFileSync(join(folder, "report.json"), "utf8"));
const text = readFileSync(join(folder, "traces/demo/heat.c"), "utf8"), lines = text.split("\n"), CALL = 41, bytes = (part) => Buffer.byteLength(part) + 1;
lines[CALL] = lines[CALL].replace("MPI_Allreduce", "/* \u0441\u0443\u043c\u043c\u0430 \u{1f4a7} */ MPI_Allreduce");
writeFileSync(join(folder, "traces/demo/norm.c"), lines.join("\n"));
const [begin, end] = ["MPI_Allreduce", "("].map((word) => lines[CALL].indexOf(word));
for (const finding of report.findings) if (finding.type === "nxn-wait") {
  Object.assign(finding, { file: "traces/demo/norm.c", line_text: lines[CALL], column: bytes(lines[CALL].slice(0, begin)), column_end: bytes(lines[CALL].slice(0, end)) });
}
const writeReport = (findings) => {
  writeFileSync(join(folder, "report.new"), JSON.stringify({ ...report, findings }));
  renameSync(join(folder, "report.new"), join(folder, "report.json"));
};
writeReport(report.findings);
assert(report.findings.some((f) => f.file.endsWith("norm.c")) && report.findings.some((f) => f.file.endsWith("heat.c")));

// ---- the client: what it is told, and who waits for it ----

const server = spawn(patscan, ["lsp", "report.json"], { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
process.on("exit", () => server.kill("SIGKILL")); // whatever ends the test
const ended = new Promise((done) => server.on("exit", (code, signal) => done(code ?? signal)));
const connection = protocol.createProtocolConnection(new protocol.StreamMessageReader(server.stdout), new protocol.StreamMessageWriter(server.stdin),
  { error: (m) => assert.fail(m), warn: (m) => assert.fail(m), info() {}, log() {} });
const marks = new Map(), shown = [], waiting = new Set();
const heard = () => { for (const look of waiting) look(); };
connection.onNotification(protocol.PublishDiagnosticsNotification.type, ({ uri, diagnostics }) => { marks.set(uri, diagnostics); heard(); });
connection.onRequest(protocol.ShowDocumentRequest.type, (params) => { shown.push(params); heard(); return { success: true }; });
connection.onUnhandledNotification((m) => assert.fail(`unexpected: ${m.method}`));
connection.onClose(heard);
connection.listen();

const until = (what, holds) => new Promise((done, fail) => {
  const timer = setTimeout(() => fail(new Error(`never: ${what}`)), WAIT_MS);
  const look = () => { if (holds()) { clearTimeout(timer); waiting.delete(look); done(); } };
  waiting.add(look);
  look();
});
const codes = (uri) => new Set((marks.get(uri) ?? []).map((d) => d.code));
const textDocument = { uri: heat }, at = (line, character = 0) => ({ line, character });
const lineRange = (line) => ({ start: at(line), end: at(line, 1) });

// ---- it begins, and all files are marked before any is opened ----

const { capabilities, serverInfo } = await connection.sendRequest(protocol.InitializeRequest.type, { processId: process.pid, rootUri: pathToFileURL(folder).href, workspaceFolders: null,
  capabilities: { window: { showDocument: { support: true } }, textDocument: { publishDiagnostics: { relatedInformation: true } } } });
assert.equal(serverInfo.name, "patscan");
assert(capabilities.hoverProvider && capabilities.codeLensProvider && capabilities.inlayHintProvider && capabilities.codeActionProvider);
await connection.sendNotification(protocol.InitializedNotification.type, {});
await connection.sendNotification(protocol.DidChangeConfigurationNotification.type, { settings: null });
await until("marks of both files", () => marks.size === 2 && codes(heat).size && codes(norm).size);
assert.deepEqual(codes(norm), new Set(["nxn-wait"]));
assert.deepEqual(marks.get(norm)[0].range, { start: at(CALL, begin), end: at(CALL, end) });
const wait = marks.get(heat).find((d) => d.code === "late-nonblocking-send");
assert.deepEqual(wait.range, { start: at(22, 8), end: at(22, 53) });
assert.equal(wait.severity, protocol.DiagnosticSeverity.Warning);
assert.deepEqual(wait.relatedInformation.map((r) => [r.location.uri, r.location.range.start.line]), [[heat, 21], [heat, 25]]);

// ---- a file is opened: marked again; what is asked about it ----

marks.clear();
await connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, { textDocument: { ...textDocument, languageId: "c", version: 1, text } });
await until("marks of the opened file", () => codes(heat).has("late-nonblocking-send"));

const lenses = await connection.sendRequest(protocol.CodeLensRequest.type, { textDocument });
assert.match(lenses.find((l) => l.range.start.line === 25).command.title, /makes others wait .*24\.12 ms shorter .*worst on rank 2/);
const { contents } = await connection.sendRequest(protocol.HoverRequest.type, { textDocument, position: at(22, 10) });
assert.equal(contents.kind, "markdown");
for (const part of ["Late nonblocking send", "rank 2", "balance:main>relax!", "Lost: "]) assert(contents.value.includes(part), part);
assert.equal(await connection.sendRequest(protocol.HoverRequest.type, { textDocument, position: at(0) }), null);
const hints = await connection.sendRequest(protocol.InlayHintRequest.type, { textDocument, range: { start: at(20), end: at(25) } });
assert.deepEqual(hints.map((h) => h.position), [at(22, 53)]);
assert.match(hints[0].label, /^[\d.]+ ms lost$/);

// ---- what can be done about a finding ----

const run = ({ command }) => connection.sendRequest(protocol.ExecuteCommandRequest.type, { command: command.command, arguments: command.arguments });
const actions = await connection.sendRequest(protocol.CodeActionRequest.type, { textDocument, range: lineRange(22), context: { diagnostics: [wait] } });
const action = (name) => actions.find((a) => a.command.command === `patscan.${name}`);
for (const [name, check] of [
  ["showCause", ({ uri, selection }) => uri === heat && selection.start.line === 25],
  ["explain", ({ uri }) => readFileSync(new URL(uri), "utf8").includes("Late nonblocking send")],
  ["showPage", ({ uri, external }) => external && uri === `${uriOf("report.html")}#finding-${wait.data.site}-23`]]) {
  shown.length = 0;
  assert.equal(await run(action(name)), null);
  await until(`a document by ${name}`, () => shown.length === 1);
  assert(check(shown[0]), `${name}: ${JSON.stringify(shown[0])}`);
}
const others = marks.get(heat).filter((d) => d.data.site !== wait.data.site);
assert.equal(await run(action("ignore")), null);
await until("that the ignored finding goes", () => !codes(heat).has("late-nonblocking-send"));
assert.deepEqual(marks.get(heat), others);
assert.deepEqual(JSON.parse(readFileSync(join(folder, ".patscan.json"), "utf8")), { ignore: [{ site: wait.data.site, reason: "ignored in the editor" }] });

// ---- the report changes while the file is open: other findings; a file with none any more; what is ignored stays away ----

writeReport([]);
await until("that all marks go", () => marks.get(heat)?.length === 0 && marks.get(norm)?.length === 0);
writeReport(report.findings);
await until("that the others come back", () => codes(norm).has("nxn-wait"));
assert(!codes(heat).has("late-nonblocking-send"));

// ---- what it does not know ----

await assert.rejects(connection.sendRequest("textDocument/rename", { textDocument }), { code: protocol.ErrorCodes.MethodNotFound });
await connection.sendNotification("patscan/noSuchNotification", {});
await assert.rejects(connection.sendRequest(protocol.ExecuteCommandRequest.type, { command: "rm" }), { code: protocol.ErrorCodes.InvalidParams });

// ---- it ends ----

await connection.sendNotification(protocol.DidCloseTextDocumentNotification.type, { textDocument });
assert.equal(await connection.sendRequest(protocol.ShutdownRequest.type), null);
await assert.rejects(connection.sendRequest(protocol.HoverRequest.type, { textDocument, position: at(22) }), { code: protocol.ErrorCodes.InvalidRequest });
await connection.sendNotification(protocol.ExitNotification.type);
assert.equal(await ended, 0);
console.log("the whole conversation went well");
