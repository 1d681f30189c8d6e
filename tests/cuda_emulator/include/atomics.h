/* Atomic operations. Threads take turns, so that a read and a write are atomic as they are. */
#pragma once

namespace emulator {

template <class T, class Change> EMULATOR_UNSEEN T updated(T *place, Change change)
{
    emulator_atomic(place, sizeof(T));
    T old = *place;
    *place = change(old);
    return old;
}

} // namespace emulator

#define EMULATOR_ATOMIC(name, type, result)                                                                            \
    inline type name(type *place, type value)                                                                          \
    {                                                                                                                  \
        return emulator::updated(place, [=](type old) -> type { return result; });                                     \
    }

#define EMULATOR_ATOMICS_OF_INTEGERS(type)                                                                             \
    EMULATOR_ATOMIC(atomicAdd, type, old + value)                                                                      \
    EMULATOR_ATOMIC(atomicMin, type, value < old ? value : old)                                                        \
    EMULATOR_ATOMIC(atomicMax, type, old < value ? value : old)                                                        \
    EMULATOR_ATOMIC(atomicAnd, type, old & value)                                                                      \
    EMULATOR_ATOMIC(atomicOr, type, old | value)                                                                       \
    EMULATOR_ATOMIC(atomicXor, type, old ^ value)                                                                      \
    EMULATOR_ATOMIC(atomicExch, type, value)                                                                           \
    inline type atomicCAS(type *place, type expected, type value)                                                      \
    {                                                                                                                  \
        return emulator::updated(place, [=](type old) -> type { return old == expected ? value : old; });              \
    }

EMULATOR_ATOMICS_OF_INTEGERS(int)
EMULATOR_ATOMICS_OF_INTEGERS(unsigned)
EMULATOR_ATOMICS_OF_INTEGERS(unsigned long long)
EMULATOR_ATOMIC(atomicMin, long long, value < old ? value : old)
EMULATOR_ATOMIC(atomicMax, long long, old < value ? value : old)
EMULATOR_ATOMIC(atomicAnd, long long, old & value)
EMULATOR_ATOMIC(atomicOr, long long, old | value)
EMULATOR_ATOMIC(atomicXor, long long, old ^ value)
EMULATOR_ATOMIC(atomicSub, int, old - value)
EMULATOR_ATOMIC(atomicSub, unsigned, old - value)
EMULATOR_ATOMIC(atomicInc, unsigned, old >= value ? 0 : old + 1)
EMULATOR_ATOMIC(atomicAdd, float, old + value)
EMULATOR_ATOMIC(atomicAdd, double, old + value)
EMULATOR_ATOMIC(atomicAdd, __half, old + value)
EMULATOR_ATOMIC(atomicAdd, __nv_bfloat16, old + value)
EMULATOR_ATOMIC(atomicExch, float, value)
inline unsigned short atomicCAS(unsigned short *place, unsigned short expected, unsigned short value)
{
    return emulator::updated(place, [=](unsigned short old) { return old == expected ? value : old; });
}
#undef EMULATOR_ATOMICS_OF_INTEGERS
#undef EMULATOR_ATOMIC
