# What `cmake --install` puts where: the program, its manual page, the library, its one header, how others find it, and the
# settings of editors where those look for them by themselves.

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/patscan)
# patscan.pc names its prefix from where it lies, so that the installed tree may be moved.
file(RELATIVE_PATH PC_PREFIX "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" PC_PREFIX "${PC_PREFIX}")
configure_file(cmake/patscan.pc.in patscan.pc @ONLY)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/patscanConfigVersion.cmake COMPATIBILITY SameMinorVersion)

install(TARGETS patscan RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES docs/patscan.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES docs/patscan.h.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)
install(TARGETS libpatscan EXPORT patscan LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES include/patscan/patscan.h include/patscan/regions.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/patscan)
install(FILES ${PROJECT_BINARY_DIR}/patscan.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(EXPORT patscan NAMESPACE patscan:: FILE patscanConfig.cmake DESTINATION ${package_dir})
install(FILES ${PROJECT_BINARY_DIR}/patscanConfigVersion.cmake DESTINATION ${package_dir})

install(FILES editors/neovim/patscan.lua DESTINATION ${CMAKE_INSTALL_DATADIR}/nvim/site/lua)
install(FILES editors/vim/patscan.vim DESTINATION ${CMAKE_INSTALL_DATADIR}/vim/vimfiles/plugin)
install(FILES editors/emacs/patscan.el DESTINATION ${CMAKE_INSTALL_DATADIR}/emacs/site-lisp)
# Packed by `npm --prefix editors/vscode run pack`; without that there is none.
install(FILES editors/vscode/patscan.vsix DESTINATION ${CMAKE_INSTALL_DATADIR}/patscan OPTIONAL)
