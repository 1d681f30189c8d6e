/* Writing or adding to the rows that index arrays name. */
#include <string.h>

#include "addressing.h"
#include "calls.h"
#include "dtypes.h"
#include "stream_line.h"
#include "strided_copy.h"

/* A write: which row of the region in the high word, which row of values in the low one. Sorting by the row
   keeps writes to one row in order. */
typedef u64 write;

static inline i64 row_of(write w)
{
    return (i64)(w >> 32);
}

static inline i64 position_of(write w)
{
    return (i64)(w & 0xFFFFFFFF);
}

#define TYPED(name) JOIN(name, writes)
#define ENTRY write
#define KEY_BITS(entry) ((entry) >> 32)
#include "radix_sort.inc"
#undef TYPED

#define BODY "put.inc"
#include "each_dtype.inc"

typedef void sum_rows(void *to, const void *values, i64 width, i64 columns, const write *writes, i64 count);
typedef void add_elements(void *to, const void *values, i64 width, const write *writes, i64 count);
static sum_rows *const sum_rows_of[] = DTYPE_TABLE(sum_rows);
static add_elements *const add_elements_of[] = DTYPE_TABLE(add_elements);

/* The part of the output that one part of the call writes: then no two of them write to one place, and each place sees
   its writes in order, whatever their number. */
typedef struct {
    i64 first, last;   /* rows */
    i64 left, right;   /* columns */
} region;

/* What is the same for all regions. */
typedef struct {
    const addressing *addresses;
    i32 regions, columns;  /* in all, and side by side */
    i32 accumulates;
    i32 outcome;
    char *out;
    const char *values;  /* row-major */
    i32 dtype;
    i64 itemsize, rows, width;
    i32 from_zero;       /* all that is added to is zero, and still to be written */
} put_job;

/* Whether some region would get far more than its share if rows were divided, judged by a sample of the indices. No result
   depends on it. */
static i32 is_skewed(const addressing *a, i64 rows, i32 threads)
{
    enum { SAMPLES = 64, PARTS = 8 };
    i64 hits[PARTS] = {0}, parts = least(threads, PARTS), row;
    for (i64 k = 0; k < SAMPLES; k++) {
        find_addresses(a, (i64)((__int128)a->count * k / SAMPLES), 1, &row);
        i64 part = row < 0 || row >= rows ? 0 : (i64)((__int128)row * parts / rows);
        if (2 * parts * ++hits[part] > 3 * SAMPLES)
            return 1;
    }
    return 0;
}

/* Into how many columns of regions: rows are divided if that is fair, otherwise columns as far as they are long enough. A
   region for each thread: each of them takes a walk over all indices. */
static i32 region_columns(const team *team, const put_job *job)
{
    enum { PART_BYTES = 512 };
    i32 parts = 1;
    if (is_skewed(job->addresses, job->rows, team->threads))
        for (i32 n = 2; n <= team->threads; n++)
            if (team->threads % n == 0 && job->width * job->itemsize >= n * PART_BYTES)
                parts = n;
    return parts;
}

static region region_of(const put_job *job, i64 number)
{
    i64 part = number % job->columns, bands = job->regions / job->columns, band = number / job->columns;
    return (region){
        .left = job->width * part / job->columns,
        .right = job->width * (part + 1) / job->columns,
        .first = (i64)((__int128)job->rows * band / bands),
        .last = (i64)((__int128)job->rows * (band + 1) / bands),
    };
}

/* The writes to a region, in order. */
static i64 list_writes(const addressing *a, const region *r, write *writes)
{
    i64 rows[ADDRESS_BLOCK], listed = 0;
    for (i64 begin = 0; begin < a->count; begin += ADDRESS_BLOCK) {
        i64 count = least(ADDRESS_BLOCK, a->count - begin);
        find_addresses(a, begin, count, rows);
        for (i64 k = 0; k < count; k++) {
            u64 row = (u64)(rows[k] - r->first);
            writes[listed] = row << 32 | (u64)(begin + k);
            listed += row < (u64)(r->last - r->first);
        }
    }
    return listed;
}

static write *sort_writes(write *writes, write *spare, i64 count, u64 rows)
{
    i64 counts[DIGITS_writes];
    const team alone = {1};
    u64 varying = rows > 1 ? ~0ull >> __builtin_clzll(rows - 1) : 0;
    return sort_entries_writes(&alone, 1, writes, spare, count, varying, counts);
}

/* Writes zeros to the region's part of some of its rows. */
static void clear_rows(const put_job *job, const region *r, i64 begin, i64 end)
{
    i64 bytes = job->width * job->itemsize, part = (r->right - r->left) * job->itemsize;
    char *start = job->out + r->first * bytes + r->left * job->itemsize;
    if (part == bytes)
        memset(start + begin * bytes, 0, (end - begin) * bytes);
    else
        for (i64 row = begin; row < end; row++)
            memset(start + row * bytes, 0, part);
}

/* Asks for the values of a write to come: in the order of the rows they are added to, they lie anywhere. */
static void fetch_values(const put_job *job, const region *r, write w)
{
    enum { MOST = 512 };  /* bytes; the processor finds the rest */
    i64 part = least(MOST, (r->right - r->left) * job->itemsize);
    const char *from = job->values + (position_of(w) * job->width + r->left) * job->itemsize;
    for (i64 byte = 0; byte < part; byte += 64)
        __builtin_prefetch(from + byte);
}

/* Sums the values of each row before they are added to it. Zeros are written row by row on the way, so that the row is in
   the cache when something is added to it, and memory is written once. */
static void sum_region(const put_job *job, const region *r, write *writes, write *spare, i64 count)
{
    enum { FURTHER_ON = 4 };  /* writes */
    i64 bytes = job->width * job->itemsize, start = r->left * job->itemsize, cleared = 0;
    char *region_start = job->out + r->first * bytes + start;
    writes = sort_writes(writes, spare, count, (u64)(r->last - r->first));
    for (i64 done = 0; done < count;) {
        i64 row = row_of(writes[done]), end = done + 1;
        while (end < count && row_of(writes[end]) == row)
            end++;
        if (done + FURTHER_ON < count)
            fetch_values(job, r, writes[done + FURTHER_ON]);
        if (job->from_zero) {
            clear_rows(job, r, cleared, row + 1);
            cleared = row + 1;
        } else if (end < count) {
            __builtin_prefetch(region_start + row_of(writes[end]) * bytes, 1);
        }
        sum_rows_of[job->dtype](region_start + row * bytes, job->values + start, job->width, r->right - r->left,
                                writes + done, end - done);
        done = end;
    }
    if (job->from_zero)
        clear_rows(job, r, cleared, r->last - r->first);
}

static void set_region(const put_job *job, const region *r, const write *writes, i64 count)
{
    i64 bytes = job->width * job->itemsize, start = r->left * job->itemsize;
    i64 part = (r->right - r->left) * job->itemsize;
    for (i64 k = 0; k < count; k++)
        memcpy(job->out + (r->first + row_of(writes[k])) * bytes + start,
               job->values + position_of(writes[k]) * bytes + start, part);
}

/* Rows of few elements are not worth sorting; 16-bit floats are, to be summed in f32. */
static i32 is_narrow(const put_job *job)
{
    enum { NARROW_ROW = 8 };
    return job->width < NARROW_ROW && !is_half(job->dtype);
}

/* One zero, seen as many. */
static i32 is_zero(const array *x)
{
    static const char zero[16];
    for (i32 axis = 0; axis < x->rank; axis++)
        if (x->sizes[axis] != 1 && x->strides[axis] != 0)
            return 0;
    return memcmp(x->data, zero, (size_t)itemsize_of(x->dtype)) == 0;
}

static void put_region(const put_job *job, const region *r, write *writes, write *spare, i64 count)
{
    if (!job->accumulates) {
        set_region(job, r, writes, count);
    } else if (is_narrow(job)) {
        add_elements_of[job->dtype](job->out + r->first * job->width * job->itemsize, job->values, job->width, writes,
                                    count);
    } else {
        sum_region(job, r, writes, spare, count);
    }
}

static void put_regions(void *closure, i64 begin, i64 end)
{
    const put_job *job = closure;
    i64 room = room_writes(job->addresses->count + 1);
    write *writes = lg_private_scratch(2 * room * (i64)sizeof(write));
    for (i64 number = begin; number < end; number++) {
        region r = region_of(job, number);
        put_region(job, &r, writes, writes + room, list_writes(job->addresses, &r, writes));
    }
}

static void check_part(void *closure, i64 begin, i64 end)
{
    put_job *job = closure;
    i64 rows[ADDRESS_BLOCK];
    for (; begin < end; begin += ADDRESS_BLOCK)
        if (!find_addresses(job->addresses, begin, least(ADDRESS_BLOCK, end - begin), rows))
            refuse(&job->outcome);
}

/* x with x[i0, i1, …] set to, or increased by, values: inputs are x, values (*broadcast shape of the indices, *rest of
   x) and int64 indices for the first axes of x. out may be x. Of several values for a row the last one wins, or all are
   summed in order. Attributes: [accumulate]. Refuses indices outside [-size, size) before anything is written. */
i32 lg_put(const team *all, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    team team = working_team(all, out, inputs, count);
    const array *x = &inputs[0], *values = &inputs[1];
    i32 indices = count - 2;
    addressing a = address_rows(x, values, inputs + 2, indices);
    i64 itemsize = itemsize_of(x->dtype);
    put_job job = {.addresses = &a, .regions = team.threads, .accumulates = attributes[0] != 0, .out = out->data,
                   .values = values->data, .dtype = x->dtype, .itemsize = itemsize,
                   .rows = product(x->sizes, indices), .width = product(x->sizes + indices, x->rank - indices)};
    if (job.rows > 0xFFFFFFFF || a.count > 0xFFFFFFFF)
        return REFUSED;  /* do not fit into a write */
    if (a.count * job.width == 0) {
        if (!indices_in_range(&a))
            return REFUSED;
        lg_start_from(&team, out, x);
        return OK;
    }
    lg_share(&team, a.count, ADDRESS_BLOCK, check_part, &job);
    if (job.outcome != OK)
        return REFUSED;
    if (!is_row_major(values)) {
        char *staged = lg_shared_scratch(element_count(values) * itemsize);
        lg_copy_array(&team, staged, values);
        job.values = staged;
    }
    job.from_zero = job.accumulates && !is_narrow(&job) && is_zero(x);
    if (!job.from_zero)
        lg_start_from(&team, out, x);
    job.columns = region_columns(&team, &job);
    lg_share(&team, job.regions, 1, put_regions, &job);
    return OK;
}
