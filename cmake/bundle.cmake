# bundle.cmake - the page's style and script, each in one file: cmake -DFROM=page -DTO=build/page -P bundle.cmake
#
# Modules are functions that return what they export, one after the other; what they import are constants.

set(modules data csv dom draw intervals pointers stack timeline sums lens series figure scaling overtime ranks messages network networkpicture calls pictures findings beside served main) # each after what it imports
set(styles document timeline)

set(script "// patscan\n(function () {\n'use strict';\nconst page = {};\n")
foreach(module IN LISTS modules)
        file(READ ${FROM}/${module}.js text)
        string(REGEX MATCHALL "\nexport (async function|function|const) [A-Za-z0-9_$]+" exported "${text}")
        list(TRANSFORM exported REPLACE ".* " "")
        list(JOIN exported ", " exported)
        string(REGEX REPLACE "import ([^;]*) from \"\\./([a-z]+)\\.js\";" "const \\1 = page.\\2;" text "${text}")
        string(REPLACE "\nexport " "\n" text "${text}")
        string(APPEND script "page.${module} = (function () {\n${text}return { ${exported} };\n}());\n")
endforeach()
string(APPEND script "}());\n")

set(style "")
foreach(name IN LISTS styles)
        file(READ ${FROM}/${name}.css text)
        string(APPEND style "${text}")
endforeach()

if(script MATCHES "</" OR style MATCHES "</")
        message(FATAL_ERROR "it would end the element that it stands in: </")
endif()
file(WRITE ${TO}.js "${script}")
file(WRITE ${TO}.css "${style}")
