# embed.cmake - files as C: cmake -DOUT=page.c -DPREFIX=ps_html -DFILES=a/page.css;a/page.js -P embed.cmake
#
# Of each file NAME.EXT: `const char PREFIX_EXT[]`, its bytes and a NUL, and `const char PREFIX_EXT_sha256[]`, what a
# Content-Security-Policy calls it by. Files are ASCII, so that no byte is negative.

set(alphabet "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

function(base64 out hex) # of a SHA-256: ten times three bytes, and two
        set(text "")
        string(APPEND hex "00")
        foreach(at RANGE 0 60 6)
                string(SUBSTRING ${hex} ${at} 6 group)
                foreach(shift 18 12 6 0)
                        math(EXPR digit "(0x${group} >> ${shift}) & 63")
                        string(SUBSTRING ${alphabet} ${digit} 1 letter)
                        string(APPEND text ${letter})
                endforeach()
        endforeach()
        string(REGEX REPLACE ".$" "=" text ${text})
        set(${out} ${text} PARENT_SCOPE)
endfunction()

set(code "/* Made by cmake/embed.cmake. */\n#include \"report/document/html_page.h\"\n")
foreach(file IN LISTS FILES)
        file(READ ${file} bytes HEX)
        file(SHA256 ${file} hash)
        base64(hash ${hash})
        file(STRINGS ${file} lines REGEX "[^ -~\t]")
        if(lines)
                message(FATAL_ERROR "not ASCII: ${file}: ${lines}")
        endif()
        string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
        string(REGEX REPLACE "(................................................................................)" "\\1\n"
                bytes "${bytes}")
        cmake_path(GET file EXTENSION LAST_ONLY extension)
        string(SUBSTRING ${extension} 1 -1 extension)
        string(APPEND code "const char ${PREFIX}_${extension}[] = {${bytes}0};\n"
                "const char ${PREFIX}_${extension}_sha256[] = \"${hash}\";\n")
endforeach()
file(WRITE ${OUT} "${code}")
