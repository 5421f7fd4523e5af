# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What `cmake --install` puts where, and the links that give the build folder the same layout: bin, lib, include/svm,
# share/svmc/machines, share/svmc/lib, share/svmc/gdb, share/man/man1.
include(CMakePackageConfigHelpers)

# ---- Headers (the machine files: targets/CMakeLists.txt) ----
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/runtime/include/svm ${CMAKE_BINARY_DIR}/include/svm SYMBOLIC)
install(DIRECTORY runtime/include/svm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING
    PATTERN "*.h" PATTERN "*.def")

# ---- gdb's commands for programs ----
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/svmc)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/runtime/gdb ${CMAKE_BINARY_DIR}/share/svmc/gdb SYMBOLIC)
install(FILES runtime/gdb/svm.py DESTINATION ${CMAKE_INSTALL_DATADIR}/svmc/gdb)

# ---- Tools and their manual pages ----
foreach(tool svmc svm-hlc svm-opt svm-llc svm-sim svm-check svm-characterize svm-spas svm-spdis svm-spsim)
    if(NOT TARGET ${tool})
        continue()
    endif()
    install(TARGETS ${tool} DESTINATION ${CMAKE_INSTALL_BINDIR})
    set(page ${CMAKE_BINARY_DIR}/share/man/man1/${tool}.1)
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/man/man1)
    add_custom_command(OUTPUT ${page} COMMAND ${tool} --help=man > ${page} DEPENDS ${tool} VERBATIM)
    list(APPEND manual_pages ${page})
    set(completion ${CMAKE_BINARY_DIR}/share/bash-completion/completions/${tool})
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/bash-completion/completions)
    add_custom_command(OUTPUT ${completion} COMMAND ${tool} --help=bash > ${completion} DEPENDS ${tool} VERBATIM)
    list(APPEND completions ${completion})
endforeach()
if(manual_pages)
    add_custom_target(manual ALL DEPENDS ${manual_pages} ${completions})
    install(FILES ${manual_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${completions} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endif()

# ---- The runtime libraries, for CMake and pkg-config ----
foreach(library svm_host svm_sim svm_softproc)
    if(TARGET ${library})
        install(TARGETS ${library} DESTINATION ${CMAKE_INSTALL_LIBDIR})
    endif()
endforeach()
configure_package_config_file(cmake/svmcConfig.cmake.in ${CMAKE_BINARY_DIR}/cmake/svmcConfig.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/svmc PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR
    CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cmake/svmcConfigVersion.cmake COMPATIBILITY SameMinorVersion)
foreach(library svm-host svm-sim svm-softproc)
    configure_file(cmake/${library}.pc.in ${CMAKE_BINARY_DIR}/lib/pkgconfig/${library}.pc @ONLY)
    install(FILES ${CMAKE_BINARY_DIR}/lib/pkgconfig/${library}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
install(FILES ${CMAKE_BINARY_DIR}/cmake/svmcConfig.cmake ${CMAKE_BINARY_DIR}/cmake/svmcConfigVersion.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/svmc)
# ---- The conformance suite of the API ----
install(DIRECTORY conformance DESTINATION ${CMAKE_INSTALL_DATADIR}/svmc USE_SOURCE_PERMISSIONS
    PATTERN "__pycache__" EXCLUDE)
# ---- The documents and the examples, whose links and scripts find each other as in the source tree ----
install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md HACKING.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/svmc)
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/svmc USE_SOURCE_PERMISSIONS
    PATTERN "__pycache__" EXCLUDE)

# ---- Taking it away again: what the last installation from this folder put somewhere ----
file(WRITE ${CMAKE_BINARY_DIR}/cmake/uninstall.cmake [[
if(NOT EXISTS ${BUILD}/install_manifest.txt)
    message(FATAL_ERROR "there is no ${BUILD}/install_manifest.txt: nothing was installed from here")
endif()
file(STRINGS ${BUILD}/install_manifest.txt files)
set(count 0)
foreach(file IN LISTS files)
    if(EXISTS "$ENV{DESTDIR}${file}" OR IS_SYMLINK "$ENV{DESTDIR}${file}")
        file(REMOVE "$ENV{DESTDIR}${file}")
        math(EXPR count "${count} + 1")
    endif()
endforeach()
message(STATUS "removed ${count} files")
]])
add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -DBUILD=${CMAKE_BINARY_DIR} -P ${CMAKE_BINARY_DIR}/cmake/uninstall.cmake
    VERBATIM)
