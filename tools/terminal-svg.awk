# terminal-svg.awk - draws what a program printed as a picture of a terminal, light or dark as the reader's page is:
#
#   patscan traces/demo --top 2 --color=always | awk -v command='patscan traces/demo --top 2' -f tools/terminal-svg.awk
#
# It is 80 columns wide, or `-v columns=110`. Bold, dim and colours are kept; each line of text is one of the picture.
# Attributes say how it looks on a light page, style rules what differs on a dark one, so that a viewer that knows no
# style sheets shows the light one.

function escaped(text) {
        gsub(/&/, "\\&amp;", text)
        gsub(/</, "\\&lt;", text)
        gsub(/>/, "\\&gt;", text)
        return text
}

function put(text) { # what lies between two changes of style
        if (text == "") return
        row = row (style == "" ? text : "<tspan class=\"" style "\" " looks[style] ">" text "</tspan>")
}

function add(line,   codes) {
        line = escaped(line)
        row = ""
        while (match(line, /\033\[[0-9]*m/)) {
                put(substr(line, 1, RSTART - 1))
                codes = substr(line, RSTART + 2, RLENGTH - 3)
                style = codes in class ? class[codes] : ""
                line = substr(line, RSTART + RLENGTH)
        }
        put(line)
        rows[++n] = row
}

BEGIN {
        split("1 2 31 32 33 36", code, " ")
        split("bold dim red green yellow cyan", name, " ")
        for (i = 1; i in code; i++) class[code[i]] = name[i]
        split("font-weight='bold' opacity='.6' fill='#cf222e' fill='#116329' fill='#7d4e00' fill='#1b7c83'", look, " ")
        for (i = 1; i in code; i++) looks[name[i]] = look[i]
        add("$ " command)
}

{ add($0) }

END {
        step = 18
        height = step * n + 24
        width = 36 + (columns ? columns : 80) * 7.8
        size = "width=\"" width "\" height=\"" height "\" viewBox=\"0 0 " width " " height "\""
        print "<svg xmlns=\"http://www.w3.org/2000/svg\" " size ">"
        print "<style>"
        print "@media (prefers-color-scheme: dark) {"
        print "rect { fill: #151b23; stroke: #3d444d } g { fill: #e6edf3 }"
        print ".red { fill: #ff7b72 } .green { fill: #7ee787 } .yellow { fill: #f2cc60 } .cyan { fill: #76e3ea } }"
        print "</style>"
        fonts = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
        size = "width=\"" width - 1 "\" height=\"" height - 1 "\""
        print "<rect x=\".5\" y=\".5\" " size " rx=\"6\" fill=\"#f6f8fa\" stroke=\"#d0d7de\"/>"
        print "<g fill=\"#1f2328\" font-family=\"" fonts "\" font-size=\"13\">"
        for (i = 1; i <= n; i++)
                if (rows[i] != "")
                        print "<text x=\"16\" y=\"" 12 + step * i - 4 "\" xml:space=\"preserve\">" rows[i] "</text>"
        print "</g>"
        print "</svg>"
}
