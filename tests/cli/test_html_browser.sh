#!/bin/sh
# test_html_browser.sh - in a browser the page shows one interval at a time, sorts, and follows the arrow keys.
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
grep -q '<html lang="en" class="js">' "$dir/dom" || fail 'the script does not run'
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
    said.push(Array.from(document.querySelectorAll('.overview tbody th')).map(function (th) { return th.textContent; }).join(','));
  }
  function press(key) {
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: key, bubbles: true, cancelable: true }));
  }
  var lost = document.querySelectorAll('.overview thead button')[4];
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
