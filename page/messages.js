// Who sends how much to whom.
import { bytes, count } from "./data.js";
import { css } from "./dom.js";
import { choice, few, figure, LEFT, mix, rankAxis } from "./figure.js";

const MOST = 160, SUM = 48, TOP = 20;

// Messages between processes in the scope: of the whole focus as the report counts them, of a span if the page has them all.
export function pairsIn(run, scope) {
  const isCut = scope.from !== run.hull[0] || scope.to !== run.hull[1], wanted = new Set(scope.lanes.map((lane) => run.head.lanes[lane][0]));
  const isNear = ([a, b]) => scope.isAll || wanted.has(a) || wanted.has(b);
  if (!isCut || run.leftOut.messages) return { pairs: run.pairs.filter(isNear), isWhole: isCut };
  const by = new Map(), process = (lane) => run.head.lanes[lane][0];
  for (let m = 0; m < run.messageBegin.length; m++) {
    if (run.messageBegin[m] < scope.from || run.messageBegin[m] >= scope.to) continue;
    const from = process(run.messageFrom[m]), to = process(run.messageTo[m]), key = from * 4294967296 + to, pair = by.get(key) ?? [from, to, 0, 0];
    pair[2]++, pair[3] += run.messageBytes[m];
    by.set(key, pair);
  }
  return { pairs: [...by.values()].filter(isNear), isWhole: false };
}

// From row to column, with the sums of both at the edges.
export function matrix(run, page, grid) {
  const names = [...new Set(run.head.lanes.map(([process]) => process))];
  if (!run.pairs.length) return [];
  let at = 3, cells = [], many = [], rows = [], cols = [], labels = [], each = 1, isWhole = false, unit = 10;
  const said = (v) => at === 3 ? bytes(v) : few(v), pick = choice("Messages in what", [[3, "bytes"], [2, "messages"]], (v) => { at = Number(v); made.changed(); });
  const wide = () => made.el.parentNode.clientWidth || 360;
  const sizeIn = (w) => { const n = labels.length; return Math.max(1, Math.min((w - LEFT - SUM - 8) / n, 44, Math.max(260 / n, n <= 64 ? 6 : 2))); };
  const made = figure(grid, { run, page, title: "Messages", name: "messages", pick,
    note: () => `from row to column, and their sums${each > 1 ? `; a cell is ${each} x ${each} ranks` : ""}${isWhole ? "; of the whole focus: the page has not all messages one by one" : ""}`,
    make: (scope) => {
      const index = new Map(names.map((p, i) => [p, i])), found = pairsIn(run, scope);
      each = Math.ceil(names.length / MOST), isWhole = found.isWhole;
      const n = Math.ceil(names.length / each);
      labels = Array.from({ length: n }, (_, i) => each === 1 ? `${names[i]}` : `${names[i * each]}-${names[Math.min(names.length, (i + 1) * each) - 1]}`);
      cells = new Float64Array(n * n), many = new Float64Array(n * n), rows = new Float64Array(n), cols = new Float64Array(n);
      for (const pair of found.pairs) {
        const i = Math.floor(index.get(pair[0]) / each), j = Math.floor(index.get(pair[1]) / each);
        if (!(i >= 0 && j >= 0)) continue;
        cells[i * n + j] += pair[at], many[i * n + j] += pair[2], rows[i] += pair[at], cols[j] += pair[at];
      }
    },
    rows: () => { const n = labels.length; return [["from\\to", ...labels, "sum"], ...labels.map((name, r) => [name, ...cells.slice(r * n, (r + 1) * n), rows[r]]), ["sum", ...cols, rows.reduce((a, b) => a + b, 0)]]; },
    height: () => TOP + sizeIn(wide()) * labels.length + SUM + 10,
    draw: ({ g, width }) => {
      unit = sizeIn(width);
      const n = labels.length, low = css("--blue-low"), strong = css("--collective"), gap = unit > 8 ? 1 : 0, most = cells.reduce((a, b) => Math.max(a, b), 1), mostSum = [...rows, ...cols].reduce((a, b) => Math.max(a, b), 1);
      const shades = Array.from({ length: 65 }, (_, k) => mix(low, strong, k ? 0.12 + 0.88 * k / 64 : 0));
      g.save(), g.translate(0, TOP);
      g.fillStyle = shades[0], g.fillRect(LEFT, 0, n * unit, n * unit);
      for (let i = 0; i < cells.length; i++) if (many[i]) {
        g.fillStyle = shades[Math.ceil(cells[i] / most * 64) || 1];
        g.fillRect(LEFT + i % n * unit, Math.floor(i / n) * unit, unit - gap, unit - gap);
      }
      g.fillStyle = css("--transfer");
      for (let r = 0; r < n; r++) {
        g.fillRect(LEFT + n * unit + 6, r * unit + unit * 0.2, rows[r] / mostSum * SUM, Math.max(1, unit * 0.6));
        g.fillRect(LEFT + r * unit + unit * 0.2, n * unit + 6, Math.max(1, unit * 0.6), cols[r] / mostSum * SUM);
      }
      rankAxis(g, labels, unit);
      g.fillStyle = css("--muted"), g.textAlign = "center";
      for (let c = 0, step = Math.ceil((10 + 7 * `${names.at(-1)}`.length) / unit); c < n; c += step) g.fillText(labels[c].split("-")[0], LEFT + (c + 0.5) * unit, -6);
      g.textAlign = "left", g.fillText("to \u2192", 2, -6), g.restore();
    },
    words: (x, y) => {
      const n = labels.length, c = Math.floor((x - LEFT) / unit), r = Math.floor((y - TOP) / unit);
      if (c < 0 || r < 0 || c > n || r > n || c === n && r === n) return "";
      if (c === n) return `${labels[r]} sends ${said(rows[r])}`;
      if (r === n) return `${labels[c]} receives ${said(cols[c])}`;
      return `${labels[r]} \u2192 ${labels[c]}: ${at === 3 ? `${bytes(cells[r * n + c])} in ` : ""}${count(many[r * n + c])} messages`;
    },
    step: () => [unit, unit] });
  return [made];
}
