# Writes the header OUT with PS_COMMIT, the commit that the sources at FROM are of: what git says, with "-dirty" if files
# differ from it; in an archive that git made, what it wrote into .git_archival.txt; otherwise "unknown".
find_program(git git)
set(commit unknown)
if(git AND EXISTS ${FROM}/.git)
        execute_process(COMMAND ${git} -C ${FROM} describe --always --dirty --abbrev=40 --exclude=*
                OUTPUT_VARIABLE told OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE code ERROR_QUIET)
        if(code EQUAL 0)
                set(commit ${told})
        endif()
elseif(EXISTS ${FROM}/.git_archival.txt)
        file(STRINGS ${FROM}/.git_archival.txt told REGEX "^node: [0-9a-f]+$")
        if(told)
                string(REPLACE "node: " "" commit ${told})
        endif()
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "#define PS_COMMIT \"${commit}\"\n") # written only if it changes
