/* The order that sorts an axis. */
#include <string.h>

#include "dtypes.h"
#include "lines.h"

enum { KEY_BLOCK = 512 };  /* keys made at a time */

#define BODY "argsort_keys.inc"
#include "each_dtype.inc"

typedef void make_keys(const void *x, i64 step, i64 count, u64 *keys);
static make_keys *const make_keys_of[] = DTYPE_TABLE(make_keys);

/* Keys of at most 32 bits share a word with the index. */
typedef u64 short_entry;
typedef struct { u64 key, index; } long_entry;

/* What to sort: a line of x, or a thread's share of it. */
typedef struct {
    const char *x;
    i64 *out;
    i64 length, x_step, out_step;
    i32 dtype;
    u64 flip;  /* turns keys around for descending order: equal elements keep theirs */
} sort_job;

#define TYPED(name) JOIN(name, short)
#define ENTRY short_entry
#define KEY_BITS(entry) ((entry) >> 32)
#define MAKE_ENTRY(key, index) ((key) << 32 | (u64)(index))
#define INDEX_OF(entry) ((i64)((entry) & 0xFFFFFFFF))
#include "radix_sort.inc"
#include "argsort_line.inc"
#undef TYPED
#undef ENTRY
#undef KEY_BITS
#undef MAKE_ENTRY
#undef INDEX_OF

#define TYPED(name) JOIN(name, long)
#define ENTRY long_entry
#define KEY_BITS(entry) ((entry).key)
#define MAKE_ENTRY(key, index) ((long_entry){key, (u64)(index)})
#define INDEX_OF(entry) ((i64)(entry).index)
#include "radix_sort.inc"
#include "argsort_line.inc"
#undef TYPED

/* Indices that sort each line along an axis: equal elements keep their order, whichever the direction, and NaN is
   larger than any number. out is int64. Attributes: [axis, descending]. */
i32 lg_argsort(const team *all, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    enum { LONG = 1 << 15, FEW = 4 };  /* a few long lines are shared by all threads */
    team team = working_team(all, out, inputs, count);
    if (!team.threads || element_count(out) == 0)
        return OK;
    const array *x = &inputs[0];
    lines l = lines_along(x, out, attributes[0]);
    i64 itemsize = itemsize_of(x->dtype), begin = 0, end = l.count;
    u64 key_mask = itemsize == 8 ? ~0ull : 0xFFFFFFFF;
    if (l.length > 0xFFFFFFFF)
        return REFUSED;  /* indices do not fit beside the keys */
    i32 together = team.threads > 1 && l.length >= LONG && l.count < (i64)FEW * team.threads;
    if (!together) {
        team_share(&team, l.count, 1, &begin, &end);
        team.thread = 0, team.threads = 1;
    }
    i64 bytes = itemsize == 8 ? memory_for_long(&team, l.length) : memory_for_short(&team, l.length);
    void *memory = team_scratch(&team, bytes);
    for (i64 line = begin; line < end; line++) {
        line_start start = line_at(&l, line);
        sort_job job = {(const char *)x->data + start.x * itemsize, (i64 *)out->data + start.out, l.length, l.x_step,
                        l.out_step, x->dtype, attributes[1] ? key_mask : 0};
        if (itemsize == 8)
            sort_line_long(&team, &job, memory);
        else
            sort_line_short(&team, &job, memory);
    }
    return OK;
}
