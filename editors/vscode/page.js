// page.js - the run's page beside the source. Its own policy holds; all that is added goes to the place that is asked for.
"use strict";
const path = require("node:path");
const { RelativePattern, Uri, ViewColumn, window, workspace } = require("vscode");

const anchorOf = (address) => /^[\w-]*$/.test(address.fragment) ? address.fragment : ""; // it comes from a report, and goes into a script
const guide = (anchor) => `<script>{
const follow = (to) => { if (to) { location.hash = ""; location.hash = to; } };
addEventListener("message", ({ data }) => follow(data));
addEventListener("load", () => follow("${anchor}"));
}</script>`;

class Page {
  // `address`: that of the file, and the anchor of a finding as its fragment
  async show(address) {
    const file = address.with({ fragment: "" });
    if (this.panel && this.file.toString() === file.toString()) {
      this.panel.reveal(undefined, true);
      this.panel.webview.postMessage(anchorOf(address));
      return;
    }
    this.dispose();
    this.file = file;
    this.panel = window.createWebviewPanel("patscan.page", "patscan", { viewColumn: ViewColumn.Beside, preserveFocus: true },
      { enableScripts: true, enableFindWidget: true, retainContextWhenHidden: true, localResourceRoots: [] });
    this.watcher = workspace.createFileSystemWatcher(new RelativePattern(Uri.joinPath(file, ".."), path.basename(file.fsPath)));
    this.watcher.onDidChange(() => this.load(""));
    this.watcher.onDidCreate(() => this.load(""));
    this.panel.onDidDispose(() => { this.panel = null; this.dispose(); });
    await this.load(anchorOf(address));
  }

  async load(anchor) {
    try {
      const text = new TextDecoder().decode(await workspace.fs.readFile(this.file));
      if (this.panel) this.panel.webview.html = text.replace("<head>", (head) => head + guide(anchor));
    } catch (error) {
      window.showErrorMessage(`The run's page cannot be read: ${error.message}`);
    }
  }

  dispose() {
    this.watcher?.dispose();
    this.panel?.dispose();
    this.panel = this.watcher = null;
  }
}

module.exports = { Page };
