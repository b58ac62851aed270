// extension.js - findings of patscan in Visual Studio Code: `patscan lsp` tells them, and here are a list of them and the run's page.
"use strict";
const path = require("node:path");
const { commands, ConfigurationTarget, languages, Uri, window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const { Findings } = require("./findings");
const { Page } = require("./page");

const settings = () => workspace.getConfiguration("patscan");
const folder = () => workspace.workspaceFolders?.[0]?.uri.fsPath;

// ---- the server ----

function words() {
  const { report, sourceRoots, page } = settings();
  return ["lsp", ...sourceRoots.flatMap((root) => ["--source-root", root]), ...page ? ["--page", page] : [], path.resolve(folder() ?? "", report)];
}

function makeClient(page) {
  const run = { command: settings().program, args: words(), options: { cwd: folder() } };
  return new LanguageClient("patscan", "patscan", run, {
    documentSelector: [{ scheme: "file" }],
    middleware: {
      window: {
        showDocument: async (params, token, next) => {
          if (!params.external || !params.uri.startsWith("file:")) return next(params, token);
          await page.show(Uri.parse(params.uri));
          return { success: true };
        },
      },
    },
  });
}

// One server at a time; what is wanted while one starts or stops is done after that.
class Server {
  constructor(page, findings) {
    Object.assign(this, { page, findings, client: null, last: Promise.resolve() });
  }

  restart() { return this.enqueue(() => this.stopNow().then(() => this.startNow())); }

  stop() { return this.enqueue(() => this.stopNow()); }

  enqueue(work) { return this.last = this.last.then(work, work); }

  async stopNow() {
    const { client } = this;
    this.client = null;
    this.findings.follow(null);
    await client?.dispose().catch(() => {}); // one that never began cannot be stopped
  }

  async startNow() {
    if (!settings().report) return;
    const client = makeClient(this.page);
    try {
      await client.start();
      this.client = client;
      this.findings.follow(client.diagnostics);
    } catch (error) {
      window.showErrorMessage(`patscan cannot be started: ${error.message ?? error}. The setting patscan.program names it: ${settings().program}`);
    }
  }

  get pageAddress() { return this.client?.initializeResult?.capabilities.experimental?.page; }
}

let server = null;

// ---- commands ----

async function chooseReport() {
  const chosen = await window.showOpenDialog({ title: "A report or a trace of patscan", openLabel: "Show its Findings",
    filters: { "Reports and traces": ["json", "otf2", "trc", "trf", "evt"], "All files": ["*"] }, defaultUri: folder() && Uri.file(folder()) });
  if (!chosen) return;
  const name = chosen[0].fsPath, inside = folder() && path.relative(folder(), name);
  await settings().update("report", inside && !inside.startsWith("..") ? inside : name, folder() ? ConfigurationTarget.Workspace : ConfigurationTarget.Global);
}

async function openPage(page) {
  const address = server.pageAddress;
  if (!address) window.showInformationMessage("There is no page of this run. patscan TRACE --report html:report.html writes one; it is found beside report.json, or by the setting patscan.page.");
  else if (address.startsWith("file:")) await page.show(Uri.parse(address));
  else await commands.executeCommand("vscode.open", Uri.parse(address));
}

// A finding of the list, and what the server does with one.
const ABOUT_FINDING = { "patscan.findingPage": "patscan.showPage", "patscan.findingExplain": "patscan.explain", "patscan.findingIgnore": "patscan.ignore" };

async function activate(context) {
  const page = new Page(), findings = new Findings();
  server = new Server(page, findings);
  const own = { "patscan.chooseReport": chooseReport, "patscan.openPage": () => openPage(page), "patscan.regroup": () => findings.regroup() };
  for (const [name, what] of Object.entries(ABOUT_FINDING)) own[name] = ({ diagnostic }) => commands.executeCommand(what, diagnostic.data.id);
  context.subscriptions.push(page,
    window.createTreeView("patscan.findings", { treeDataProvider: findings, showCollapseAll: true }),
    languages.onDidChangeDiagnostics(() => findings.refresh()),
    workspace.onDidChangeConfiguration((event) => { if (event.affectsConfiguration("patscan")) server.restart(); }),
    ...Object.entries(own).map(([name, run]) => commands.registerCommand(name, run)));
  await server.restart();
}

module.exports = { activate, deactivate: () => server?.stop() };
