// Intervals: one at a time, made of the numbers in the page (docs/HTML.md has their format), arrow keys; and tables that
// sort.
var current = null, data = null;

function byId(id) {
  return document.getElementById(id);
}

function mark(interval, isNow) {
  var link = interval && overview().querySelector('a[href="#' + interval.id + '"]');
  if (interval) interval.classList.toggle('now', isNow);
  if (link) link.closest('tr').classList.toggle('now', isNow);
}

// There is one at a time.
function show(interval) {
  if (current !== interval) {
    mark(current, false);
    if (current) current.remove();
  }
  mark(interval, true);
  current = interval;
}

// The address may name an interval or anything in one.
function follow() {
  var id = decodeURIComponent(location.hash.slice(1));
  var match = /^(?:interval-|i)([0-9]+)(?:-[a-z]+)?$/.exec(id);
  var interval = match && data && sectionOf(+match[1]);
  var target = id && byId(id);
  interval = interval || target && target.closest('.interval');
  if (!interval) return;
  show(interval);
  interval.focus({ preventScroll: true });
  (target = byId(id) || interval).scrollIntoView({ block: target === interval ? 'start' : 'center' });
}

var keys = { ArrowLeft: 'previous', ArrowRight: 'next', ArrowUp: 'up', ArrowDown: 'down', Home: 'home' };

function step(event) {
  var at = event.target;
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || !keys[event.key]) return;
  if (!current || !current.contains(at) || at.closest('.scroll')) return;
  var link = current.querySelector('.steps a.' + keys[event.key]);
  event.preventDefault();
  if (link) location.hash = link.getAttribute('href');
}

// What a cell counts: times by their unit, numbers, percentages; NaN for words and what is not known.
var units = { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1 };

function value(text) {
  var match = /^<?([-+]?[0-9][0-9.,e+]*)\s*(ns|us|ms|s|%)?$/.exec(text);
  return match ? parseFloat(match[1].replace(/,/g, '')) * (units[match[2]] || 1) : NaN;
}

function compare(a, b) {
  if (isNaN(a.value) !== isNaN(b.value)) return isNaN(a.value) ? 1 : -1;
  if (!isNaN(a.value)) return b.value - a.value || a.index - b.index;
  return (a.text < b.text ? -1 : a.text > b.text ? 1 : 0) || a.index - b.index;
}

// Largest first, then smallest first, then as it was.
function sort(table, head, column) {
  var body = table.tBodies[0];
  var next = { none: 'descending', descending: 'ascending', ascending: 'none' };
  var order = next[head.getAttribute('aria-sort') || 'none'];
  table.querySelectorAll('th[aria-sort]').forEach(function (th) { th.removeAttribute('aria-sort'); });
  if (!table.original) table.original = Array.from(body.rows);
  var rows = table.original;
  if (order !== 'none') {
    head.setAttribute('aria-sort', order);
    var keyed = rows.map(function (row, index) {
      var text = row.cells[column].textContent.trim();
      return { row: row, index: index, text: text, value: value(text) };
    });
    keyed.sort(compare);
    if (order === 'ascending') keyed.reverse();
    rows = keyed.map(function (key) { return key.row; });
  }
  rows.forEach(function (row) { body.appendChild(row); });
}

function makeSortable(table) {
  table.querySelectorAll('thead th').forEach(function (head) {
    var button = document.createElement('button');
    button.type = 'button';
    button.textContent = head.textContent;
    button.addEventListener('click', function () { sort(table, head, head.cellIndex); });
    head.replaceChildren(button);
  });
  var box = table.parentNode;
  box.tabIndex = 0;
  box.setAttribute('role', 'region');
  box.setAttribute('aria-label', table.caption.textContent);
  if (table.tBodies[0].rows.length > 24) box.classList.add('tall');
}

// -- numbers as the page has them

// C rounds what lies in the middle to an even digit, a browser up.
function fixed(x, digits) {
  var text = x.toFixed(digits);
  var isMiddle = (x * Math.pow(2, digits + 1)) % 2 === 1;
  return isMiddle && /[13579]$/.test(text) ? (Math.floor(x * Math.pow(10, digits)) / Math.pow(10, digits)).toFixed(digits) : text;
}

function share(x) {
  return x > 0 && x < 0.0005 ? '<0.1 %' : fixed(100 * x, 1) + ' %';
}

function count(n) {
  return String(n).replace(/\B(?=([0-9]{3})+$)/g, ',');
}

function duration(s) {
  if (s === 0) return '0';
  if (s < 0) return '-' + duration(-s);
  if (s >= 4e6) return s.toPrecision(4).replace(/\.?0+(?=e|$)/, '').replace(/e\+([0-9])$/, 'e+0$1') + ' s';
  var names = ['ns', 'us', 'ms', 's'], unit = 0, x = Math.round(s * 1e12) / 1000;
  for (; unit < 3 && x >= 999.95; unit++) x /= 1000;
  var text = fixed(x, x < 9.9995 ? 3 : x < 99.995 ? 2 : x < 999.95 ? 1 : 0);
  return (text.indexOf('.') < 0 ? text : text.replace(/\.?0+$/, '')) + ' ' + names[unit];
}

// -- intervals: docs/HTML.md has the format of their numbers

function element(name, content, attributes) {
  var made = document.createElement(name);
  if (content !== undefined) made.append(content);
  Object.keys(attributes || {}).forEach(function (key) { made.setAttribute(key, attributes[key]); });
  return made;
}

function link(n, content, kind) {
  return element('a', content, { href: '#interval-' + n, class: kind || '' });
}

// Heads of numbers begin with "="; cells are text, elements or lists of both.
function row(heads, cells) {
  var tr = document.createElement('tr');
  cells.forEach(function (content, c) {
    var cell = tr.appendChild(element(c ? 'td' : 'th'));
    cell.append.apply(cell, [].concat(content));
    if (!c) cell.scope = 'row';
    if (heads[c][0] === '=') cell.className = 'n';
  });
  return tr;
}

function table(kind, caption, heads, rows) {
  var made = element('table', element('caption', caption), { class: kind });
  var tr = made.createTHead().insertRow();
  heads.forEach(function (head) {
    var isNumber = head[0] === '=';
    tr.append(element('th', isNumber ? head.slice(1) : head, { scope: 'col', class: isNumber ? 'n' : '' }));
  });
  var body = made.createTBody();
  rows.forEach(function (cells) { body.append(row(heads, cells)); });
  return element('div', made, { class: 'scroll' });
}

var colours = [['productive', 'ptime', 'productive'], ['insufficient', 'insuf', 'insufficient parallelism'],
  ['communication', 'comm', 'communication'], ['idle', 'idle', 'idle']];

function bar(numbers, isTold) {
  var space = overview().querySelector('svg').namespaceURI, svg = document.createElementNS(space, 'svg'), at = 0;
  var total = numbers[data.at.total], said = [];
  colours.forEach(function (part) {
    if (!(part[1] in data.at)) return;
    var percent = total > 0 ? Math.min(100 * Math.max(numbers[data.at[part[1]]], 0) / total, 100) : 0;
    var width = Math.min(percent, 100 - at);
    said.push(part[2] + ' ' + fixed(percent, 0) + ' %');
    if (width < 0.05) return;
    var path = svg.appendChild(document.createElementNS(space, 'path'));
    path.setAttribute('class', part[0]);
    path.setAttribute('d', 'M' + fixed(at, 1) + ' 0h' + fixed(width, 1) + 'v10h-' + fixed(width, 1) + 'z');
    at += width;
  });
  var names = { class: 'bar', viewBox: '0 0 100 10', preserveAspectRatio: 'none' };
  names[isTold ? 'aria-hidden' : 'role'] = isTold ? 'true' : 'img';
  if (!isTold) names['aria-label'] = said.join(', ');
  Object.keys(names).forEach(function (key) { svg.setAttribute(key, names[key]); });
  return svg;
}

function shown(name, number) {
  return (name === 'effic' ? share : /^nop/.test(name) ? count : duration)(number);
}

// A number with its id, or why it is not known.
function cell(it, name, reason) {
  var made = element('data', reason ? '\u2013' : shown(name, it.numbers[data.at[name]]), { id: 'i' + it.n + '-' + name });
  if (reason) {
    made.className = 'unknown';
    made.title = 'Not known: ' + reason + '.';
  } else {
    made.value = it.numbers[data.at[name]];
  }
  return it.n ? made : element('span', made, { id: name });
}

function sum(it, name) {
  return shown(name, it.numbers[data.at[name]]);
}

function keyOf(it) {
  return [it.type, it.level, count(it.count), it.line, it.expression, it.file];
}

// What is left out because it is as before is put in; whom each interval is below and beside.
function readData(text) {
  var last = [];
  data = JSON.parse(text);
  data.at = {};
  var names = data.fields.filter(function (field) { return !field[3]; }).map(function (field) { return field[0]; });
  data.columns = names.slice();
  data.classes.forEach(function (kind) {
    data.operations.forEach(function (operation) { if (!operation[3]) names.push(operation[0] + kind[0]); });
  });
  names.forEach(function (name, c) { data.at[name] = c; });
  data.intervals = data.intervals.map(function (values, n) {
    var level = values[0], up = last[level - 1], before = n ? last.before : {}, beside = last[level];
    var it = { n: n, level: level, type: data.types[values[1]], count: values[2], line: values[3] || '', expression: values[4],
      title: values[5] || values[4], file: values[6] === 0 ? before.file : values[6],
      mostly: values[7] === 0 ? before.mostly : values[7], numbers: values.slice(8), up: up, below: [] };
    if (up) up.below.push(it);
    if (beside && beside.up === up) {
      it.previous = beside;
      beside.next = it;
    }
    return last[level] = last.before = it;
  });
  document.querySelectorAll('#intervals [id^="interval-"], #intervals .scriptless [id]').forEach(function (at) {
    if (at.tagName !== 'SCRIPT') at.removeAttribute('id');
  });
  var unlisted = document.querySelector('.unlisted');
  if (!unlisted) return;
  var button = element('button', 'Show all of them', { type: 'button' });
  button.addEventListener('click', function () { listAll(unlisted); });
  unlisted.append(' ', button);
}

function overview() {
  return document.querySelector('#intervals > .scroll > table');
}

function listAll(said) {
  var list = overview(), body = list.tBodies[0], heads = ['', '=', '=', '=', '=', '', ''];
  var rows = data.intervals.map(function (it) {
    var tr = row(heads, [link(it.n, it.title), count(it.count), sum(it, 'exec'), sum(it, 'effic'), sum(it, 'lost'), it.mostly,
      bar(it.numbers)]);
    tr.cells[0].className = 'd' + Math.min(it.level, 8);
    return tr;
  });
  list.original = rows;
  list.querySelectorAll('th[aria-sort]').forEach(function (th) { th.removeAttribute('aria-sort'); });
  body.replaceChildren.apply(body, rows);
  said.remove();
  mark(current, true);
  list.parentNode.focus();
}

function steps(it) {
  var nav = element('nav', undefined, { class: 'steps', 'aria-label': 'From interval ' + it.n });
  [['Home', it.n ? data.intervals[0] : null], ['Up', it.up], ['Previous', it.previous], ['Next', it.next],
    ['Down', it.below[0]]].forEach(function (step) {
    nav.append(step[1] ? link(step[1].n, step[0], step[0].toLowerCase()) : element('span', step[0]));
  });
  return nav;
}

// A characteristic with its parts.
function fields(it) {
  var total = it.numbers[data.at.total];
  var rows = [['Processors', count(data.count), '', bar(it.numbers)]];
  data.fields.forEach(function (field) {
    if (field[2]) {
      var part = element('span', field[1] + ' ');
      part.append(cell(it, field[0], field[3]));
      rows[rows.length - 1][3].push(part);
      return;
    }
    var hasShare = !field[3] && total > 0 && field[0] !== 'effic' && field[0] !== 'exec';
    rows.push([field[1], cell(it, field[0], field[3]), hasShare ? share(it.numbers[data.at[field[0]]] / total) : '', []]);
  });
  var made = table('fields', 'Characteristics', ['Characteristic', '=Value', '=of total', 'Of which'], rows);
  made.querySelectorAll('td:last-child').forEach(function (td) { td.classList.add('parts'); });
  return made;
}

function operations(it) {
  var heads = ['Class'].concat(data.operations.map(function (operation) { return '=' + operation[1]; }));
  return table('operations', 'Operations', heads, data.classes.map(function (kind) {
    return [kind[1]].concat(data.operations.map(function (operation) {
      return cell(it, operation[0] + kind[0], operation[3]);
    }));
  }));
}

function nested(it) {
  var heads = ['Go', 'Type', '=Level', '=Count', '=Line', 'Expression', 'File', '=Execution', '=Efficiency', '=Lost'];
  return table('nested sort', 'Nested intervals', heads, it.below.map(function (below) {
    return [link(below.n, below.title)].concat(keyOf(below), sum(below, 'exec'), sum(below, 'effic'), sum(below, 'lost'));
  }));
}

// Parts are told after what they are parts of.
function processors(it) {
  var whole = '', rows = data.processors[it.n];
  var heads = ['=Processor', 'Total time'].concat(data.fields.filter(function (field) { return !field[3]; })
    .map(function (field) {
      whole = field[2] ? whole : field[1];
      return '=' + (field[2] ? whole + ': ' : '') + field[1];
    }));
  var made = table('processors sort', 'Processors', heads, []), list = made.firstChild, foot = list.createTFoot();
  rows.forEach(function (cells) {
    var isOne = /^[0-9]+$/.test(cells[0]), numbers = cells.slice(1);
    (isOne ? list.tBodies[0] : foot).append(row(isOne ? heads : [''].concat(heads.slice(1)),
      [cells[0], isOne ? bar(numbers, true) : ''].concat(numbers.map(function (number, c) {
        return shown(data.columns[c], number);
      }))));
  });
  if (list.tBodies[0].rows.length < data.count) {
    made.append(element('p', 'The ' + list.tBodies[0].rows.length + ' of ' + data.count +
      ' processors that lost most; --report json has all of them.'));
  }
  return made;
}

function make(it) {
  var section = element('article', steps(it), { class: 'interval', id: 'interval-' + it.n, tabindex: -1,
    'aria-labelledby': 'title-' + it.n });
  var key = table('key', 'INTERVAL', ['Type', '=Level', '=Count', '=Line', 'Expression', 'File'], [keyOf(it)]);
  var left = element('div', key), columns = element('div', left, { class: 'columns' });
  left.append(fields(it));
  columns.append(element('div', operations(it)));
  section.append(element('h3', 'Interval ' + it.n + ': ' + it.title, { id: 'title-' + it.n }), columns);
  if (it.below.length) section.append(nested(it));
  if (data.processors[it.n]) section.append(processors(it));
  section.querySelectorAll('table.sort').forEach(makeSortable);
  byId('intervals').append(section);
  return section;
}

function sectionOf(n) {
  return data.intervals[n] && (byId('interval-' + n) || make(data.intervals[n]));
}

export function startIntervals() {
  var stored = byId('interval-data');
  document.querySelectorAll('table.sort').forEach(makeSortable);
  if (!stored) return;
  readData(stored.textContent);
  var isAlone = data.intervals.length < 2;
  byId('intervals').append(element('p', (isAlone ? '' :
    'In an interval, the arrow keys go up, down, to the previous and to the next one. ') +
    'A click on the head of a column sorts.', { class: 'hint' }));
  show(sectionOf(0));
  window.addEventListener('hashchange', follow);
  document.addEventListener('keydown', step);
  follow();
}
