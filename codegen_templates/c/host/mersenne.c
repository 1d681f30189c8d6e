/* The host's Mersenne Twister, many words at a time: what lazygrad/runtime/random_engine.py calls outside plans.
   Source: Matsumoto and Nishimura, "Mersenne Twister: a 623-dimensionally equidistributed uniform pseudo-random number
   generator", ACM Transactions on Modeling and Computer Simulation 8 (1998). */
#include "library/arrays.h"

enum { WORDS = 624, SHIFTED = 397 };

/* As numpy's MT19937 keeps it; `position` words of `key` are used up. */
typedef struct {
    u32 key[WORDS];
    i32 position;
} mersenne;

static inline u32 recurrence(u32 upper, u32 lower, u32 shifted)
{
    u32 joined = (upper & 0x80000000u) | (lower & 0x7fffffffu);
    return shifted ^ (joined >> 1) ^ (-(lower & 1u) & 0x9908b0dfu);
}

static inline u32 tempered(u32 word)
{
    word ^= word >> 11;
    word ^= (word << 7) & 0x9d2c5680u;
    word ^= (word << 15) & 0xefc60000u;
    return word ^ (word >> 18);
}

/* The next 624 words. No element of a loop reads what an element less than 227 before it wrote. */
static void advance(mersenne *state)
{
    u32 *key = state->key;
#pragma omp simd safelen(16)
    for (i32 i = 0; i < WORDS - SHIFTED; i++)
        key[i] = recurrence(key[i], key[i + 1], key[i + SHIFTED]);
#pragma omp simd safelen(16)
    for (i32 i = WORDS - SHIFTED; i < WORDS - 1; i++)
        key[i] = recurrence(key[i], key[i + 1], key[i + SHIFTED - WORDS]);
    key[WORDS - 1] = recurrence(key[WORDS - 1], key[0], key[SHIFTED - 1]);
    state->position = 0;
}

/* The next `count` words. */
void lg_mersenne_words(mersenne *state, u32 *words, i64 count)
{
    while (count) {
        if (state->position >= WORDS)
            advance(state);
        i64 taken = least(count, WORDS - state->position);
        const u32 *from = state->key + state->position;
        for (i64 k = 0; k < taken; k++)
            words[k] = tempered(from[k]);
        state->position += (i32)taken, words += taken, count -= taken;
    }
}

/* Whether the low 53 bits of a 64-bit word, whose high half is drawn first, are less than `limit`, `count` times. */
void lg_mersenne_less(mersenne *state, bool8 *results, i64 count, i64 limit)
{
    u32 words[WORDS], limit_high = (u32)(limit >> 32), limit_low = (u32)limit;
    while (count) {
        i64 taken = least(count, WORDS / 2);
        lg_mersenne_words(state, words, 2 * taken);
        for (i64 k = 0; k < taken; k++) {
            u32 high = words[2 * k] & 0x1fffffu, low = words[2 * k + 1];
            results[k] = (high < limit_high) | ((high == limit_high) & (low < limit_low));
        }
        results += taken, count -= taken;
    }
}
