#!/usr/bin/env python3
"""api.py markdown | man | abi [COMPILER] - what include/patscan/patscan.h says, with what it includes, as docs/API.md, as a manual page, and as
the table that tests/tree/abi.txt keeps: names of functions, values of constants, sizes of structs and where members lie.
"""
import os
import re
import subprocess
import sys
import tempfile

INCLUDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../include")


def header():
    """patscan.h, with the header that it includes at its end in place of that."""
    text = open(os.path.join(INCLUDE, "patscan/patscan.h")).read()
    at = re.search(r"#ifdef __cplusplus\n}\n#endif\n\n#include <(patscan/\w+\.h)>\n", text)
    rest = open(os.path.join(INCLUDE, at.group(1))).read()
    return text[:at.start()] + rest[rest.index('extern "C" {\n#endif\n\n') + len('extern "C" {\n#endif\n\n'):]


def blocks(text):
    """The header as (kind, text): "comment" or "code", in its order, without what only a compiler needs."""
    text = text[:text.rindex("#ifdef __cplusplus")]
    head, rest = text.split("#ifndef PATSCAN_PATSCAN_H", 1)
    rest = rest[rest.index("#define PATSCAN_NONE"):]
    yield "comment", uncomment(head)
    for part in re.split(r"\n\s*\n", rest):
        comment = re.match(r"\s*(/\*.*?\*/)\s*(?=\n|$)", part, re.S)
        if comment:
            yield "comment", uncomment(comment.group(1))
            part = part[comment.end():]
        if part.strip():
            yield "code", re.sub(r"PATSCAN_API ", "", part.strip("\n"))


def uncomment(comment):
    lines = [re.sub(r"^ \* ?", "", line) for line in comment.strip()[2:-2].strip().split("\n")]
    return "\n".join(lines)


def paragraphs(comment):
    """Of a comment: text, or an example, which is indented."""
    for part in re.split(r"\n\s*\n", comment):
        yield part.startswith("        "), part


def put_markdown(out):
    out.append("# The C library\n\nThis is `include/patscan/patscan.h`, made by `tools/api.py markdown`.\n")
    for kind, text in blocks(header()):
        heading = re.fullmatch(r"== (.*) ==", text)
        if heading:
            out.append(f"## {heading.group(1)}\n")
        elif kind == "code":
            out.append(f"```c\n{text}\n```\n")
        else:
            for is_example, part in paragraphs(text):
                out.append(f"```c\n{part}\n```\n" if is_example else f"{part}\n")


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"(?m)^([.'])", r"\\&\1", text)


def put_man(out):
    out.append('.TH PATSCAN.H 3 "" "patscan"\n.SH NAME\npatscan.h \\- what parallel programs lose, for programs\n'
               ".SH SYNOPSIS\n.nf\n#include <patscan/patscan.h>\n\ncc program.c $(pkg\\-config \\-\\-cflags \\-\\-libs patscan)\n"
               ".fi\n.SH DESCRIPTION")
    for kind, text in blocks(header()):
        heading = re.fullmatch(r"== (.*) ==", text)
        if heading:
            out.append(f".SH {heading.group(1).upper()}")
        elif kind == "code":
            out.append(f".PP\n.nf\n{roff(text)}\n.fi")
        else:
            out += [f".PP\n.nf\n{roff(part)}\n.fi" if example else f".PP\n{roff(part)}" for example, part in paragraphs(text)]


def members(body):
    """Names of a struct's members."""
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
    body = re.sub(r"struct \{.*?\}", "int", body, flags=re.S)
    for declaration in body.split(";"):
        for name in declaration.split(","):
            found = re.search(r"(\w+)\s*(\[[^]]*\])?\s*$", name.strip())
            if found:
                yield found.group(1)


def abi_program(text):
    structs = re.findall(r"typedef struct (\w+) \{(.*?)\n\} \1;", text, re.S)
    constants = [name for body in re.findall(r"enum(?: \w+)? \{(.*?)\}", re.sub(r"/\*.*?\*/", "", text, flags=re.S), re.S)
                 for name in re.findall(r"\b(PATSCAN_\w+)\b(?=\s*(?:=|,|$))", body.strip())]
    lines = ["#include <patscan/patscan.h>", "#include <stdio.h>", "int main(void)", "{"]
    lines += [f'printf("constant {name} %d\\n", (int){name});' for name in constants]
    for name, body in structs:
        lines.append(f'printf("struct {name} %zu\\n", sizeof({name}));')
        lines += [f'printf("  {member} %zu\\n", offsetof({name}, {member}));' for member in members(body)]
    return "\n".join(lines + ["return 0;", "}", ""])


def put_abi(out, compiler):
    text = header()
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "abi.c"), os.path.join(folder, "abi")
        open(source, "w").write(abi_program(text))
        subprocess.run([compiler, "-I", INCLUDE, source, "-o", program], check=True)
        told = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout
    flat = re.sub(r"(?m)^#.*", "", re.sub(r"/\*.*?\*/", "", text, flags=re.S))
    flat = re.sub(r"\s+", " ", flat)
    functions = sorted(re.findall(r"PATSCAN_API (.*?);", flat), key=lambda f: re.search(r"patscan_\w+(?=\()", f).group())
    out += [f"function {declaration}" for declaration in functions] + told.rstrip("\n").split("\n")


def main():
    out = []
    what = sys.argv[1] if len(sys.argv) > 1 else ""
    if what == "markdown":
        put_markdown(out)
    elif what == "man":
        put_man(out)
    elif what == "abi":
        put_abi(out, sys.argv[2] if len(sys.argv) > 2 else "cc")
    else:
        sys.exit(__doc__)
    text = "\n".join(out).rstrip("\n").replace("\n```\n\n```c\n", "\n\n")  # what follows one another is one example
    print(text)


main()
