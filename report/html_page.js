// html_page.js - what is more comfortable with a script: one interval at a time, arrow keys, sorting.
(function () {
  'use strict';
  var current = null;

  function marked(interval) {
    return document.querySelector('.overview a[href="#' + interval.id + '"]');
  }

  function show(interval) {
    [current, interval].forEach(function (it) {
      if (it) {
        it.classList.toggle('now', it === interval);
        marked(it).closest('tr').classList.toggle('now', it === interval);
      }
    });
    current = interval;
  }

  // The address may name an interval or anything in one.
  function follow() {
    var id = decodeURIComponent(location.hash.slice(1));
    var target = id && document.getElementById(id);
    var interval = target && target.closest('.interval');
    if (!interval) return;
    show(interval);
    interval.focus({ preventScroll: true });
    target.scrollIntoView({ block: target === interval ? 'start' : 'center' });
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
    var match = /^<?(-?[0-9][0-9.,e+]*)\s*(ns|us|ms|s|%)?$/.exec(text);
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

  function begin() {
    document.querySelectorAll('table.sort').forEach(makeSortable);
    var first = document.querySelector('.interval');
    if (!first) return;
    var hint = document.createElement('p');
    hint.className = 'hint';
    hint.textContent = 'In an interval, the arrow keys go up, down, to the previous and to the next one. A click on the ' +
      'head of a column sorts.';
    first.before(hint);
    show(first);
    window.addEventListener('hashchange', follow);
    document.addEventListener('keydown', step);
    follow();
  }

  // At once, so that what is hidden is never laid out.
  document.documentElement.classList.add('js');
  document.addEventListener('DOMContentLoaded', begin);
}());
