# What `cmake --install` puts where: the program, its manual page and completions, the library, its headers, how others find
# it, documents and examples, and the settings of editors where those look for them by themselves. `product` builds all of it.

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/patscan)
# patscan.pc names its prefix from where it lies, so that the installed tree may be moved.
file(RELATIVE_PATH PC_PREFIX "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" PC_PREFIX "${PC_PREFIX}")
configure_file(cmake/patscan.pc.in patscan.pc @ONLY)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/patscanConfigVersion.cmake COMPATIBILITY SameMinorVersion)

add_custom_target(product DEPENDS patscan libpatscan)
install(CODE "if(NOT EXISTS \"$<TARGET_FILE:libpatscan>\" OR NOT EXISTS \"$<TARGET_FILE:patscan>\")
        message(FATAL_ERROR \"not all is built that is to be installed: first run cmake --build '${PROJECT_BINARY_DIR}' --target product\")
endif()")

install(TARGETS patscan RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES docs/patscan.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES docs/patscan.h.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)
install(TARGETS libpatscan EXPORT patscan LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES include/patscan/patscan.h include/patscan/predict.h include/patscan/regions.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/patscan)
install(FILES ${PROJECT_BINARY_DIR}/patscan.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(EXPORT patscan NAMESPACE patscan:: FILE patscanConfig.cmake DESTINATION ${package_dir})
install(FILES ${PROJECT_BINARY_DIR}/patscanConfigVersion.cmake DESTINATION ${package_dir})

# Where the shells look, under the names that they look for.
set(bash_at bash-completion/completions/patscan)
set(zsh_at zsh/site-functions/_patscan)
set(fish_at fish/vendor_completions.d/patscan.fish)
foreach(shell bash zsh fish)
        set(written ${PROJECT_BINARY_DIR}/completions/${shell})
        add_custom_command(OUTPUT ${written} VERBATIM DEPENDS patscan
                COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/completions
                COMMAND patscan completion ${shell} -o ${written})
        list(APPEND completions ${written})
        cmake_path(GET ${shell}_at PARENT_PATH folder)
        cmake_path(GET ${shell}_at FILENAME name)
        install(FILES ${written} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder} RENAME ${name})
endforeach()
add_custom_target(completions ALL DEPENDS ${completions})
add_dependencies(product completions)

file(GLOB documents CONFIGURE_DEPENDS docs/*.md docs/*.json docs/*.svg docs/*.png)
install(FILES ${documents} DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} USE_SOURCE_PERMISSIONS)
install(DIRECTORY traces DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN make_demo.c EXCLUDE PATTERN patterns EXCLUDE)

install(FILES editors/neovim/patscan.lua DESTINATION ${CMAKE_INSTALL_DATADIR}/nvim/site/lua)
install(FILES editors/vim/patscan.vim DESTINATION ${CMAKE_INSTALL_DATADIR}/vim/vimfiles/plugin)
install(FILES editors/emacs/patscan.el DESTINATION ${CMAKE_INSTALL_DATADIR}/emacs/site-lisp)
# Packed by `npm --prefix editors/vscode run pack`; without that there is none.
install(FILES editors/vscode/patscan.vsix DESTINATION ${CMAKE_INSTALL_DATADIR}/patscan OPTIONAL)
