/* The host's Mersenne Twister, many words at a time: what lazygrad/runtime/random_engine.py calls outside plans.
   Source: Matsumoto and Nishimura, "Mersenne Twister: a 623-dimensionally equidistributed uniform pseudo-random number
   generator", ACM Transactions on Modeling and Computer Simulation 8 (1998). */
#include <string.h>

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

/* The next `count` words as they lie in the state, not tempered yet. */
static void raw_words(mersenne *state, u32 *words, i64 count)
{
    while (count) {
        if (state->position >= WORDS)
            advance(state);
        i64 taken = least(count, WORDS - state->position);
        memcpy(words, state->key + state->position, taken * sizeof *words);
        state->position += (i32)taken, words += taken, count -= taken;
    }
}

/* The next `count` words. */
void lg_mersenne_words(mersenne *state, u32 *words, i64 count)
{
    for (i64 taken; count; words += taken, count -= taken) {
        taken = least(count, WORDS);
        raw_words(state, words, taken);
        for (i64 k = 0; k < taken; k++)
            words[k] = tempered(words[k]);
    }
}

enum { PAIRS = WORDS / 2, HIGH_MASK = 0x1fffff };

/* Whether the low 53 bits of a 64-bit word, whose high half is drawn first, are less than `limit`, `count` times.
   The low half decides where the high halves are equal, in one of two million; only there it is tempered. */
void lg_mersenne_less(mersenne *state, bool8 *results, i64 count, i64 limit)
{
    u32 pairs[WORDS], limit_low = (u32)limit;
    i32 highs[PAIRS], limit_high = (i32)(limit >> 32);
    for (i64 taken; count; results += taken, count -= taken) {
        taken = least(count, PAIRS);
        raw_words(state, pairs, 2 * taken);
        i32 undecided = 0;
#pragma omp simd reduction(|: undecided)
        for (i64 k = 0; k < taken; k++) {
            highs[k] = (i32)(tempered(pairs[2 * k]) & HIGH_MASK);
            undecided |= highs[k] == limit_high;
        }
#pragma omp simd
        for (i64 k = 0; k < taken; k++)
            results[k] = highs[k] < limit_high;
        for (i64 k = 0; undecided && k < taken; k++)
            if (highs[k] == limit_high)
                results[k] = tempered(pairs[2 * k + 1]) < limit_low;
    }
}

/* `count` numbers from [low, low + span), each of the low 24 bits of a word; what is rounded to `excluded` becomes
   `low`. */
void lg_mersenne_uniform_f32(mersenne *state, f32 *values, i64 count, f32 span, f32 low, f32 excluded)
{
    u32 words[WORDS];
    for (i64 taken; count; values += taken, count -= taken) {
        taken = least(count, WORDS);
        raw_words(state, words, taken);
#pragma omp simd
        for (i64 k = 0; k < taken; k++) {
            f32 unit = (f32)(i32)(tempered(words[k]) & 0xffffffu) * 0x1p-24f;
            f32 value = __builtin_fmaf(unit, span, low);
            values[k] = value == excluded ? low : value;
        }
    }
}

/* Likewise, each of the low 53 bits of two words, of which the first is the high one. */
void lg_mersenne_uniform_f64(mersenne *state, f64 *values, i64 count, f64 span, f64 low, f64 excluded)
{
    u32 words[WORDS];
    for (i64 taken; count; values += taken, count -= taken) {
        taken = least(count, PAIRS);
        raw_words(state, words, 2 * taken);
        for (i64 k = 0; k < taken; k++) {
            i64 bits = (i64)(tempered(words[2 * k]) & HIGH_MASK) << 32 | tempered(words[2 * k + 1]);
            f64 value = __builtin_fma((f64)bits * 0x1p-53, span, low);
            values[k] = value == excluded ? low : value;
        }
    }
}

/* `count` normal numbers, 16 or more, in blocks of 16; where the last block is incomplete, the last 16 are drawn anew. */
void lg_mersenne_normal_f32(mersenne *state, f32 *values, i64 count, f32 mean, f32 std)
{
    lg_mersenne_uniform_f32(state, values, count, 1.0f, 0.0f, 1.0f);
    lg_box_muller(values, count / 16, mean, std);
    if (count % 16) {
        lg_mersenne_uniform_f32(state, values + count - 16, 16, 1.0f, 0.0f, 1.0f);
        lg_box_muller(values + count - 16, 1, mean, std);
    }
}

/* The numbers below `count`, shuffled by a Fisher-Yates loop from the front, which takes a word for each but the last. */
void lg_mersenne_permutation(mersenne *state, i64 *places, i64 count)
{
    u32 words[WORDS];
    for (i64 k = 0; k < count; k++)
        places[k] = k;
    for (i64 first = 0, taken; first < count - 1; first += taken) {
        taken = least(count - 1 - first, WORDS);
        raw_words(state, words, taken);
        for (i64 k = 0; k < taken; k++) {
            i64 here = first + k, other = here + tempered(words[k]) % (u32)(count - here), held = places[here];
            places[here] = places[other];
            places[other] = held;
        }
    }
}
