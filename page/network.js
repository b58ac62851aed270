// Networks that a run is laid over: presets as docs/NETWORKS.md has them, or links that are told; routes through them, and what
// messages put on their links. Processors come first in the numbering, switches behind them.

const MOST_NODES = 20000;

// ---- shapes: each adds its links, and says where nodes stand in a picture, from 0 to 1 ----

function builder(n) {
  const next = Array.from({ length: n }, () => []);
  return { next, link: (a, b, weight) => { next[a].push([b, weight]); next[b].push([a, weight]); } };
}

const circle = (n) => Array.from({ length: n }, (_, i) => { const a = i / n * 2 * Math.PI - Math.PI / 2; return [0.5 + 0.47 * Math.cos(a), 0.5 + 0.47 * Math.sin(a)]; });

function ring(n, _, weight) {
  const made = builder(n);
  for (let i = 0; n > 1 && i < (n === 2 ? 1 : n); i++) made.link(i, (i + 1) % n, weight);
  return { next: made.next, at: circle(n) };
}

// As near to a square as n divides.
function square(n) {
  let rows = Math.floor(Math.sqrt(n));
  while (n % rows) rows--;
  return [rows, n / rows];
}

function grid(n, given, weight, wraps) {
  const sizes = given.length ? given : square(n), all = sizes.reduce((a, b) => a * b, 1);
  if (all < n) return `has ${all} nodes for ${n} processes`;
  if (all > MOST_NODES) return "is too large to be drawn";
  const made = builder(all), strides = sizes.map((_, d) => sizes.slice(d + 1).reduce((a, b) => a * b, 1));
  const cols = sizes.at(-1), rows = sizes.at(-2) ?? 1, planes = all / cols / rows, across = Math.ceil(Math.sqrt(planes)), down = Math.ceil(planes / across), at = [];
  for (let v = 0; v < all; v++) {
    sizes.forEach((size, d) => {
      const x = Math.floor(v / strides[d]) % size;
      if (x + 1 < size) made.link(v, v + strides[d], weight);
      else if (wraps && size > 2) made.link(v, v - (size - 1) * strides[d], weight);
    });
    const plane = Math.floor(v / (rows * cols)), [px, py] = [plane % across, Math.floor(plane / across)], [r, c] = [Math.floor(v / cols) % rows, v % cols];
    at.push([(px + (c + 0.5) / cols * (planes > 1 ? 0.86 : 1)) / across, (py + (r + 0.5) / rows * (planes > 1 ? 0.86 : 1)) / down]);
  }
  return { next: made.next, at, curved: wraps };
}

function hypercube(n, _, weight) {
  const bits = Math.log2(n);
  if (!Number.isInteger(bits)) return `needs a power of two, not ${n} processes`;
  const made = builder(n), wide = 2 ** Math.ceil(bits / 2), high = n / wide, gray = (x) => { let v = 0; for (let rest = x; rest; rest >>= 1) v ^= rest; return v; }; // neighbours stand side by side where they can
  for (let v = 0; v < n; v++) for (let b = 1; b < n; b *= 2) if (!(v & b)) made.link(v, v | b, weight);
  return { next: made.next, at: Array.from({ length: n }, (_v, v) => [(gray(v % wide) + 0.5) / wide, (gray(Math.floor(v / wide)) + 0.5) / high]), curved: true };
}

function tree(n, [arity = 2], weight, grows) {
  if (arity < 2) return "needs two branches or more";
  const levels = [n];
  while (levels.at(-1) > 1) levels.push(Math.ceil(levels.at(-1) / arity));
  const made = builder(levels.reduce((a, b) => a + b, 0)), at = [];
  let first = 0;
  levels.forEach((size, level) => {
    const above = first + size, wide = arity ** level;
    for (let i = 0; i < size; i++) {
      const end = Math.min(n, (i + 1) * wide);
      at.push([(i * wide + end) / 2 / n, 0.96 - 0.92 * level / Math.max(1, levels.length - 1)]);
      if (level + 1 < levels.length) made.link(first + i, above + Math.floor(i / arity), weight * (grows ? wide : 1));
    }
    first = above;
  });
  return { next: made.next, at };
}

function star(n, _, weight) {
  const made = builder(n + 1);
  for (let i = 0; i < n; i++) made.link(i, n, weight);
  return { next: made.next, at: [...circle(n), [0.5, 0.5]] };
}

const PRESETS = {
  ring, star, hypercube, mesh: (n, sizes, w) => grid(n, sizes, w, false), torus: (n, sizes, w) => grid(n, sizes, w, true), tree: (n, sizes, w) => tree(n, sizes, w, false), fattree: (n, sizes, w) => tree(n, sizes, w, true),
  crossbar: (n, _, weight) => ({ next: null, weight, at: circle(n) }),
};
export const PRESET_NAMES = Object.keys(PRESETS);

// NAME[:SIZES][@WEIGHT] for n processes; a sentence where there is no such network.
export function makeNetwork(spec, n) {
  const [, name, sizes = "", weight = "1"] = /^([a-z]+)(?::(\d{1,6}(?:x\d{1,6})*))?(?:@(\d+\.?\d*))?$/.exec(spec.trim()) ?? [];
  if (!Object.hasOwn(PRESETS, name ?? "")) return `no such network; there are ${PRESET_NAMES.join(", ")}, with sizes such as mesh:4x8`;
  if (n > MOST_NODES) return `${n} processes are too many to be drawn`;
  const made = PRESETS[name](n, sizes ? sizes.split("x").map(Number) : [], Number(weight) || 1);
  return typeof made === "string" ? `${name} ${made}` : finish(made, n, spec.trim());
}

// Of a network file: `links` of [from, to, weight].
export function givenNetwork(name, nodes, links, n) {
  const next = Array.from({ length: nodes }, () => []);
  for (const [a, b, weight] of links) next[a].push([b, weight]);
  return finish({ next, at: stand(next, n) }, n, name);
}

// A tree with its root at the top; in all else processors on a circle, and each switch amid its neighbours.
function stand(next, n) {
  const edges = next.reduce((sum, list, v) => sum + list.filter(([to]) => to > v).length, 0);
  const isTree = edges === next.length - 1 && next.every((list, v) => list.every(([to]) => next[to].some(([back]) => back === v)));
  const placed = isTree ? standAsTree(next) : null;
  if (placed) return placed;
  const at = [...circle(n), ...next.slice(n).map(() => [0.5, 0.5])];
  for (let round = 0; round < 60; round++) for (let v = n; v < next.length; v++) {
    const near = next[v].length || 1;
    at[v] = [0, 1].map((d) => next[v].reduce((a, [to]) => a + at[to][d], 0) / near || 0.5);
  }
  return at;
}

// The root is what is left when leaves are taken off again and again. null: its parts hang together nowhere.
function standAsTree(next) {
  const left = next.map((list) => list.length), order = [...left.keys()].filter((v) => left[v] <= 1), at = Array(next.length).fill(null), leaves = [];
  for (let i = 0; i < order.length; i++) for (const [to] of next[order[i]]) if (--left[to] === 1) order.push(to);
  const root = order.at(-1), high = Array(next.length).fill(0), stack = [[root, -1, false]];
  if (order.length !== next.length) return null;
  while (stack.length) {
    const [v, up, isDone] = stack.pop(), below = next[v].filter(([to]) => to !== up).map(([to]) => to);
    if (!below.length) leaves.push(v);
    else if (!isDone) { stack.push([v, up, true], ...below.reverse().map((to) => [to, v, false])); continue; }
    high[v] = below.reduce((a, to) => Math.max(a, high[to] + 1), 0);
    at[v] = below.length ? [below.reduce((a, to) => a + at[to][0], 0) / below.length, high[v]] : [leaves.length - 0.5, 0];
  }
  return at.map(([x, y]) => [x / leaves.length, 0.96 - 0.92 * y / (high[root] || 1)]);
}

function finish(made, n, name) {
  const network = { ...made, name, n, links: [], first: [], back: [] };
  for (const [from, list] of (made.next ?? []).entries()) {
    network.first.push(network.links.length);
    for (const [to, weight] of list.sort((a, b) => a[0] - b[0])) network.links.push({ from, to, weight });
  }
  network.first.push(network.links.length);
  if (made.next) { network.back = made.next.map(() => []); for (const [from, list] of made.next.entries()) for (const [to, weight] of list) network.back[to].push([from, weight]); }
  return network;
}

// ---- routes: a cheapest way, a link costing 1 / weight; of those that cost the same the one over the lowest nodes ----

// Costs of the way to `to`: of all nodes that are as near as those that are asked for.
function distances(network, to, froms, budget) {
  const wanted = new Set(froms), cost = new Float64Array(network.back.length).fill(Infinity), done = new Uint8Array(network.back.length), heap = [[0, to]];
  cost[to] = 0;
  const rise = (item) => { let i = heap.push(item) - 1; for (let up; i && heap[up = i - 1 >> 1][0] > item[0]; i = up) heap[i] = heap[up]; heap[i] = item; };
  const pop = () => {
    const top = heap[0], item = heap.pop();
    for (let i = 0, child; heap.length; i = child) {
      child = 2 * i + 1;
      if (child + 1 < heap.length && heap[child + 1][0] < heap[child][0]) child++;
      if (child >= heap.length || heap[child][0] >= item[0]) { heap[i] = item; break; }
      heap[i] = heap[child];
    }
    return top;
  };
  while (heap.length && wanted.size && budget.left-- > 0) {
    const [far, v] = pop();
    if (done[v]) continue;
    done[v] = 1, wanted.delete(v);
    for (const [u, weight] of network.back[v]) if (far + 1 / weight < cost[u] * (1 - 1e-12)) { cost[u] = far + 1 / weight; rise([cost[u], u]); }
  }
  return cost;
}

const MOST_STEPS = 2e7; // some seconds

// Ways by (from, to), found destination by destination: arrays of numbers of links, empty where there is no way. null: too many
// ways that are too long.
export function waysOf(network, pairs, steps = MOST_STEPS) {
  const ways = new Map(), byGoal = new Map(), budget = { left: steps }, { n, links, first } = network;
  for (const [from, to] of pairs) byGoal.set(to, (byGoal.get(to) ?? new Set()).add(from));
  for (const [to, froms] of byGoal) {
    const cost = network.next ? distances(network, to, froms, budget) : null;
    if (budget.left < 0) return null;
    for (const from of froms) {
      const way = [];
      if (!cost && from !== to) way.push(crossing(network, from, to));
      for (let at = from; cost && at !== to;) {
        let best = -1;
        for (let i = first[at]; i < first[at + 1] && best < 0; i++) if (cost[at] < Infinity && 1 / links[i].weight + cost[links[i].to] <= cost[at] * (1 + 1e-9)) best = i;
        if (best < 0 || way.length > links.length) { way.length = 0; break; }
        way.push(best), at = links[best].to;
      }
      ways.set(from * n + to, way);
    }
  }
  return ways;
}

// Links of a crossbar come as they are needed: there would be n times n.
function crossing(network, from, to) {
  network.cross ??= new Map();
  const key = from * network.n + to;
  if (!network.cross.has(key)) { network.cross.set(key, network.links.length); network.links.push({ from, to, weight: network.weight }); }
  return network.cross.get(key);
}

// What pairs of [from, to, messages, bytes] put on the links.
export function linkLoads(network, pairs) {
  const ways = waysOf(network, pairs);
  if (!ways) return null;
  const messages = new Float64Array(network.links.length), bytes = new Float64Array(network.links.length);
  let hops = 0, far = 0, most = 0;
  for (const [from, to, many, size] of pairs) {
    const way = ways.get(from * network.n + to);
    for (const link of way) messages[link] += many, bytes[link] += size;
    if (way.length) far += many, hops += many * way.length, most = Math.max(most, way.length);
  }
  return { ways, messages, bytes, hops, far, mean: far ? hops / far : 0, most };
}

// How many messages and bytes are under way over each link, on average of each of n slices: [slice][link]. A message takes its
// whole way from its send to its receive. `list` of [begin, end, from, to, bytes].
export function loadOver(network, ways, list, from, to, n) {
  const width = (to - from) / n, size = network.links.length, messages = new Float64Array(n * size), bytes = new Float64Array(n * size);
  for (const [begin, end, a, b, load] of list) {
    const way = ways.get(a * network.n + b) ?? [];
    for (let k = Math.max(0, Math.floor((begin - from) / width)); way.length && k < n && from + k * width < end; k++) {
      const share = (Math.min(end, from + (k + 1) * width) - Math.max(begin, from + k * width)) / width;
      if (share > 0) for (const link of way) messages[k * size + link] += share, bytes[k * size + link] += share * load;
    }
  }
  return { messages, bytes };
}

// The same of sums: `flows` has, of each of the `pairs` in its order, how much is under way in each of `bins` bins of a span.
export function loadOfFlows(network, ways, flows, pairs, from, to, n) {
  const width = (to - from) / n, size = network.links.length, own = (flows.to - flows.from) / flows.bins, messages = new Float64Array(n * size), bytes = new Float64Array(n * size);
  for (const [i, a, b] of pairs) {
    const way = ways.get(a * network.n + b) ?? [];
    for (let k = 0; way.length && k < n; k++) {
      const begin = from + k * width, end = begin + width;
      let many = 0, load = 0;
      for (let bin = Math.max(0, Math.floor((begin - flows.from) / own)); bin < flows.bins && flows.from + bin * own < end; bin++) {
        const share = (Math.min(end, flows.from + (bin + 1) * own) - Math.max(begin, flows.from + bin * own)) / width;
        many += share * flows.messages(i, bin), load += share * flows.bytes(i, bin);
      }
      for (const link of way) messages[k * size + link] += many, bytes[k * size + link] += load;
    }
  }
  return { messages, bytes };
}
