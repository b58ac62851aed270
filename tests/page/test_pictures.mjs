// What the pictures count, with answers worked out by hand.
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeRun, MIXED, N } from "../../page/data.js";
import { chosenLanes, CLASS_OF, CLASSES, classesOf, concurrency, eachVisit, queuesOver, rankRows, scopeOf, statesOver, trafficOver } from "../../page/series.js";
import { linkLoads, loadOfFlows, loadOver, makeNetwork, givenNetwork, waysOf } from "../../page/network.js";

// Three lanes of 100 ticks; the focus is 0 to 100. Lane 0 computes 40, waits 20, transfers 40; lane 1 computes throughout; lane 2 is
// not running up to 50, then computes.
function made(states = [0, 1, 3, 0, 6, 0], more = {}) {
  const head = {
    lanes: [[0, 4294967295, "a"], [1, 4294967295, 0], [5, 4294967295, 0]], paths: [[0, "", "", 0], [0, "main", "m.c", 1], [1, "MPI_Recv", 0, 7]],
    places: [], causes: [], pairs: [], time: [], leftOut: {}, focus: [[0, 100]], tickNs: 1, end: 100, bins: 0, columns: [], ...more,
  };
  return makeRun(head, {
    first: Uint32Array.of(0, 3, 4, 6), begin: Uint32Array.of(0, 40, 60, 0, 0, 50), state: Uint8Array.from(states), path: Uint16Array.of(1, 2, 2, 1, 0, 1),
    peer: new Uint16Array(6).fill(65535), find: new Uint16Array(6).fill(65535), messageLength: new Uint32Array(0), shares: Uint8Array.from(more.shares ?? []), ...more.columns_,
  });
}
const whole = (run) => scopeOf(run, { span: null, ranks: "" });

test("ranks are chosen by their numbers, and nobody chosen is all", () => {
  const run = made();
  assert.deepEqual(chosenLanes(run, "1-5"), [1, 2]);
  assert.deepEqual(chosenLanes(run, "0,5"), [0, 2]);
  for (const text of ["", "7", "no", "1-", undefined]) assert.deepEqual(chosenLanes(run, text), [0, 1, 2], text);
});

test("a selected span counts as it is, whatever the focus", () => {
  const run = made();
  assert.deepEqual(scopeOf(run, { span: [20, 60], ranks: "1" }), { from: 20, to: 60, lanes: [1], spans: [[20, 60]], isAll: false, isWhole: false });
});

test("ranks share rows where there are too many", () => {
  assert.deepEqual(rankRows(made(), [0, 1, 2], 2).map((row) => row.label), ["0-1", "5"]);
});

test("states over time are numbers of ranks", () => {
  const bins = statesOver(made(), whole(made()), 2); // 0 to 50: 40 + 50 computing, 10 waiting, 50 not running
  assert.deepEqual([bins[0], bins[1], bins[6], bins[N], bins[N + 1], bins[N + 3]].map((v) => Number(v.toFixed(9))), [1.8, 0.2, 1, 2, 0.2, 0.8]);
});

test("classes add up to the span", () => {
  assert.deepEqual(classesOf(made(), whole(made())), [[40, 40, 20], [100, 0, 0], [50, 0, 50]]);
});

test("so many compute at once for so long", () => {
  // 0 to 40: lanes 0 and 1; 40 to 50: lane 1; 50 to 100: lanes 1 and 2.
  assert.deepEqual([...concurrency(made(), whole(made()), 0)], [0, 10, 90, 0]);
  assert.deepEqual([...concurrency(made(), scopeOf(made(), { span: [30, 60], ranks: "0" }), 0)], [20, 10]);
  assert.deepEqual([...concurrency(made(), whole(made()), 2)], [40, 50, 10, 0]); // waits 40 to 60, not running 0 to 50
});

test("nobody knows how many are at once where it is mixed", () => {
  assert.equal(concurrency(made([0, MIXED, 3, 0, 6, 0], { bins: 2, shares: Array(3 * 2 * N).fill(1) }), whole(made()), 0), null);
});

test("visits have their waits inside", () => {
  const found = [];
  eachVisit(made(), whole(made()), (path, length, waited, lane) => found.push([path, length, waited, lane]));
  assert.deepEqual(found, [[1, 40, 0, 0], [2, 60, 20, 0], [1, 100, 0, 1], [0, 50, 0, 2], [1, 50, 0, 2]]);
});

test("traffic and queues are parts of the largest", () => {
  const half = 2 ** 31, run = made(undefined, {
    traffic: { from: 0, to: 100, bins: 4, queueBins: 2, largest: [8, 800, 10, 1000], queueLargest: [4, 400], concurrency: null, queues: [] },
    columns_: { trafficMessages: Uint32Array.of(half, 0, 0, 4294967295), trafficBytes: Uint32Array.of(0, 0, 0, 4294967295), trafficMostMessages: Uint32Array.of(4294967295, 0, 0, half), trafficMostBytes: new Uint32Array(4),
      queueMessages: Uint16Array.of(65535, 0, 0, 65535, 0, 0), queueBytes: new Uint16Array(6) },
  });
  const rows = trafficOver(run, whole(run), 2).map((r) => [r.from, r.to, Math.round(r.messages), Math.round(r.bytes), Math.round(r.mostMessages)]);
  assert.deepEqual(rows, [[0, 50, 2, 0, 10], [50, 100, 4, 400, 5]]);
  const part = trafficOver(run, scopeOf(run, { span: [25, 50], ranks: "" }), 9);
  assert.deepEqual(part.map((r) => [r.from, r.to]), [[25, 50]]);
  assert.deepEqual(trafficOver(run, scopeOf(run, { span: null, ranks: "0" }), 9).map((r) => r.messages), [4, 0]);
  const queues = queuesOver(run, whole(run), rankRows(run, [0, 1, 2], 9), false);
  assert.deepEqual([queues.n, queues.width, ...queues.cells], [2, 50, 4, 0, 0, 4, 0, 0]);
});

// ---- networks ----

const nodesOf = (network, from, to) => [from, ...waysOf(network, [[from, to]]).get(from * network.n + to).map((i) => network.links[i].to)];

test("ways go over the lowest of the nearest nodes", () => {
  // docs/NETWORKS.md has both.
  const figure = givenNetwork("figure", 7, [[0, 4, 1], [1, 4, 1], [2, 5, 1], [3, 5, 1], [4, 0, 1], [4, 1, 1], [4, 6, 3], [5, 2, 1], [5, 3, 1], [5, 6, 3], [6, 4, 3], [6, 5, 3]], 4);
  assert.deepEqual(nodesOf(figure, 0, 3), [0, 4, 6, 5, 3]);
  assert.deepEqual(nodesOf(figure, 0, 1), [0, 4, 1]);
  assert.deepEqual(nodesOf(makeNetwork("mesh:4x4", 16), 0, 15), [0, 1, 2, 3, 7, 11, 15]);
  assert.deepEqual(nodesOf(makeNetwork("mesh", 16), 15, 0), [15, 11, 7, 3, 2, 1, 0]);
});

test("a network that is a tree stands as one", () => {
  const both = (edges) => edges.flatMap(([a, b]) => [[a, b, 1], [b, a, 1]]);
  const figure = givenNetwork("figure", 7, both([[0, 4], [1, 4], [2, 5], [3, 5], [4, 6], [5, 6]]), 4).at;
  assert.deepEqual(figure.map(([x]) => x), [0.125, 0.375, 0.625, 0.875, 0.25, 0.75, 0.5]);
  assert.ok(figure[6][1] < figure[4][1] && figure[4][1] === figure[5][1] && figure[4][1] < figure[0][1]);
  const round = givenNetwork("ring", 3, both([[0, 1], [1, 2], [2, 0]]), 3).at; // no tree
  assert.ok(round.every(([x, y]) => Math.abs(Math.hypot(x - 0.5, y - 0.5) - 0.47) < 1e-9));
});

test("presets have their nodes and links", () => {
  const sizes = (spec, n) => { const { at, links } = makeNetwork(spec, n); return [at.length, links.length]; };
  assert.deepEqual(sizes("ring", 5), [5, 10]);
  assert.deepEqual(sizes("mesh", 12), [12, 2 * (3 * 3 + 2 * 4)]); // 3 x 4
  assert.deepEqual(sizes("mesh", 7), [7, 12]); // 1 x 7
  assert.deepEqual(sizes("torus:4x4", 16), [16, 64]);
  assert.deepEqual(sizes("torus:2x2", 4), [4, 8]); // where it would be the same link twice, it is one
  assert.deepEqual(sizes("hypercube", 16), [16, 64]);
  assert.deepEqual(sizes("tree", 8), [15, 28]);
  assert.deepEqual(sizes("tree:4", 16), [21, 40]);
  assert.deepEqual(sizes("star", 6), [7, 12]);
  for (const [spec, n] of [["hypercube", 6], ["mesh:2x2", 5], ["nothing", 4], ["tree:1", 4], ["mesh:x", 4], ["", 3]]) assert.equal(typeof makeNetwork(spec, n), "string", spec);
});

test("a reduction on a tree takes 2, 4, 6 and 8 links, and a link is taken by one message at a time", () => {
  // The figures of the thesis: 16 processors, pairs by position, level by level; 8 links on the tree.
  const tree = makeNetwork("tree", 16), levels = [1, 2, 4, 8].map((step) => Array.from({ length: 8 / step }, (_, i) => [(2 * i + 1) * step, 2 * i * step, 1, 1]));
  for (const [level, pairs] of levels.entries()) {
    const loads = linkLoads(tree, pairs);
    assert.deepEqual([loads.most, loads.mean, Math.max(...loads.messages)], [2 * (level + 1), 2 * (level + 1), 1]);
  }
});

test("ways that are too many are not looked for", () => {
  const ring = makeNetwork("ring", 8); // to go from 4 to 0 all of it is looked at
  assert.equal(waysOf(ring, [[4, 0]], 3), null);
  assert.equal(linkLoads(ring, [[4, 0, 1, 1]]).most, 4);
});

test("messages that stay at home take no link", () => {
  const loads = linkLoads(makeNetwork("crossbar", 3), [[0, 0, 5, 50], [0, 1, 2, 20], [2, 1, 1, 10]]);
  assert.deepEqual([loads.far, loads.hops, loads.mean, loads.most], [3, 3, 1, 1]);
});

test("a message is on all links of its way while it is under way", () => {
  const net = makeNetwork("mesh:1x3", 3), ways = waysOf(net, [[0, 2]]), { messages, bytes } = loadOver(net, ways, [[10, 30, 0, 2, 8]], 0, 40, 4);
  const link = (a, b) => net.links.findIndex(({ from, to }) => from === a && to === b), n = net.links.length;
  for (const [a, b, expected] of [[0, 1, [0, 1, 1, 0]], [1, 2, [0, 1, 1, 0]], [1, 0, [0, 0, 0, 0]]]) assert.deepEqual([0, 1, 2, 3].map((k) => messages[k * n + link(a, b)]), expected);
  assert.equal(bytes[n + link(1, 2)], 8);
});

test("sums of messages are on the links of their ways, too", () => {
  // From 0 to 2, over 1: in bins of 20 ticks 1, then 3 messages of 8 bytes; from 2 to 1: 2 in the second bin.
  const net = makeNetwork("mesh:1x3", 3), known = [[1, 3], [0, 2]], n = net.links.length, pairs = [[0, 0, 2], [1, 2, 1]];
  const flows = { bins: 2, from: 0, to: 40, messages: (i, bin) => known[i][bin], bytes: (i, bin) => known[i][bin] * 8 }, ways = waysOf(net, [[0, 2], [2, 1]]);
  const on = (found, a, b, slices) => Array.from({ length: slices }, (_, k) => found[k * n + net.links.findIndex(({ from, to }) => from === a && to === b)]);
  const half = loadOfFlows(net, ways, flows, pairs, 0, 40, 2), finer = loadOfFlows(net, ways, flows, pairs, 10, 30, 4), coarser = loadOfFlows(net, ways, flows, pairs, 0, 40, 1);
  assert.deepEqual([on(half.messages, 0, 1, 2), on(half.messages, 1, 2, 2), on(half.messages, 2, 1, 2), on(half.messages, 1, 0, 2)], [[1, 3], [1, 3], [0, 2], [0, 0]]);
  assert.deepEqual(on(finer.messages, 0, 1, 4), [1, 1, 3, 3]);
  assert.deepEqual([on(coarser.messages, 0, 1, 1), on(coarser.bytes, 2, 1, 1)], [[2], [8]]);
});

test("each state is in a class", () => {
  assert.ok(CLASS_OF.length === N && CLASS_OF.every((k) => CLASSES[k]));
});
