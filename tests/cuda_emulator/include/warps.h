/* What threads of a block and lanes of a warp do together. The macros give each meeting the line it stands in. */
#pragma once

#define __syncthreads() ((void)emulator_meet_block("__syncthreads", __LINE__, true))
#define __syncthreads_count(predicate) ((int)emulator_meet_block("__syncthreads_count", __LINE__, (predicate)))
#define __syncthreads_or(predicate) ((int)(emulator_meet_block("__syncthreads_or", __LINE__, (predicate)) != 0))
#define __syncthreads_and(predicate) ((int)(emulator_meet_block("__syncthreads_and", __LINE__, !(predicate)) == 0))
#define __syncwarp(...) emulator_order_lanes("__syncwarp", __LINE__, emulator::mask_or_all(__VA_ARGS__))

#define __shfl_sync(mask, ...) emulator::shuffle<emulator::FROM>("__shfl_sync", __LINE__, mask, __VA_ARGS__)
#define __shfl_up_sync(mask, ...) emulator::shuffle<emulator::UP>("__shfl_up_sync", __LINE__, mask, __VA_ARGS__)
#define __shfl_down_sync(mask, ...) emulator::shuffle<emulator::DOWN>("__shfl_down_sync", __LINE__, mask, __VA_ARGS__)
#define __shfl_xor_sync(mask, ...) emulator::shuffle<emulator::XOR>("__shfl_xor_sync", __LINE__, mask, __VA_ARGS__)

#define __ballot_sync(mask, predicate) emulator::ballot("__ballot_sync", __LINE__, mask, predicate)
#define __any_sync(mask, predicate) ((int)(emulator::ballot("__any_sync", __LINE__, mask, predicate) != 0))
#define __all_sync(mask, predicate) ((int)(emulator::ballot("__all_sync", __LINE__, mask, !(predicate)) == 0))

inline void __threadfence() {}
inline void __threadfence_block() {}

namespace emulator {

inline unsigned mask_or_all(unsigned mask = 0xffffffff) { return mask; }

enum Direction { FROM, UP, DOWN, XOR };

/* The lane that a lane reads in a segment of `width` lanes; itself where there is none. */
inline unsigned source_lane(Direction direction, unsigned lane, unsigned argument, unsigned width)
{
    unsigned first = lane & -width, last = first + width - 1;
    switch (direction) {
    case FROM: return first | (argument & (width - 1));
    case UP: return lane - first < argument ? lane : lane - argument;
    case DOWN: return last - lane < argument ? lane : lane + argument;
    default: return (lane ^ argument) > last ? lane : lane ^ argument;
    }
}

template <Direction direction, class T>
EMULATOR_UNSEEN T shuffle(const char *name, int line, unsigned mask, T value, unsigned argument, unsigned width = 32)
{
    static_assert(sizeof(T) <= 8);
    if (width == 0 || width > 32 || (width & (width - 1)))
        emulator_fail("%s of line %d has width %u, which is no power of two up to 32", name, line, width);
    std::uint64_t given = 0;
    __builtin_memcpy(&given, &value, sizeof value);
    unsigned source = source_lane(direction, emulator_thread_x() % 32, argument, width);
    const EmulatorLanes *lanes = emulator_meet_lanes(name, line, mask, given);
    if (!((mask & lanes->present) >> source & 1))
        emulator_fail("%s of line %d reads lane %u, which does not take part: mask 0x%08x, of which 0x%08x are there",
                      name, line, source, mask, mask & lanes->present);
    __builtin_memcpy(&value, &lanes->values[source], sizeof value);
    return value;
}

EMULATOR_UNSEEN inline unsigned ballot(const char *name, int line, unsigned mask, bool predicate)
{
    const EmulatorLanes *lanes = emulator_meet_lanes(name, line, mask, predicate);
    unsigned votes = 0;
    for (unsigned lane = 0; lane < 32; lane++)
        votes |= (mask & lanes->present) >> lane & 1 && lanes->values[lane] ? 1u << lane : 0;
    return votes;
}

} // namespace emulator
