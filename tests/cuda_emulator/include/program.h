/* CUDA C++ as a C++ compiler for the CPU reads it. Every program begins with this file. */
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "emulator.h"
#include "vectors.h"
#include "half.h"
#include "arithmetic.h"
#include "atomics.h"
#include "warps.h"

#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __CUDACC_RTC__ 1

/* Blocks run one after another, so that a static variable is one of the running block. Those of a program lie together,
   and `used` keeps the compiler from knowing what they hold. */
#define __shared__ static __attribute__((used, section("emulated_shared")))

template <class T> inline T __ldg(const T *place) { return *place; }
template <class T> inline T __ldcs(const T *place) { return *place; }
template <class T> inline T __ldcg(const T *place) { return *place; }
template <class T> inline void __stcs(T *place, T value) { *place = value; }
template <class T> inline void __stcg(T *place, T value) { *place = value; }

namespace emulator {

template <class... Parameters, std::size_t... Places>
EMULATOR_UNSEEN void call(void (*kernel)(Parameters...), void **values, std::index_sequence<Places...>)
{
    kernel(*static_cast<std::remove_cv_t<Parameters> *>(values[Places])...);
}

template <class... Parameters> EMULATOR_UNSEEN void call(void (*kernel)(Parameters...), void **values)
{
    call(kernel, values, std::index_sequence_for<Parameters...>());
}

/* Writes the sizes of a kernel's parameters and returns their number, as a driver knows them. */
template <class... Parameters> EMULATOR_UNSEEN int sizes(void (*)(Parameters...), unsigned *found)
{
    const unsigned all[] = {(unsigned)sizeof(Parameters)..., 0};
    for (std::size_t i = 0; i < sizeof...(Parameters); i++)
        found[i] = all[i];
    return (int)sizeof...(Parameters);
}

} // namespace emulator

/* Stands behind the source for each of its kernels. */
#define EMULATED_KERNEL(name)                                                                                          \
    extern "C" EMULATOR_UNSEEN void emulated_##name(void **values) { emulator::call(program::name, values); }                   \
    extern "C" EMULATOR_UNSEEN int sizes_of_##name(unsigned *found) { return emulator::sizes(program::name, found); }

/* Stands there once: where shared memory begins and ends. */
#define EMULATED_PROGRAM                                                                                               \
    extern "C" {                                                                                                       \
    extern unsigned char __start_emulated_shared[] __attribute__((weak, visibility("hidden")));                          \
    extern unsigned char __stop_emulated_shared[] __attribute__((weak, visibility("hidden")));                           \
    EMULATOR_UNSEEN void emulated_shared_memory(unsigned char **begin, unsigned char **end)                                     \
    {                                                                                                                  \
        *begin = __start_emulated_shared;                                                                                \
        *end = __stop_emulated_shared;                                                                                   \
    }                                                                                                                  \
    }
