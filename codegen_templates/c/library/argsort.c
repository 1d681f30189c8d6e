/* The order that sorts an axis. */
#include <string.h>

#include "calls.h"
#include "dtypes.h"
#include "lines.h"
#include "stream_line.h"
#include "strided_copy.h"

enum {
    KEY_BLOCK = 512,  /* keys made at a time */
    RANKED = 96,      /* longest line sorted by counting */
    STAGED = 16,      /* lines copied together to where they are contiguous */
};

static const team LONE = {1};

#define BODY "argsort_keys.inc"
#include "each_dtype.inc"

typedef void make_keys(const void *x, i64 step, i64 count, u64 *keys);
static make_keys *const make_keys_of[] = DTYPE_TABLE(make_keys);

/* Keys of at most 32 bits share a word with the index. */
typedef u64 short_entry;
typedef struct { u64 key, index; } long_entry;

/* What to sort: a line of x. */
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

typedef u64 key_vector __attribute__((vector_size(64)));
enum { VECTOR = 8 };

/* Sorts a short line by counting, for each element, those that go before it, equal ones among them if they come first:
   n² comparisons, but of whole vectors. */
static void sort_by_rank(const sort_job *job)
{
    const key_vector positions = {0, 1, 2, 3, 4, 5, 6, 7};
    union { key_vector vectors[RANKED / VECTOR]; u64 numbers[RANKED]; } keys;
    i64 length = job->length;
    make_keys_of[job->dtype](job->x, job->x_step, length, keys.numbers);
    for (i64 i = 0; i < length; i++)
        keys.numbers[i] ^= job->flip;
    for (i64 i = length; i % VECTOR; i++)
        keys.numbers[i] = 0;
    for (i64 first = 0; first < length; first += VECTOR) {
        union { key_vector vector; u64 numbers[VECTOR]; } ranks = {.vector = {0}};
        key_vector own = keys.vectors[first / VECTOR];
        i64 last = least(first + VECTOR, length);
        for (i64 other = 0; other < first; other++)
            ranks.vector -= (key_vector)(keys.numbers[other] <= own);
        for (i64 other = first; other < last; other++) {
            key_vector comes_first = (key_vector)((u64)(other - first) < positions);
            ranks.vector -= (key_vector)(keys.numbers[other] < own);
            ranks.vector -= (key_vector)(keys.numbers[other] == own) & comes_first;
        }
        for (i64 other = last; other < length; other++)
            ranks.vector -= (key_vector)(keys.numbers[other] < own);
        for (i64 i = first; i < last; i++)
            job->out[(i64)ranks.numbers[i - first] * job->out_step] = i;
    }
}

static void sort_line(const team *team, i64 shares, const sort_job *job, void *memory)
{
    if (job->length <= RANKED)
        sort_by_rank(job);
    else if (itemsize_of(job->dtype) == 8)
        sort_line_long(team, shares, job, memory);
    else
        sort_line_short(team, shares, job, memory);
}

typedef struct {
    sort_job job;  /* of the first line */
    lines lines;
    i64 shares;    /* of each line */
} sort_call;

static i64 memory_for(const sort_call *call)
{
    i64 length = call->lines.length;
    return itemsize_of(call->job.dtype) == 8 ? memory_for_long(call->shares, length)
                                             : memory_for_short(call->shares, length);
}

/* Sorts the lines [begin, end), each with a team. */
static void sort_each(const team *team, const sort_call *call, i64 begin, i64 end, void *memory)
{
    for (i64 line = begin; line < end; line++) {
        sort_job job = call->job;
        line_start start = line_at(&call->lines, line);
        job.x += start.x * itemsize_of(job.dtype);
        job.out += start.out;
        sort_line(team, call->shares, &job, memory);
    }
}

static void sort_lines(void *closure, i64 begin, i64 end)
{
    const sort_call *call = closure;
    sort_each(&LONE, call, begin, end, lg_private_scratch(memory_for(call)));
}

/* Sorts lines that lie side by side: a few are copied to where they are contiguous, and their results back. */
static void sort_lanes(void *closure, i64 begin, i64 end)
{
    const sort_call *call = closure;
    const lines *l = &call->lines;
    sort_job job = call->job;
    i64 itemsize = itemsize_of(job.dtype), x_lane = l->x_strides[l->rank - 1], out_lane = l->out_strides[l->rank - 1];
    i64 staged = STAGED * l->length * (i64)sizeof(i64), line;
    char *memory = lg_private_scratch(memory_for(call) + 2 * staged), *values = memory + staged;
    i64 *results = (i64 *)memory;
    job.x_step = job.out_step = 1;
    for (i64 block = begin; block < end; block++) {
        i64 lanes = lane_block(l, block, STAGED, &line);
        line_start start = line_at(l, line);
        copy_plan in = lg_plan_copy(itemsize, 2, (i64[]){lanes, l->length}, (i64[]){l->length, 1},
                                    (i64[]){x_lane, l->x_step});
        copy_plan back = lg_plan_copy(sizeof(i64), 2, (i64[]){l->length, lanes}, (i64[]){l->out_step, out_lane},
                                      (i64[]){1, l->length});
        lg_copy_block(&in, values, call->job.x + start.x * itemsize);
        for (i64 lane = 0; lane < lanes; lane++) {
            job.x = values + lane * l->length * itemsize;
            job.out = results + lane * l->length;
            sort_line(&LONE, 1, &job, values + staged);
        }
        lg_copy_block(&back, call->job.out + start.out, results);
    }
}

/* Indices that sort each line along an axis: equal elements keep their order, whichever the direction, and NaN is
   larger than any number. out is int64. Attributes: [axis, descending]. */
i32 lg_argsort(const team *all, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    enum { LONG = 1 << 15, FEW = 4 };  /* a few long lines are each shared by all threads */
    team team = working_team(all, out, inputs, count);
    if (element_count(out) == 0)
        return OK;
    const array *x = &inputs[0];
    lines l = lines_along(x, out, attributes[0]);
    u64 key_mask = itemsize_of(x->dtype) == 8 ? ~0ull : 0xFFFFFFFF;
    if (l.length > 0xFFFFFFFF)
        return REFUSED;  /* indices do not fit beside the keys */
    sort_call call = {{x->data, out->data, l.length, l.x_step, l.out_step, x->dtype, attributes[1] ? key_mask : 0}, l, 1};
    if (team.threads > 1 && l.length >= LONG && l.count < (i64)FEW * team.threads) {
        call.shares = team.threads;
        sort_each(&team, &call, 0, l.count, lg_shared_scratch(memory_for(&call)));
    } else if (has_lanes(&l)) {
        lg_share(&team, lane_blocks(&l, STAGED), 1, sort_lanes, &call);
    } else {
        lg_share(&team, l.count, 1, sort_lines, &call);
    }
    return OK;
}
