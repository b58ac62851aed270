# What `patscan record` loads before a program's MPI: one library for each MPI whose compiler is here; none is needed to build
# patscan, or to read what was recorded. Not with sanitizers, which the programs that load it do not have.

set(recorder_dir ${CMAKE_INSTALL_LIBDIR}/patscan)
# Where the program looks for them, from where it lies itself.
file(RELATIVE_PATH recorder_from_program ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_PREFIX}/${recorder_dir})
set_source_files_properties(${PROJECT_SOURCE_DIR}/record/launch/library.c PROPERTIES COMPILE_DEFINITIONS
        PS_RECORDER_DIR="${recorder_from_program}")
if(CMAKE_C_FLAGS MATCHES "-fsanitize")
        return()
endif()

file(GLOB shim_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/record/shim/*.c)
file(GLOB openmp_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/record/openmp/*.c)
set(alone_source ${PROJECT_SOURCE_DIR}/record/openmp/alone.c)
list(REMOVE_ITEM openmp_sources ${alone_source})
file(GLOB calls_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/record/mpi/*.c)
set(shim_made ${PROJECT_BINARY_DIR}/record/wrappers.c)
set(shim_from ${PROJECT_SOURCE_DIR}/record/mpi/generate.awk ${PROJECT_SOURCE_DIR}/record/mpi/calls.txt)
add_custom_command(OUTPUT ${shim_made} VERBATIM DEPENDS ${shim_from}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/record
        COMMAND sh -c "awk -f \"$1\" \"$2\" >\"$3\"" sh ${shim_from} ${shim_made})

# One of these sources, for programs that load it from the start: each thread's rows are found fast only then.
function(add_recorder name)
        add_library(record-${name} MODULE ${shim_sources} ${openmp_sources} ${ARGN})
        target_compile_options(record-${name} PRIVATE -fno-stack-protector -ftls-model=initial-exec)
        target_link_options(record-${name} PRIVATE -Wl,-z,lazy)
        target_link_libraries(record-${name} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
        set_target_properties(record-${name} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/record)
        install(TARGETS record-${name} LIBRARY DESTINATION ${recorder_dir})
endfunction()

add_recorder(openmp ${alone_source})

function(add_mpi_recorder mpi)
        find_program(MPICC_${mpi} mpicc.${mpi})
        if(NOT MPICC_${mpi})
                return()
        endif()
        execute_process(COMMAND ${MPICC_${mpi}} -show OUTPUT_VARIABLE command OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
        separate_arguments(command)
        set(includes ${command})
        set(links ${command})
        list(FILTER includes INCLUDE REGEX "^-I")
        list(FILTER links INCLUDE REGEX "^-[Ll]")
        list(TRANSFORM includes REPLACE "^-I" "")
        add_recorder(${mpi} ${calls_sources} ${shim_made})
        target_include_directories(record-${mpi} SYSTEM PRIVATE ${includes})
        # Fortran's spellings have no declarations.
        set_source_files_properties(${shim_made} PROPERTIES COMPILE_OPTIONS "-Wno-conversion;-Wno-cast-function-type;-Wno-unused-variable")
        target_link_libraries(record-${mpi} PRIVATE ${links})
endfunction()

add_mpi_recorder(openmpi)
add_mpi_recorder(mpich)
