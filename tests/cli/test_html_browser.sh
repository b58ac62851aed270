#!/bin/sh
# test_html_browser.sh - in a browser the page shows one interval at a time, sorts, and follows the arrow keys; what it
# makes of the numbers of intervals is what the page would hold of them.
set -u
for browser in chromium chromium-browser google-chrome chrome ''; do
        [ -n "$browser" ] || { echo 'no Chromium is installed'; exit 77; }
        command -v "$browser" >/dev/null && break
done
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
fail() { echo "$*"; exit 1; }

browse() { # FILE#HASH: the page after its script has run
        timeout 100 "$browser" --headless --no-sandbox --disable-gpu --enable-logging=stderr --user-data-dir="$dir/profile" \
                --virtual-time-budget=5000 --dump-dom "file://$1" >"$dir/dom" 2>"$dir/log" || fail "$browser fails on $1"
        ! grep -E 'CONSOLE|Content Security Policy' "$dir/log" || fail "the browser complains about $1"
}
now() { grep -o 'class="interval now" id="[^"]*"' "$dir/dom" | sed 's/.* id="\(.*\)"/\1/'; }

"$PATSCAN" traces/demo --interval main,exchange,relax --report "html:$dir/page.html" || fail 'no page'
browse "$dir/page.html"
grep -q '<html lang="en" class="js"' "$dir/dom" || fail 'the script does not run'
[ "$(now)" = interval-0 ] || fail "at first there is $(now)"
grep -q '<th scope="col" class="n"><button type="button">Lost</button></th>' "$dir/dom" || fail 'no column can be sorted'
browse "$dir/page.html#interval-3"
[ "$(now)" = interval-3 ] || fail "#interval-3 shows $(now)"
browse "$dir/page.html#i2-comm"
[ "$(now)" = interval-2 ] || fail "#i2-comm shows $(now)"

# What the page itself forbids: somebody else's script, here one that clicks and types.
sed 's/<meta http-equiv="Content-Security-Policy"[^>]*>//' "$dir/page.html" >"$dir/driven.html"
cat >>"$dir/driven.html" <<'END'
<script>
addEventListener('load', function () {
  var said = [];
  function names() {
    said.push(Array.from(document.querySelectorAll('#intervals > .scroll tbody th')).map(function (th) { return th.textContent; }).join(','));
  }
  function press(key) {
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: key, bubbles: true, cancelable: true }));
  }
  var lost = document.querySelectorAll('#intervals > .scroll thead button')[4];
  for (var i = 0; i < 3; i++) { lost.click(); names(); }
  document.querySelector('.interval.now').focus();
  var keys = ['ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowLeft', 'ArrowUp', 'Home'];
  (function next() {
    if (!keys.length) { document.title = 'DRIVEN ' + said.join(' '); return; }
    press(keys.shift());
    setTimeout(function () { said.push(document.querySelector('.interval.now').id.slice(9)); next(); }, 100);
  }());
});
</script>
END
browse "$dir/driven.html"
# Lost: 117.4, 107.8, 107.8 and 96.81 ms; then up again; then as the tree is.
grep -q '<title>DRIVEN exchange,the whole run,main,relax relax,main,the whole run,exchange the whole run,main,exchange,relax 1 2 3 3 2 1 0<' \
        "$dir/dom" || { grep -o '<title>[^<]*' "$dir/dom"; fail 'clicks and keys do not do what they should'; }

# What readers without a script see, and what the script makes: pages of 100 intervals on 2 processors, and of 10,000 on 256.
maker=${PATSCAN%/*}/tests/test-report-formats-html_intervals
[ -x "$maker" ] || exit 0
PS_KEEP_PAGE_OF_DATA="$dir/data.html" PS_KEEP_BIG_PAGE="$dir/big.html" "$maker" >/dev/null 2>&1
for page in data big; do
        [ -s "$dir/$page.html" ] || fail "no page: $page"
        browse "$dir/$page.html#i9-comm"
        [ "$(now)" = interval-9 ] || fail "$page: #i9-comm shows $(now)"
        sed 's/<meta http-equiv="Content-Security-Policy"[^>]*>//' "$dir/$page.html" >"$dir/driven.html"
        cat >>"$dir/driven.html" <<'END'
<script>
(function () {
  function told(cell) { return [cell.getAttribute('value') ? +cell.getAttribute('value') : '', cell.textContent, cell.title].join('|'); }
  var held = {}, numbers = [], said = [], n_compared = 0;
  document.querySelectorAll('.scriptless tr[id]').forEach(function (tr) {
    var n = +tr.id.slice(9);
    numbers.push(n);
    held[n] = Array.from(tr.querySelectorAll('data[id]'), function (cell) { return [cell.id, told(cell)]; });
  });
  addEventListener('load', function () {
    (function next() {
      var n = numbers.pop();
      if (n === undefined) {
        (document.querySelector('.unlisted button') || document.body).click();
        document.title = 'MADE ' + said.join(' ') + ' of ' + n_compared + ' rows ' +
          document.querySelector('#intervals > .scroll > table').tBodies[0].rows.length;
        return;
      }
      location.hash = 'interval-' + n;
      setTimeout(function () {
        held[n].forEach(function (cell) {
          var made = document.getElementById(cell[0]);
          n_compared++;
          if (!made || told(made) !== cell[1]) said.push(cell[0] + ': held ' + cell[1] + ' made ' + (made && told(made)));
        });
        next();
      }, 20);
    }());
  });
}());
</script>
END
        browse "$dir/driven.html"
        # 64 intervals, 18 characteristics and 5 of the one class of operations.
        case $page in data) rows=100 ;; big) rows=10000 ;; esac
        grep -q "<title>MADE  of $((64 * 23)) rows $rows<" "$dir/dom" ||
                { grep -o '<title>.*' "$dir/dom" | cut -c 1-3000; fail "$page: what is made is not what was held"; }
done
