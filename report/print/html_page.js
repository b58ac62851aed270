// html_page.js - what is more comfortable with a script: one interval at a time, arrow keys, sorting. Of many intervals
// those that lost little are numbers in the page (html_interval_data.c), which become a section when it is asked for.
(function () {
  'use strict';
  var current = null, made = null, data = null;

  function byId(id) {
    return document.getElementById(id);
  }

  function mark(interval, isNow) {
    var link = interval && document.querySelector('.overview a[href="#' + interval.id + '"]');
    if (interval) interval.classList.toggle('now', isNow);
    if (link) link.closest('tr').classList.toggle('now', isNow);
  }

  function show(interval) {
    mark(current, false);
    if (made && made !== interval) made.remove();
    made = interval.isMade ? interval : null;
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
      var column = head.hasAttribute('data-c') ? +head.getAttribute('data-c') : head.cellIndex;
      if (head.colSpan > 1) return;
      if (table.tHead.rows.length > 1 && !head.hasAttribute('data-c')) return;
      var button = document.createElement('button');
      button.type = 'button';
      button.textContent = head.textContent;
      button.addEventListener('click', function () { sort(table, head, column); });
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

  // -- intervals that are data

  function element(name, content) {
    var made = document.createElement(name);
    made.append(content);
    return made;
  }

  function link(n, content, kind) {
    var a = element('a', content);
    if (kind) a.className = kind;
    a.href = '#interval-' + n;
    return a;
  }

  // Cells are text or elements; what is a number is so by the head of its column.
  function row(heads, cells) {
    var tr = document.createElement('tr');
    cells.forEach(function (content, c) {
      var cell = tr.appendChild(element(c ? 'td' : 'th', content));
      if (!c) cell.scope = 'row';
      else if (heads[c].className) cell.className = heads[c].className;
    });
    return tr;
  }

  function bar(numbers, isTold) {
    var svg = data.bar.cloneNode(false), at = 0;
    var parts = [['productive', 'ptime'], ['insufficient', 'insuf'], ['communication', 'comm'], ['idle', 'idle']];
    var total = numbers[data.at.total];
    parts = parts.filter(function (part) { return part[1] in data.at; }).map(function (part) {
      var percent = total > 0 ? Math.min(100 * Math.max(numbers[data.at[part[1]]], 0) / total, 100) : 0;
      var width = Math.min(percent, 100 - at);
      if (width >= 0.05) {
        var path = svg.appendChild(document.createElementNS(svg.namespaceURI, 'path'));
        path.setAttribute('class', part[0]);
        path.setAttribute('d', 'M' + fixed(at, 1) + ' 0h' + fixed(width, 1) + 'v10h-' + fixed(width, 1) + 'z');
        at += width;
      }
      return (part[0] === 'insufficient' ? 'insufficient parallelism' : part[0]) + ' ' + fixed(percent, 0) + ' %';
    });
    if (isTold) {
      svg.removeAttribute('role');
      svg.removeAttribute('aria-label');
      svg.setAttribute('aria-hidden', 'true');
    } else {
      svg.setAttribute('aria-label', parts.join(', '));
    }
    return svg;
  }

  function shown(c, number) {
    return (data.cells[c] === 'effic' ? share : /^nop/.test(data.cells[c]) ? count : duration)(number);
  }

  // What is left out because it is as before is put in; whom each interval is below and beside.
  function readData(text) {
    data = JSON.parse(text);
    var whole = byId('interval-0'), last = [];
    data.model = whole.cloneNode(true);
    data.bar = whole.querySelector('.fields .bar');
    data.cells = Array.from(whole.querySelectorAll('data[value]'), function (cell) { return cell.id.slice(3); });
    data.at = {};
    data.cells.forEach(function (name, c) { data.at[name] = c; });
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
    document.querySelectorAll('.overview tr[id]').forEach(function (tr) { tr.removeAttribute('id'); });
    document.querySelectorAll('article.interval').forEach(function (section) {
      putSteps(section, data.intervals[+section.id.slice(9)]);
    });
    var unlisted = document.querySelector('.unlisted');
    if (!unlisted) return;
    var button = element('button', 'Show all of them');
    button.type = 'button';
    button.addEventListener('click', function () { listAll(unlisted); });
    unlisted.append(' ', button);
  }

  function listAll(said) {
    var table = document.querySelector('.overview'), body = table.tBodies[0];
    var heads = table.tHead.rows[0].cells;
    var rows = data.intervals.map(function (it) {
      var tr = row(heads, [link(it.n, it.title), count(it.count), sum(it, 'exec'), sum(it, 'effic'), sum(it, 'lost'), it.mostly,
        bar(it.numbers)]);
      tr.cells[0].className = 'd' + Math.min(it.level, 8);
      return tr;
    });
    table.original = rows;
    table.querySelectorAll('th[aria-sort]').forEach(function (th) { th.removeAttribute('aria-sort'); });
    body.replaceChildren.apply(body, rows);
    said.remove();
    mark(current, true);
    table.parentNode.focus();
  }

  function sum(it, name) {
    return shown(data.at[name], it.numbers[data.at[name]]);
  }

  function keyOf(it) {
    return [it.type, it.level, count(it.count), it.line, it.expression, it.file];
  }

  function putSteps(section, it) {
    var steps = { home: it.n ? data.intervals[0] : null, up: it.up, previous: it.previous, next: it.next, down: it.below[0] };
    var old = section.querySelector('.steps').children;
    Object.keys(steps).forEach(function (kind, i) {
      var title = old[i].textContent;
      old[i].replaceWith(steps[kind] ? link(steps[kind].n, title, kind) : element('span', title));
    });
  }

  function putNested(section, it) {
    var table = section.querySelector('.nested'), left = section.querySelector('.left');
    if (left) left.remove();
    if (!it.below.length) {
      if (table) table.parentNode.remove();
      return;
    }
    var heads = table.tHead.rows[0].cells;
    var rows = it.below.map(function (below) {
      var tr = row(heads, [link(below.n, below.title)].concat(keyOf(below), ['exec', 'effic', 'lost'].map(function (name) {
        return sum(below, name);
      })));
      tr.cells[6].className = 'file';
      return tr;
    });
    table.tBodies[0].replaceChildren.apply(table.tBodies[0], rows);
  }

  function putProcessors(section, it) {
    var table = section.querySelector('.processors'), rows = data.processors[it.n];
    if (!rows) {
      while (table.parentNode.nextSibling) table.parentNode.nextSibling.remove();
      table.parentNode.remove();
      return;
    }
    table.tBodies[0].replaceChildren();
    table.tFoot.replaceChildren();
    rows.forEach(function (cells) {
      var isOne = /^[0-9]+$/.test(cells[0]), numbers = cells.slice(1);
      var tr = row([{}, {}].concat(numbers.map(function () { return {}; })),
        [cells[0], isOne ? bar(numbers, true) : ''].concat(numbers.map(function (number, c) { return shown(c, number); })));
      if (isOne) tr.cells[0].className = 'n';
      (isOne ? table.tBodies[0] : table.tFoot).append(tr);
    });
  }

  function putNumbers(section, it) {
    section.querySelectorAll('data[value]').forEach(function (cell, c) {
      cell.value = it.numbers[c];
      cell.textContent = shown(c, it.numbers[c]);
    });
    var total = it.numbers[data.at.total];
    section.querySelectorAll('.fields tbody tr').forEach(function (tr) {
      var value = tr.cells[1].querySelector('data[value]');
      if (value && tr.cells[2].textContent) tr.cells[2].textContent = total > 0 ? share(value.value / total) : '';
    });
    section.querySelector('.fields .bar').replaceWith(bar(it.numbers));
  }

  // After the model of the whole run's.
  function make(it) {
    var section = data.model.cloneNode(true);
    section.isMade = true;
    section.querySelectorAll('span[id]').forEach(function (span) { span.replaceWith(span.firstChild); });
    [section].concat(Array.from(section.querySelectorAll('[id]'))).forEach(function (at) {
      at.id = at.id.replace(/^(interval-|title-|i)0/, '$1' + it.n);
    });
    section.setAttribute('aria-labelledby', 'title-' + it.n);
    section.querySelector('.steps').setAttribute('aria-label', 'From interval ' + it.n);
    section.querySelector('h3').textContent = 'Interval ' + it.n + ': ' + it.title;
    Array.from(section.querySelectorAll('.key td')).forEach(function (cell, c) { cell.textContent = keyOf(it)[c]; });
    putSteps(section, it);
    putNumbers(section, it);
    putNested(section, it);
    putProcessors(section, it);
    section.querySelectorAll('table.sort').forEach(makeSortable);
    return section;
  }

  function sectionOf(n) {
    var section = byId('interval-' + n), it = data.intervals[n];
    if (section && section.querySelector('.left')) putNested(section, it);
    if (section || !it) return section;
    section = make(it);
    document.querySelector('.interval').parentNode.append(section);
    return section;
  }

  function begin() {
    var stored = byId('interval-data');
    if (stored) readData(stored.textContent);
    document.querySelectorAll('table.sort').forEach(makeSortable);
    var first = document.querySelector('.interval');
    if (!first) return;
    var hint = document.createElement('p');
    hint.className = 'hint';
    var isAlone = document.querySelectorAll('.overview tbody tr').length < 2;
    hint.textContent = (isAlone ? '' : 'In an interval, the arrow keys go up, down, to the previous and to the next one. ') +
      'A click on the head of a column sorts.';
    first.before(hint);
    show(data ? sectionOf(0) : first);
    window.addEventListener('hashchange', follow);
    document.addEventListener('keydown', step);
    follow();
  }

  // At once, so that what is hidden is never laid out.
  document.documentElement.classList.add('js');
  document.addEventListener('DOMContentLoaded', begin);
}());
