// What the page computes of a run, with answers worked out by hand.
import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { above, callPath, callsOf, column, covers, groupKeys, groupsOf, isBelow, lanesOf, lostBy, makeRun, MIXED, mixedParts, N, percent, pyramid, ranges, sameVisit, stretchAt, time, unpack, visitOf, wholeShares, withPart } from "../../page/data.js";
import { csv } from "../../page/csv.js";
import { longestWait, sums, tally } from "../../page/sums.js";
import { depthOf, frameAt, gapsOf, missing, windowsOf } from "../../page/stack.js";

// Two lanes of 100 ticks. Lane 0: computes 40, waits 20 (for lane 1, a finding), computes 40. Lane 1: computes 70, transfers 30.
function made({ shares = [], bins = 0, states = [0, 1, 0, 0, 3] } = {}) {
  const head = {
    lanes: [[0, 4294967295, "a"], [1, 4294967295, 0]], paths: [[0, "", "", 0], [0, "main", "m.c", 1], [1, "MPI_Recv", 0, 7]],
    places: [{ title: "Late send" }], causes: [], pairs: [], time: [], leftOut: {}, focus: [[10, 90]], tickNs: 1, end: 100, bins, columns: [],
  };
  return makeRun(head, {
    first: Uint32Array.of(0, 3, 5), begin: Uint32Array.of(0, 40, 60, 0, 70), state: Uint8Array.from(states), path: Uint16Array.of(1, 2, 1, 1, 2),
    peer: Uint16Array.of(65535, 1, 65535, 65535, 65535), find: Uint16Array.of(65535, 0, 65535, 65535, 65535), messageLength: new Uint32Array(0), shares: Uint8Array.from(shares),
  });
}

test("byte planes become numbers, and differences values", () => {
  // 1, 258, 65536 in two planes of the lowest bytes: 1 2 0, then 0 1 0, then 0 0 1, then 0 0 0.
  const planes = Uint8Array.of(1, 2, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0);
  assert.deepEqual([...column(planes, 3, 4, 0)], [1, 258, 65536]);
  assert.deepEqual([...column(planes, 3, 4, 1)], [1, 259, 65795]);
  assert.deepEqual([...column(Uint8Array.of(1, 255, 0, 255), 2, 2, 2, Uint16Array.of(7, 0))], [8, 65535]);
});

test("differences wrap around", () => {
  // 5, then 3: the difference is 2^32 - 2.
  assert.deepEqual([...column(Uint8Array.of(5, 254, 0, 255, 0, 255, 0, 255), 2, 4, 1)], [5, 3]);
});

test("rows of bytes come one after the other", () => {
  // 1 to 5 and 6 to 10: all first ones, all second ones ... Wider than a number, as the shares of states are.
  assert.deepEqual([...column(Uint8Array.of(1, 6, 2, 7, 3, 8, 4, 9, 5, 10), 2, 5, 0)], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test("columns are unpacked in their order", async () => {
  const text = deflateRawSync(Buffer.from([7, 8, 1, 2, 0, 0])).toString("base64");
  const columns = await unpack({ columns: [["a", 2, 1, 0], ["b", 2, 2, 1]] }, text);
  assert.deepEqual([[...columns.a], [...columns.b]], [[7, 8], [1, 3]]);
});

test("a text of 0 is the one before", () => {
  const run = made();
  assert.deepEqual(run.nodes, ["a", "a"]);
  assert.equal(run.paths[2].file, "m.c");
  assert.deepEqual(callPath(run, 2), ["main", "MPI_Recv"]);
  assert.ok(isBelow(run, 2, 1) && !isBelow(run, 1, 2));
});

test("the calls of a finding are those at its line", () => {
  const run = made();
  assert.deepEqual(callsOf(run, { call: "MPI_Recv", file: "m.c", line: 7 }), [false, false, true]);
  assert.deepEqual(callsOf(run, { call: "MPI_Recv", file: "m.c", line: 8 }), [false, false, false]);
});

const bin = (shares) => Array.from({ length: N }, (_, state) => shares[state] ?? 0);

test("the stretch at a time is found", () => {
  const run = made();
  assert.equal(above(Uint32Array.of(1, 3, 3, 5), 3), 3);
  assert.deepEqual([0, 39, 40, 59, 60, 99].map((t) => stretchAt(run, 0, t)), [0, 0, 1, 1, 2, 2]);
  assert.equal(stretchAt(run, 1, 70), 4);
});

test("sums of a span are cut at its ends", () => {
  const { states, paths, waits, places } = sums(made(), 50, 80), worst = longestWait(made(), 50, 80, (place) => place === 0);
  assert.deepEqual([states[0], states[1], states[3]], [20 + 20, 10, 10]);
  assert.deepEqual([...paths], [0, 40, 20]);
  assert.deepEqual([waits[2], places[0], worst.lane, worst.length], [10, 10, 0, 10]);
  assert.equal(longestWait(made(), 61, 80, () => true), null);
});

test("sums that were added up by bins are those of one by one", () => {
  // A run and a part of it that was asked for, made up by a small generator of random numbers.
  let seed = 1;
  const random = (n) => { seed = seed * 48271 % 2147483647; return seed % n; };
  const lane = (from, to, n) => [from, ...Array.from({ length: n }, () => from + 1 + random(to - from - 1)).sort((x, y) => x - y)];
  const columns = (lanes, mixes) => {
    const begin = lanes.flat(), each = (n) => begin.map(() => random(n)), first = lanes.reduce((out, list) => [...out, out.at(-1) + list.length], [0]);
    return { first: Uint32Array.from(first), begin: Uint32Array.from(begin), state: Uint8Array.from(each(mixes ? MIXED + 1 : N)), path: Uint16Array.from(each(3)), peer: Uint16Array.from(each(2)), find: Uint16Array.from(begin, () => random(2) ? 0 : 65535) };
  };
  const run = made({ shares: Array.from({ length: 2 * 16 * N }, () => random(40)), bins: 16 });
  Object.assign(run, { end: 1e6 }, columns([lane(0, 1e6, 500), lane(0, 1e6, 500)], true)), run.base = { ...run };
  const plain = (from, to) => sums({ ...run, tally: null }, from, to), same = (a, b) => ["states", "paths", "waits", "places"].every((key) => a[key].every((v, k) => Math.abs(v - b[key][k]) < 2e-3)) && Math.abs(a.mixed - b.mixed) < 2e-3;
  run.tally = tally(run, 0);
  for (const overlaid of [null, { from: 300000, to: 700000, rowOf: new Map([[1, 0]]), ...columns([lane(300000, 700000, 900)], false) }]) {
    if (overlaid) Object.assign(run, withPart(run, run.base, overlaid), { overlaid });
    for (let k = 0; k < 50; k++) { const from = random(9e5), to = from + 1 + random(1e6 - from); assert.ok(same(sums(run, from, to), plain(from, to)), `${from} to ${to}`); }
    assert.ok(same(sums(run, 0, 1e6), plain(0, 1e6)));
  }
});

test("what a lane lost is what it waited and what nobody explains", () => {
  assert.deepEqual(lostBy({ label: ["0", "1"], time: [["computation", 50, 60], ["waiting", 20, 0], ["unexplained", 1, 2]] }), [21, 2]);
});

test("all levels of the pyramid hold the same time", () => {
  const run = made();
  for (const level of pyramid(run)) {
    const all = level.shares.reduce((a, b) => a + b, 0);
    assert.ok(Math.abs(all - 200) < 1e-3, `${level.bins}: ${all}`);
  }
  const lit = pyramid(run, (i) => i === 1).at(-1), slots = 2 * N;
  let bright = 0;
  for (let k = 0; k < lit.shares.length; k++) if (k % slots < N) bright += lit.shares[k];
  assert.ok(Math.abs(bright - 20) < 1e-3);
});

test("what is mixed counts by the shares of its bins", () => {
  // Of lane 0, the stretch of 40 to 60 is mixed: two bins of 50 ticks, the first computes, the second waits to a third.
  const shares = [...bin({ 0: 255 }), ...bin({ 0: 170, 1: 85 }), ...bin({}), ...bin({})], run = made({ shares, bins: 2, states: [0, MIXED, 0, 0, 3] }), parts = [];
  mixedParts(run, 0, 40, 60, (a, b, s, share) => parts.push([a, b, s, Math.round(share * 3)]));
  assert.deepEqual(parts, [[40, 50, 0, 3], [50, 60, 0, 2], [50, 60, 1, 1]]);
  const found = sums(run, 40, 60, [0]);
  assert.ok(Math.abs(found.states[0] - 50 / 3) < 1e-9 && Math.abs(found.states[1] - 10 / 3) < 1e-9);
  assert.equal(found.mixed, 20);
  const { used, ...level } = pyramid(run)[0], lit = pyramid(run, (i) => i === 1)[0], about = (values) => [...values].map((v) => Math.round(v * 3)); // the other stretches of the lane compute
  assert.deepEqual(about(level.shares.subarray(0, 2 * N)), [...bin({ 0: 150 }), ...bin({ 0: 140, 1: 10 })]);
  assert.deepEqual([...used], [1, 3, 1, 9]);
  assert.deepEqual(about(lit.shares.subarray(2 * N, 3 * N + 2)), [...bin({ 0: 20, 1: 10 }), 120, 0]);
});

test("shares add up to a hundred", () => {
  assert.deepEqual(wholeShares([1, 1, 1]), [33.4, 33.3, 33.3]);
  assert.equal(wholeShares([0.123, 7, 91.5, 3]).reduce((a, b) => a + b, 0).toFixed(1), "100.0");
});

test("numbers are told as people read them", () => {
  assert.deepEqual([time(0), time(999), time(1234567), time(2.5e9)], ["0", "999 ns", "1.235 ms", "2.5 s"]);
  assert.deepEqual([time(999999999), time(999900000), time(999900000, 3), time(-999999)], ["1 s", "999.9 ms", "1 s", "-1 ms"]);
  assert.deepEqual([percent(0.0001), percent(0.2211), percent(0)], ["<0.1 %", "22.1 %", "0.0 %"]);
});

test("cells of a table are quoted where they must be", () => {
  assert.equal(csv([["a", 'b"c'], ["d,e", 1]]), 'a,"b""c"\n"d,e",1\n');
});

// Lane 0 of 30 to 70, in full: computes to 40, waits to 45, transfers to 60, computes.
const part = () => ({
  from: 30, to: 70, rowOf: new Map([[0, 0]]), first: Uint32Array.of(0, 4), begin: Uint32Array.of(30, 40, 45, 60), state: Uint8Array.of(0, 1, 3, 0), path: Uint16Array.of(1, 2, 2, 1),
  peer: Uint16Array.of(65535, 1, 65535, 65535), find: Uint16Array.of(65535, 0, 65535, 65535),
});

test("a part takes the place of what the page had there", () => {
  const run = made();
  const out = withPart(run, run, part());
  assert.deepEqual([...out.first], [0, 6, 8]);
  assert.deepEqual([...out.begin], [0, 30, 40, 45, 60, 70, 0, 70]);
  assert.deepEqual([...out.state], [0, 0, 1, 3, 0, 0, 0, 3]);
  Object.assign(run, out);
  assert.deepEqual([...sums(run, 0, 100, [0]).states.subarray(0, 4)], [80, 5, 0, 15]);
  assert.deepEqual([...sums(run, 0, 100, [1]).states.subarray(0, 4)], [70, 0, 0, 30]);
});

test("a part at the ends of the run leaves nothing over", () => {
  const run = made(), whole = { ...part(), from: 0, to: 100, begin: Uint32Array.of(0, 40, 45, 60) };
  assert.deepEqual([...withPart(run, run, whole).begin], [0, 40, 45, 60, 0, 70]);
});

test("what is mixed in a part has the part's bins", () => {
  // 40 to 60 is mixed: the page has one bin (computes), the part of 30 to 50 has two of 10 ticks: computes, transfers.
  const run = made({ shares: [...bin({ 0: 255 }), ...bin({})], bins: 1, states: [0, MIXED, 0, 0, 3] }), parts = [];
  run.fine = { from: 30, to: 50, bins: 2, rowOf: new Map([[0, 0]]), shares: Uint8Array.from([...bin({ 0: 255 }), ...bin({ 3: 255 })]) };
  mixedParts(run, 0, 40, 60, (a, b, s, share) => parts.push([a, b, s, share]));
  assert.deepEqual(parts, [[40, 50, 3, 1], [50, 60, 0, 1]]);
});

test("lanes are told as ranges, and a part covers what lies in it", () => {
  assert.equal(ranges([0, 1, 2, 5, 7, 8]), "0-2,5,7-8");
  assert.ok(covers(part(), 35, 60, [0]) && !covers(part(), 25, 60, [0]) && !covers(part(), 35, 60, [0, 1]) && !covers(null, 0, 1, [0]));
  assert.ok(!covers({ ...part(), isCoarse: true }, 45, 50, [0]) && covers({ ...part(), isCoarse: true }, 35, 65, [0]));
});

test("ranges are read back", () => {
  assert.deepEqual(lanesOf("0-2,5,7-8"), [0, 1, 2, 5, 7, 8]);
  assert.deepEqual(lanesOf(""), []);
});

test("lanes are grouped by node, and threads by their process", () => {
  const run = { label: ["0.0", "0.1", "1", "2"], nodes: ["a", "a", "a", "b"], head: { lanes: [[0, 0], [0, 1], [1, 4294967295], [2, 4294967295]] } };
  const [a, b] = groupsOf(run);
  assert.deepEqual([a.lanes, a.parts.map((p) => p.lanes), b.lanes], [[0, 1, 2], [[0, 1], [2]], [3]]);
  assert.deepEqual(groupKeys([a, b]), ["na", "p0", "nb"]);
  assert.deepEqual(groupKeys(groupsOf({ ...run, nodes: ["a", "a", "a", "a"] })), ["p0"]);
});

test("a visit is found again in another run", () => {
  // Lane 0 is in main, MPI_Recv, main; in the other run it receives twice.
  const run = made(), other = { ...made(), first: Uint32Array.of(0, 5, 7), path: Uint16Array.of(2, 1, 2, 2, 1, 1, 2), begin: Uint32Array.of(0, 10, 20, 30, 50, 0, 70) };
  assert.deepEqual([visitOf(run, 0, 0), visitOf(run, 0, 1), visitOf(run, 0, 2)], [1, 1, 2]);
  assert.deepEqual(sameVisit(run, other, 0, 1), { lane: 0, i: 0 });
  assert.deepEqual(sameVisit(run, other, 0, 2), { lane: 0, i: 4 });
  assert.deepEqual(sameVisit(other, run, 0, 3), null);
});

test("an open lane shows the call stacks that are known where one looks", () => {
  // Lane 1 from 10 to 50: main all the time, solve from 20 to 30 in it.
  const stacks = [{ lane: 1, from: 10, to: 50, frames: [0, 90, 0, 0, 20, 30, 1, 1], names: ["main", "solve"] }, { lane: 0, from: 0, to: 5, frames: [], names: [] }];
  const run = { stacks, tickNs: 1, served: 0 }, state = { open: 1, from: 0, to: 100, stack: null };
  assert.deepEqual(windowsOf(run, state), [stacks[0]]);
  assert.deepEqual(windowsOf(run, { ...state, from: 50 }), []);
  assert.equal(depthOf([stacks[0]]), 2);
  assert.equal(frameAt(run, state, 25, 14 + 3).name, "solve");
  assert.equal(frameAt(run, state, 35, 14 + 3), null);
  assert.equal(frameAt(run, state, 35, 3).name, "main");
  assert.equal(frameAt(run, state, 60, 3), null); // main goes on, but nobody knows what was in it
  assert.deepEqual(gapsOf([stacks[0]], 0, 100), [[0, 10], [50, 100]]);
  assert.deepEqual(gapsOf([stacks[0]], 20, 40), []);
  const asked = { lane: 1, from: 0, to: 100, frames: [0, 100, 0, 0], names: ["main"] };
  assert.deepEqual(windowsOf(run, { ...state, stack: asked }), [asked]);
  assert.equal(missing(run, state, [stacks[0]]), "");
  assert.match(missing(run, state, []), /patscan view/);
  assert.match(missing({ stacks: null, served: 1 }, state, []), /cannot be read from the middle/);
});
