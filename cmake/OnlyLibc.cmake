# With PS_ONLY_LIBC the program needs nothing but libc when it runs: every library is linked as an archive, and what cannot be is left out.
# Debian's cJSON has no archive: PS_CJSON names a folder with its one source, cJSON.c and cJSON.h, which is compiled along.

set(PS_CJSON "" CACHE PATH "A folder with cJSON.c and cJSON.h, for PS_ONLY_LIBC where there is no libcjson.a")
find_package(PkgConfig REQUIRED)

# The imported target `package` as pkg-config would have it with --static, by the archives themselves.
function(link_archives package)
        foreach(name IN LISTS ${package}_STATIC_LIBRARIES)
                if(name MATCHES "^(c|m|dl|rt|pthread)$")
                        continue()
                endif()
                find_library(archive_of_${name} NAMES lib${name}.a HINTS ${${package}_STATIC_LIBRARY_DIRS})
                if(NOT archive_of_${name})
                        message(FATAL_ERROR "PS_ONLY_LIBC needs lib${name}.a, the archive of the library; where a system has none, build it "
                                "from its source and name its folder in CMAKE_LIBRARY_PATH. Of cJSON the source is enough: "
                                "-DPS_CJSON=FOLDER with cJSON.c and cJSON.h")
                endif()
                list(APPEND archives ${archive_of_${name}})
        endforeach()
        set_target_properties(PkgConfig::${package} PROPERTIES INTERFACE_LINK_LIBRARIES "${archives}" INTERFACE_LINK_OPTIONS "")
endfunction()

foreach(package OTF2 ZLIB DW)
        link_archives(${package})
endforeach()
if(PS_CJSON)
        add_library(cjson_source STATIC ${PS_CJSON}/cJSON.c)
        target_compile_options(cjson_source PRIVATE -w)
        file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/cjson/cjson) # sources name it as <cjson/cJSON.h>
        configure_file(${PS_CJSON}/cJSON.h ${PROJECT_BINARY_DIR}/cjson/cjson/cJSON.h COPYONLY)
        add_library(PkgConfig::CJSON INTERFACE IMPORTED)
        set_target_properties(PkgConfig::CJSON PROPERTIES INTERFACE_LINK_LIBRARIES cjson_source
                INTERFACE_INCLUDE_DIRECTORIES ${PROJECT_BINARY_DIR}/cjson)
else()
        pkg_check_modules(CJSON REQUIRED IMPORTED_TARGET libcjson)
        link_archives(CJSON)
endif()
add_link_options(-static-libgcc)
