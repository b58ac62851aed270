# lmo-bench, where there is MPI: a program that measures; patscan itself neither needs MPI nor knows of it. Not with
# sanitizers, which MPI's own libraries do not stand.

if(NOT CMAKE_C_FLAGS MATCHES "-fsanitize")
        find_package(MPI QUIET COMPONENTS C)
endif()
if(MPI_C_FOUND)
        add_executable(lmo-bench tools/lmo_bench/lmo_bench.c tools/lmo_bench/measure.c)
        target_include_directories(lmo-bench PRIVATE ${PROJECT_SOURCE_DIR})
        target_link_libraries(lmo-bench PRIVATE MPI::MPI_C m)
endif()
