// The run's messages on a network: which links they take, how far they go, and what is on each link at a time. Which network
// that is, is for the reader to say, unless a machine with one was given: a trace does not tell.
import { bytes, count, time } from "./data.js";
import { css, h } from "./dom.js";
import { choice, few, figure, FOOT, LEFT, mix, timeAxis, valueAxis } from "./figure.js";
import { pairsIn } from "./messages.js";
import { givenNetwork, linkLoads, loadOfFlows, loadOver, makeNetwork, PRESET_NAMES, waysOf } from "./network.js";

const SLICES = 60, HIGH = 250, STRIP = 54, GAP = 26, MARGIN = 10, SPOTS = 200, MOST_LINKS = 6000;

export function network(run, page, grid) {
  const n = run.head.lanes.reduce((a, [process]) => Math.max(a, process + 1), 0);
  let net = null, why = "", loads = null, over = null, slice = -1, scope, isBytes = false, told = "", playing = 0;
  const given = run.network, nodes = given ? [...new Set(given.nodeOf)].sort((a, b) => a - b) : [], numberOf = new Map(nodes.map((node, i) => [node, i]));
  const input = h("input", { type: "text", list: "networks", size: 12, value: given ? given.name : n > 1 && Number.isInteger(Math.log2(n)) ? "tree" : "mesh", "aria-label": "Network, such as mesh:4x4 or tree:4", onchange: () => { slice = -1; made.changed(); } });
  const slider = h("input", { type: "range", min: -1, max: SLICES - 1, value: -1, "aria-label": "Slice of time; at the left end: all of it", oninput: (e) => show(Number(e.target.value)) });
  const play = h("button", { class: "quiet", type: "button", "aria-pressed": "false", onclick: () => move(!playing) }, "play");
  const pick = [h("datalist", { id: "networks" }, [...given ? [given.name] : [], ...PRESET_NAMES].map((value) => h("option", { value }))), input, choice("Load of what", [["messages", "messages"], ["bytes", "bytes"]], (v) => { isBytes = v === "bytes"; made.paint(); })];

  // Ranks stand on the processors of the same number, those of a machine that was given on its nodes.
  const isGiven = () => given && input.value.trim() === given.name;
  const place = (process) => isGiven() ? numberOf.get(given.nodeOf[process]) : process;

  function show(k) { slice = over ? k : -1; slider.value = slice; made.paint(); }
  function move(goes) {
    clearInterval(playing);
    playing = goes && over ? setInterval(() => { if (slice + 1 >= SLICES) move(false); else show(slice + 1); }, 160) : 0;
    if (playing && slice + 1 >= SLICES) slice = -1;
    play.setAttribute("aria-pressed", String(!!playing));
  }

  // Of many messages the page has sums, as fine as there is room for.
  function flowsOf() {
    const { bins, largest } = run.flows, part = (column, most, k) => (i, bin) => most[i] / 4294967295 * largest[k] * column[i * bins + bin] / 255;
    return { bins, from: run.traffic.from, to: run.traffic.to, messages: part(run.flowMessages, run.flowMostMessages, 0), bytes: part(run.flowBytes, run.flowMostBytes, 1) };
  }

  function overTime() {
    const lanes = run.head.lanes, wanted = new Set(scope.lanes.map((lane) => lanes[lane][0])), list = [];
    if (run.flows) {
      const pairs = run.pairs.map(([from, to], i) => [i, from, to]).filter(([, from, to]) => scope.isAll || wanted.has(from) || wanted.has(to)).map(([i, from, to]) => [i, place(from), place(to)]);
      const some = waysOf(net, pairs.map(([, from, to]) => [from, to]));
      return some && loadOfFlows(net, some, flowsOf(), pairs, scope.from, scope.to, SLICES);
    }
    for (let m = 0; m < run.messageBegin.length; m++) {
      const [begin, from, to] = [run.messageBegin[m], lanes[run.messageFrom[m]][0], lanes[run.messageTo[m]][0]], end = begin + run.messageLength[m];
      if (end > scope.from && begin < scope.to && (scope.isAll || wanted.has(from) || wanted.has(to))) list.push([begin, end, place(from), place(to), run.messageBytes[m]]);
    }
    const ways = waysOf(net, list.map(([, , from, to]) => [from, to]));
    return ways && loadOver(net, ways, list, scope.from, scope.to, SLICES);
  }

  function layOver() {
    net = loads = over = null;
    const processors = isGiven() ? nodes.length : n, chosen = isGiven() && given.links ? givenNetwork(given.name, given.nodes, given.links, processors) : makeNetwork(input.value, processors);
    if (typeof chosen === "string") { why = isGiven() ? "this network has too many links to be drawn; patscan info --network tells their load" : chosen; return; }
    const found = pairsIn(run, scope), pairs = found.pairs.map(([from, to, many, load]) => [place(from), place(to), many, load]);
    why = "", net = chosen, told = found.isWhole ? "; of the whole focus" : "";
    loads = linkLoads(net, pairs);
    if (!loads) { net = null, why = "there are too many ways to be looked for here; patscan info --network tells the load of links"; return; }
    over = overTime();
    if (net.links.length !== loads.messages.length) loads = linkLoads(net, pairs); // a crossbar has further links now
  }

  const size = () => net.links.length;
  const valueOf = (link) => slice < 0 ? (isBytes ? loads.bytes : loads.messages)[link] / (isBytes ? net.links[link].weight : 1) : (isBytes ? over.bytes : over.messages)[slice * size() + link];
  const said = (v) => isBytes ? bytes(Math.round(v)) : few(v);
  const point = (v, width) => [MARGIN + net.at[v][0] * (width - 2 * MARGIN), MARGIN + net.at[v][1] * (HIGH - 2 * MARGIN)];

  function drawLinks(g, width) {
    const values = net.links.map((_, i) => valueOf(i)), most = slice < 0 ? values.reduce((a, b) => Math.max(a, b), 0) : largest(), low = css("--edge"), strong = css("--wait-ink");
    const order = [...values.keys()].sort((a, b) => values[a] - values[b]).slice(-MOST_LINKS);
    for (const i of order) {
      const { from, to } = net.links[i], [x0, y0] = point(from, width), [x1, y1] = point(to, width), share = most ? values[i] / most : 0;
      if (!net.next && !share) continue;
      const side = net.curved && Math.hypot(x1 - x0, y1 - y0) > 1.5 * Math.min(width, HIGH) / Math.sqrt(net.n) ? 0.18 : 0.02; // a link and its way back lie side by side
      g.strokeStyle = share ? mix(low, strong, 0.15 + 0.85 * share) : css("--line"), g.lineWidth = share ? 1 + 3 * share : 1;
      g.beginPath(), g.moveTo(x0, y0), g.quadraticCurveTo((x0 + x1) / 2 + (y1 - y0) * side, (y0 + y1) / 2 - (x1 - x0) * side, x1, y1), g.stroke();
    }
    g.lineWidth = 1;
  }

  function drawNodes(g, width) {
    const r = net.n <= 32 ? 7 : net.n <= 128 ? 4 : 1.5;
    g.textAlign = "center", g.textBaseline = "middle", g.font = `10px ${css("--sans")}`;
    net.at.forEach((_, v) => {
      const [x, y] = point(v, width);
      g.fillStyle = css(v < net.n ? "--accent" : "--muted");
      g.beginPath();
      if (v < net.n) g.arc(x, y, r, 0, 7); else g.rect(x - r / 2, y - r / 2, r, r);
      g.fill();
      if (v < net.n && r > 6) { g.fillStyle = css("--ground"); g.fillText(String(v), x, y + 0.5); }
    });
    g.font = `11px ${css("--sans")}`, g.textAlign = "left", g.textBaseline = "alphabetic";
  }

  const busiest = () => Array.from({ length: SLICES }, (_, k) => { let most = 0; for (let i = 0; i < size(); i++) most = Math.max(most, (isBytes ? over.bytes : over.messages)[k * size() + i]); return most; });
  const largest = () => busiest().reduce((a, b) => Math.max(a, b), 0);

  function drawStrip(g, width) {
    const each = busiest(), most = Math.max(...each) || 1, step = (width - LEFT) / SLICES, top = HIGH + GAP;
    g.save(), g.translate(0, top);
    valueAxis(g, most, width, STRIP, said);
    each.forEach((v, k) => { g.fillStyle = css(k === slice ? "--wait" : "--transfer"); g.fillRect(LEFT + k * step, STRIP * (1 - v / most), step - 1, STRIP * v / most); });
    timeAxis(g, run, scope.from, scope.to, width, STRIP);
    g.fillStyle = css("--muted"), g.fillText("The busiest link over time; a click shows that moment:", LEFT, -8);
    g.restore();
  }

  // The link whose line is nearest to a place.
  function nearest(px, py) {
    let best = null, least = 8;
    net.links.forEach((link, i) => {
      const [x0, y0] = point(link.from, made.el.clientWidth), [x1, y1] = point(link.to, made.el.clientWidth), long = (x1 - x0) ** 2 + (y1 - y0) ** 2 || 1;
      const k = Math.max(0, Math.min(1, ((px - x0) * (x1 - x0) + (py - y0) * (y1 - y0)) / long)), far = Math.hypot(px - x0 - k * (x1 - x0), py - y0 - k * (y1 - y0));
      if (far < least - 0.01 || far < least + 0.01 && k > 0.5 && best != null && net.links[best].from === link.to) least = Math.min(far, least), best = i; // of both ways the one whose goal is nearer
    });
    return best;
  }
  const middle = ({ from, to }) => { const [[x0, y0], [x1, y1]] = [point(from, made.el.clientWidth), point(to, made.el.clientWidth)]; return [x0 + (x1 - x0) * 0.6, y0 + (y1 - y0) * 0.6]; };
  const linkSaid = (i) => `${net.links[i].from} \u2192 ${net.links[i].to}: ${slice < 0 ? `${count(loads.messages[i])} messages, ${bytes(loads.bytes[i])}` : `${few(over.messages[slice * size() + i])} messages under way, ${bytes(Math.round(over.bytes[slice * size() + i]))}`}`;
  const sliceAt = (x) => Math.floor((x - LEFT) / (made.el.clientWidth - LEFT) * SLICES), at = (k) => time((scope.from + k * (scope.to - scope.from) / SLICES) * run.tickNs, 5);

  function coarse() { // slices that are shorter than what is known
    const step = run.flows && (run.traffic.to - run.traffic.from) / run.flows.bins;
    return step > (scope.to - scope.from) / SLICES ? `; over time in steps of ${time(step * run.tickNs, 3)}` : "";
  }

  const made = figure(grid, { run, page, title: "Network", name: "network", pick,
    note: () => why || `${isGiven() ? run.predicted ? "of the machine" : "the one that was given" : "on a network like this"}: ${loads.mean.toFixed(2)} hops a message on average, ${loads.most} at most${told}${coarse()}${net.links.length > MOST_LINKS ? `; the ${count(MOST_LINKS)} busiest links are drawn` : ""}`,
    make: (now) => { scope = now; layOver(); if (!over) slice = -1; slider.disabled = play.disabled = !over; },
    rows: () => net ? [["from", "to", "weight", "messages", "bytes", "load"], ...net.links.map((l, i) => [l.from, l.to, l.weight, loads.messages[i], loads.bytes[i], loads.bytes[i] / l.weight]).filter((r) => r[3]).sort((a, b) => b[5] - a[5])] : [["network"], [why]],
    height: () => net && over ? HIGH + GAP + STRIP + FOOT : HIGH,
    draw: ({ g, width }) => {
      if (!net) return;
      drawLinks(g, width), drawNodes(g, width);
      if (over) drawStrip(g, width);
      g.fillStyle = css("--muted"), g.fillText(slice < 0 ? "" : `${at(slice)} to ${at(slice + 1)}`, 2, 11);
    },
    words: (x, y) => {
      if (!net) return why;
      if (over && y > HIGH) { const k = sliceAt(x); return k >= 0 && k < SLICES ? `${at(k)}: ${said(busiest()[k])} on the busiest link, on average` : ""; }
      const node = net.at.findIndex((_, v) => { const [a, b] = point(v, made.el.clientWidth); return Math.hypot(a - x, b - y) < 7; }), link = nearest(x, y);
      return node >= 0 && node >= net.n ? `switch ${node}` : node >= 0 && link == null ? `${isGiven() ? "node" : "rank"} ${node}` : link == null ? "" : linkSaid(link);
    },
    go: (x, y) => { if (over && y > HIGH) show(sliceAt(x) === slice ? -1 : sliceAt(x)); },
    spots: () => net ? [...net.links.keys()].sort((a, b) => valueOf(b) - valueOf(a)).slice(0, SPOTS).map((i) => middle(net.links[i])) : [] });
  made.el.parentNode.after(h("div", { class: "player" }, play, slider));
  return [made];
}
