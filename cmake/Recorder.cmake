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
set(generated ${PROJECT_BINARY_DIR}/record)
set(shim_from ${PROJECT_SOURCE_DIR}/record/mpi/generate.awk ${PROJECT_SOURCE_DIR}/record/mpi/calls.txt)
function(generate_calls out only)
        add_custom_command(OUTPUT ${generated}/${out} VERBATIM DEPENDS ${shim_from}
                COMMAND ${CMAKE_COMMAND} -E make_directory ${generated}
                COMMAND sh -c "awk -v only=\"$1\" -f \"$2\" \"$3\" >\"$4\"" sh "${only}" ${shim_from} ${generated}/${out})
        # Fortran's spellings have no declarations.
        set_property(SOURCE ${generated}/${out} DIRECTORY ${PROJECT_SOURCE_DIR} PROPERTY COMPILE_OPTIONS
                "-Wno-conversion;-Wno-cast-function-type;-Wno-unused-variable")
endfunction()
generate_calls(wrappers.c "")
generate_calls(wrappers-c.c C)
generate_calls(abi-calls.h prototypes)

add_custom_target(recorders)
add_dependencies(product recorders)

# One of these sources, for programs that load it from the start: each thread's rows are found fast only then.
function(add_recorder name)
        add_library(record-${name} MODULE ${shim_sources} ${openmp_sources} ${ARGN})
        target_compile_options(record-${name} PRIVATE -fno-stack-protector -ftls-model=initial-exec)
        target_link_options(record-${name} PRIVATE -Wl,-z,lazy)
        target_link_libraries(record-${name} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
        set_target_properties(record-${name} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/record)
        add_dependencies(recorders record-${name})
        install(TARGETS record-${name} LIBRARY DESTINATION ${recorder_dir})
endfunction()

add_recorder(openmp ${alone_source})
add_recorder(shmem ${PROJECT_SOURCE_DIR}/record/shmem/shmem.c)

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
        add_recorder(${mpi} ${calls_sources} ${generated}/wrappers.c)
        target_include_directories(record-${mpi} SYSTEM PRIVATE ${includes})
        target_link_libraries(record-${mpi} PRIVATE ${links})
endfunction()

# Any MPI with the binary interface of MPI 5, of which nothing needs to be here.
add_recorder(mpi_abi ${calls_sources} ${generated}/wrappers-c.c ${generated}/abi-calls.h)
target_include_directories(record-mpi_abi SYSTEM PRIVATE ${PROJECT_SOURCE_DIR}/record/mpi/abi ${generated})

add_mpi_recorder(openmpi)
add_mpi_recorder(mpich)
