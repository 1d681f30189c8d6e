/* A team of threads that work on one thing at a time: a range of units, cut into parts that whoever runs claims.

   The calling thread needs nobody: it claims parts like the helpers, at last those meant for helpers that were asleep or
   had no processor. What it waits for is parts that a helper is in the middle of. A helper that comes late finds nothing
   left to claim. Who waits spins for a while, then sleeps: a processor that a thread gives up can run the very thread
   that is waited for.

   Each thread has a stretch of neighbouring parts that it takes first, so that it finds in its cache what it wrote there
   in the step before. A stretch is one word: the number of the job it belongs to, the next part, and the end. A part is
   claimed by exchanging the word, which fails if the stretch belongs to a later job. So a job that a helper has read is
   the current one whenever it succeeds in claiming a part: the caller does not begin another before that part is done. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "library/arrays.h"

enum { MOST_THREADS = 256, STACK_BYTES = 8 << 20 };

/* Parts for each thread: what a thread that loses its processor leaves to the others is at most one of them. */
enum { PARTS_PER_THREAD = 4 };

/* Nanoseconds. */
enum {
    LONGEST_SPIN = 1000000,  /* what Python needs to record a small step; waking a sleeping thread took up to 0.1 ms */
    SHORTEST_SPIN = 4000,
    INTERRUPTION = 50000,    /* between two looks at the clock: somebody else had the processor */
    GRACE = 20000,           /* of a caller, beside the time that it needed for parts of its own */
};

typedef struct {
    _Alignas(64) _Atomic u64 word;
} stretch;

typedef struct {
    part_function run;
    void *closure;
    i64 extent, grain, parts;
    i32 threads;
} job;

static struct {
    _Atomic(part_function) run;  /* the parts of the job */
    void *_Atomic closure;
    _Atomic i64 extent, grain, parts;
    _Atomic i32 threads;
    stretch stretches[MOST_THREADS];
    _Alignas(64) _Atomic i64 unfinished;  /* parts */
    _Alignas(64) _Atomic u32 number;      /* of the job */
    _Atomic i32 sleepers;
    _Atomic i64 patience;
    _Alignas(64) _Atomic i32 is_taken, caller_sleeps;
    i32 helpers;
    pthread_mutex_t lock;
    pthread_cond_t opened, finished;
} crew = {
    .patience = LONGEST_SPIN,
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .opened = PTHREAD_COND_INITIALIZER,
    .finished = PTHREAD_COND_INITIALIZER,
};

static inline void pause_a_little(void)
{
    for (i32 i = 0; i < 8; i++) {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        __asm__ volatile("isb");
#endif
    }
}

i64 lg_now(void);

i64 lg_now(void) /* nanoseconds; plans whose steps are timed ask, too */
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (i64)time.tv_sec * 1000000000 + time.tv_nsec;
}

static job current_job(void)
{
    return (job){
        atomic_load_explicit(&crew.run, memory_order_relaxed),
        atomic_load_explicit(&crew.closure, memory_order_relaxed),
        atomic_load_explicit(&crew.extent, memory_order_relaxed),
        atomic_load_explicit(&crew.grain, memory_order_relaxed),
        atomic_load_explicit(&crew.parts, memory_order_relaxed),
        atomic_load_explicit(&crew.threads, memory_order_relaxed),
    };
}

/* The next part of a stretch, or -1 if none is left of this job. */
static i64 claim(stretch *from, u32 number)
{
    u64 word = atomic_load_explicit(&from->word, memory_order_acquire);
    while (word >> 32 == number && (word >> 16 & 0xffff) < (word & 0xffff))
        if (atomic_compare_exchange_weak_explicit(&from->word, &word, word + (1 << 16), memory_order_acq_rel,
                                                  memory_order_acquire))
            return (i64)(word >> 16 & 0xffff);
    return -1;
}

static void run_part(const job *job, i64 part)
{
    i64 units = (job->extent + job->grain - 1) / job->grain;
    i64 begin = units * part / job->parts * job->grain, end = units * (part + 1) / job->parts * job->grain;
    job->run(job->closure, begin, end < job->extent ? end : job->extent);
}

/* Takes parts until none is left; returns how many it took. */
static i64 work(i32 thread, u32 number)
{
    job job = current_job();
    i64 taken = 0;
    if (thread >= job.threads)
        return 0;
    for (i32 turn = 0; turn < job.threads; turn++) {
        stretch *from = &crew.stretches[(thread + turn) % job.threads];
        for (i64 part = claim(from, number); part >= 0; part = claim(from, number)) {
            run_part(&job, part);
            taken++;
            if (atomic_fetch_sub(&crew.unfinished, 1) == 1 && atomic_load(&crew.caller_sleeps)) {
                pthread_mutex_lock(&crew.lock);
                pthread_cond_signal(&crew.finished);
                pthread_mutex_unlock(&crew.lock);
            }
        }
    }
    return taken;
}

/* Whether another job than that number is opened before patience runs out. */
static i32 opens_soon(u32 seen, i64 start)
{
    i64 patience = atomic_load_explicit(&crew.patience, memory_order_relaxed);
    for (i64 last = start, time = start; time - start < patience; last = time) {
        for (i32 look = 0; look < 8; look++) {
            if (atomic_load(&crew.number) != seen)
                return 1;
            pause_a_little();
        }
        time = lg_now();
        if (time - last > INTERRUPTION) {
            patience = most(patience / 4, SHORTEST_SPIN);
            atomic_store_explicit(&crew.patience, patience, memory_order_relaxed);
        }
    }
    return 0;
}

static void sleep_until_opened(u32 seen)
{
    pthread_mutex_lock(&crew.lock);
    atomic_fetch_add(&crew.sleepers, 1);
    while (atomic_load(&crew.number) == seen)
        pthread_cond_wait(&crew.opened, &crew.lock);
    atomic_fetch_sub(&crew.sleepers, 1);
    pthread_mutex_unlock(&crew.lock);
}

/* Waits for another job than that number. Patience grows where it would have been rewarded, and shrinks where it was not, or
   where another program took the processor meanwhile. */
static u32 next_job(u32 seen)
{
    i64 start = lg_now();
    if (!opens_soon(seen, start))
        sleep_until_opened(seen);
    i64 patience = atomic_load_explicit(&crew.patience, memory_order_relaxed);
    i64 changed = lg_now() - start < LONGEST_SPIN ? patience + patience / 8 : patience - patience / 4;
    atomic_store_explicit(&crew.patience, least(most(changed, SHORTEST_SPIN), LONGEST_SPIN), memory_order_relaxed);
    return atomic_load(&crew.number);
}

static void *help(void *thread)
{
    for (u32 number = 0;;) {
        number = next_job(number);
        work((i32)(i64)thread, number);
    }
    return 0;
}

/* A child has none of its parent's threads: it begins anew. */
static void forget_helpers(void)
{
    crew.helpers = 0;
    crew.number = 0;
    crew.unfinished = 0;
    crew.sleepers = crew.is_taken = crew.caller_sleeps = 0;
    for (i32 i = 0; i < MOST_THREADS; i++)
        crew.stretches[i].word = 0;
    pthread_mutex_init(&crew.lock, 0);
    pthread_cond_init(&crew.opened, 0);
    pthread_cond_init(&crew.finished, 0);
}

static void watch_forks(void)
{
    pthread_atfork(0, 0, forget_helpers);
}

/* Helpers take no signals: those are for the threads of the program. */
static void hire(i32 wanted)
{
    static pthread_once_t watching = PTHREAD_ONCE_INIT;
    pthread_once(&watching, watch_forks);
    pthread_attr_t attributes;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    for (pthread_t thread; crew.helpers < wanted; crew.helpers++)
        if (pthread_create(&thread, &attributes, help, (void *)(i64)(crew.helpers + 1)))
            break;
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, 0);
}

static u32 open(const job *job)
{
    u32 number = atomic_load(&crew.number) + 1;
    number += number == 0;  /* a helper that is new has seen no job */
    atomic_store_explicit(&crew.run, job->run, memory_order_relaxed);
    atomic_store_explicit(&crew.closure, job->closure, memory_order_relaxed);
    atomic_store_explicit(&crew.extent, job->extent, memory_order_relaxed);
    atomic_store_explicit(&crew.grain, job->grain, memory_order_relaxed);
    atomic_store_explicit(&crew.parts, job->parts, memory_order_relaxed);
    atomic_store_explicit(&crew.threads, job->threads, memory_order_relaxed);
    atomic_store_explicit(&crew.unfinished, job->parts, memory_order_relaxed);
    for (i32 thread = 0; thread < job->threads; thread++) {
        u64 first = (u64)(job->parts * thread / job->threads), end = (u64)(job->parts * (thread + 1) / job->threads);
        atomic_store_explicit(&crew.stretches[thread].word, (u64)number << 32 | first << 16 | end, memory_order_release);
    }
    atomic_store(&crew.number, number);
    if (atomic_load(&crew.sleepers)) {
        pthread_mutex_lock(&crew.lock);
        pthread_cond_broadcast(&crew.opened);
        pthread_mutex_unlock(&crew.lock);
    }
    return number;
}

/* Waits for parts that helpers are in the middle of. One that takes longer than the caller's own has lost its processor. */
static void wait_for_helpers(i64 expected)
{
    i64 patience = atomic_load_explicit(&crew.patience, memory_order_relaxed);
    for (i64 start = lg_now(); atomic_load(&crew.unfinished);) {
        pause_a_little();
        if (lg_now() - start < least(expected, patience))
            continue;
        atomic_store_explicit(&crew.patience, most(patience / 4, SHORTEST_SPIN), memory_order_relaxed);
        pthread_mutex_lock(&crew.lock);
        atomic_store(&crew.caller_sleeps, 1);
        while (atomic_load(&crew.unfinished))
            pthread_cond_wait(&crew.finished, &crew.lock);
        atomic_store(&crew.caller_sleeps, 0);
        pthread_mutex_unlock(&crew.lock);
    }
}

void lg_share(const team *team, i64 extent, i64 grain, part_function run, void *closure)
{
    i64 units = (extent + grain - 1) / grain, parts = lg_parts(team);
    i32 threads = team->threads < MOST_THREADS ? team->threads : MOST_THREADS, is_free = 0;
    if (threads < 2 || units < 2 || !atomic_compare_exchange_strong(&crew.is_taken, &is_free, 1)) {
        if (extent > 0)
            run(closure, 0, extent);
        return;
    }
    if (crew.helpers < threads - 1)
        hire(threads - 1);
    job job = {run, closure, extent, grain, units < parts ? units : parts, threads};
    i64 start = lg_now();
    u32 number = open(&job);
    i64 taken = work(0, number);
    if (atomic_load(&crew.unfinished))
        wait_for_helpers(GRACE + (taken ? 2 * (lg_now() - start) / taken : 0));
    atomic_store(&crew.is_taken, 0);
}

i64 lg_parts(const team *team)
{
    return team->threads < 2 ? 1 : (i64)(team->threads < MOST_THREADS ? team->threads : MOST_THREADS) * PARTS_PER_THREAD;
}

/* A run of a plan's driver that is done again and again. What may change in between is read where it stands. */
typedef struct {
    i32 (*driver)(void *const *, void *const *, char *, const void *, i32, void *);
    void *const *inputs, *const *outputs;
    char *const *arena;
    const void *scalars;
    const i32 *threads;
} standing_run;

i32 lg_run_again(const standing_run *run);

i32 lg_run_again(const standing_run *run)
{
    return run->driver(run->inputs, run->outputs, *run->arena, run->scalars, *run->threads, 0);
}
