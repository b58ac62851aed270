# How every file is compiled.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
option(PS_SHARED_TESTS "Tests share one library with all that they test" OFF)
if(NOT PS_SHARED_TESTS)
        set(CMAKE_C_VISIBILITY_PRESET hidden)
endif()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
        set(CMAKE_BUILD_TYPE Release)
endif()
string(REPLACE "-O3" "-O2" CMAKE_C_FLAGS_RELEASE "${CMAKE_C_FLAGS_RELEASE}")

# `cmake --compile-no-warning-as-error` is the way out for a compiler that is newer than this code.
if(NOT DEFINED CMAKE_COMPILE_WARNING_AS_ERROR)
        set(CMAKE_COMPILE_WARNING_AS_ERROR ON)
endif()
add_compile_options(-Wall -Wextra -Wshadow -Wconversion -Wpedantic)
# Errors tell where in the source they arose, not where the source was when it was built.
add_compile_options(-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)

add_compile_definitions(_DEFAULT_SOURCE PS_VERSION="${PROJECT_VERSION}" $<$<BOOL:${PS_ARENA_DEBUG}>:PS_ARENA_DEBUG>)
add_compile_options(
        "$<$<CONFIG:Release,RelWithDebInfo>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2;-fstack-protector-strong>")

# No stack reaches past its guard page unseen, and where processors can check it, jumps end where functions begin.
# What is copied or filled is left to the C library, which does so many bytes at a time: gcc would put instructions in
# its place that do one word after the other.
set(PS_BLOCKS unrolled_loop:64:noalign,libcall:-1:noalign)
include(CheckCCompilerFlag)
foreach(flag -fstack-clash-protection -fcf-protection -mmemcpy-strategy=${PS_BLOCKS} -mmemset-strategy=${PS_BLOCKS})
        string(MAKE_C_IDENTIFIER "PS_HAS${flag}" has_flag)
        check_c_compiler_flag(${flag} ${has_flag})
        if(${has_flag})
                add_compile_options($<$<CONFIG:Release,RelWithDebInfo>:${flag}>)
        endif()
endforeach()

# "train" counts what runs, "use" optimises for what was counted in the same folder: tools/pgo.sh does both.
set(PS_PGO "" CACHE STRING "Optimise for what runs: train or use")
if(PS_PGO AND NOT CMAKE_C_COMPILER_ID STREQUAL "GNU")
        message(FATAL_ERROR "PS_PGO needs gcc: CMAKE_C_COMPILER_ID=\"${CMAKE_C_COMPILER_ID}\"")
elseif(PS_PGO STREQUAL "train")
        add_compile_options(-fprofile-generate -fprofile-update=atomic)
        add_link_options(-fprofile-generate)
elseif(PS_PGO STREQUAL "use") # what was not trained is optimised as always
        add_compile_options(-fprofile-use -fprofile-partial-training -Wno-missing-profile)
endif()

include_directories(${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
