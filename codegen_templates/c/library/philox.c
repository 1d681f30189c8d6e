/* Random words for randomness inside graphs; see lazygrad/host/philox.py for where they come from. */
#include "arrays.h"
#include "calls.h"

enum { WORDS_PER_BLOCK = 8, ROUNDS = 10 };

/* One block of Philox4x64-10: the counter is the block's number, the key (seed, 0). */
static inline void philox_block(u64 seed, unsigned __int128 counter, u64 words[4])
{
    u64 c0 = (u64)counter, c1 = (u64)(counter >> 64), c2 = 0, c3 = 0, k0 = seed, k1 = 0;
#pragma GCC unroll 10
    for (i32 round = 0; round < ROUNDS; round++) {
        unsigned __int128 first = (unsigned __int128)0xD2E7470EE14C6C93 * c0;
        unsigned __int128 second = (unsigned __int128)0xCA5A826395121157 * c2;
        c0 = (u64)(second >> 64) ^ c1 ^ k0;
        c1 = (u64)second;
        c2 = (u64)(first >> 64) ^ c3 ^ k1;
        c3 = (u64)first;
        k0 += 0x9E3779B97F4A7C15;
        k1 += 0xBB67AE8584CAA73B;
    }
    words[0] = c0, words[1] = c1, words[2] = c2, words[3] = c3;
}

/* The low half of each word first. */
static inline void store_words(u32 *to, i64 count, const u64 block[4])
{
    for (i64 k = 0; k < count; k++)
        to[k] = (u32)(block[k / 2] >> (k % 2 * 32));
}

typedef struct {
    u64 seed, offset;
    u32 *words;
} philox_call;

static void draw(void *closure, i64 begin, i64 end)
{
    const philox_call *call = closure;
    for (i64 first = begin; first < end; first += WORDS_PER_BLOCK) {
        u64 block[4];
        philox_block(call->seed, (unsigned __int128)call->offset + 1 + (u64)(first / WORDS_PER_BLOCK), block);
        if (end - first >= WORDS_PER_BLOCK)
            store_words(call->words + first, WORDS_PER_BLOCK, block);
        else
            store_words(call->words + first, end - first, block);
    }
}

/* Uniform 32-bit words, numbered in row-major order, that depend on nothing but seed, counter and number: inputs are
   seed and counter, int64 numbers whose bits are read as unsigned. No attributes. */
i32 lg_philox(const team *all, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    (void)attributes;
    team team = working_team(all, out, inputs, count);
    philox_call call = {*(const u64 *)inputs[0].data, *(const u64 *)inputs[1].data, out->data};
    lg_share(&team, element_count(out), WORDS_PER_BLOCK, draw, &call);
    return OK;
}
