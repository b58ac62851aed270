// findings.js - the list of findings: what the server has put on lines, by pattern or by file, the costliest first.
"use strict";
const { DiagnosticSeverity, EventEmitter, ThemeColor, ThemeIcon, TreeItem, TreeItemCollapsibleState, workspace } = require("vscode");
const path = require("node:path");

const ICONS = { [DiagnosticSeverity.Error]: ["error", "list.errorForeground"], [DiagnosticSeverity.Warning]: ["warning", "list.warningForeground"] };
const GROUPS = { pattern: ({ diagnostic }) => diagnostic.data.title, file: ({ uri }) => workspace.asRelativePath(uri) };

const lost = (findings) => findings.reduce((sum, { diagnostic }) => sum + diagnostic.data.lost_s, 0);
const time = (s) => s >= 1 ? `${s.toFixed(2)} s` : s >= 1e-3 ? `${(s * 1e3).toFixed(2)} ms` : `${(s * 1e6).toFixed(1)} us`;

class Findings {
  constructor() {
    Object.assign(this, { diagnostics: null, by: "pattern", changes: new EventEmitter() });
    this.onDidChangeTreeData = this.changes.event;
  }

  follow(diagnostics) {
    this.diagnostics = diagnostics;
    this.refresh();
  }

  regroup() {
    this.by = this.by === "pattern" ? "file" : "pattern";
    this.refresh();
  }

  refresh() { this.changes.fire(); }

  groups() {
    const groups = new Map();
    this.diagnostics?.forEach((uri, all) => {
      for (const diagnostic of all) {
        const finding = { uri, diagnostic }, name = GROUPS[this.by](finding);
        if (groups.has(name)) groups.get(name).push(finding); else groups.set(name, [finding]);
      }
    });
    return [...groups].map(([name, findings]) => ({ name, findings, lost: lost(findings) })).sort((a, b) => b.lost - a.lost);
  }

  getChildren(group) {
    return group ? group.findings.sort((a, b) => b.diagnostic.data.lost_s - a.diagnostic.data.lost_s) : this.groups();
  }

  getTreeItem(node) { return node.findings ? this.groupItem(node) : this.findingItem(node); }

  groupItem({ name, lost: sum }) {
    const item = new TreeItem(name, TreeItemCollapsibleState.Expanded);
    item.id = `${this.by} ${name}`;
    item.description = `${time(sum)} lost`;
    return item;
  }

  findingItem({ uri, diagnostic: { data, message, range, severity } }) {
    const line = range.start.line + 1, [icon, color] = ICONS[severity] ?? ["info", "list.deemphasizedForeground"];
    const item = new TreeItem(this.by === "file" ? `line ${line}: ${data.title}` : `${path.basename(uri.fsPath)}:${line}`);
    item.description = message.slice(data.title.length + 2);
    item.tooltip = message;
    item.contextValue = "finding";
    item.iconPath = new ThemeIcon(icon, new ThemeColor(color));
    item.command = { title: "Go to the line", command: "vscode.open", arguments: [uri, { selection: range }] };
    return item;
  }
}

module.exports = { Findings };
