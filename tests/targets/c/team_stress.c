/* Hands out many jobs to the team, from several threads at once, and checks that every unit was done once and that all
   of a job is done when `lg_share` returns; for the tests only. Arguments: jobs, threads of a team, callers. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "library.h"

enum { MOST_UNITS = 600 };

typedef struct {
    i32 visits[MOST_UNITS];
    i64 grain, extent;
    i32 misaligned, nested;
    const team *team;
} tally;

static i64 jobs, threads;

static void visit_once_more(void *closure, i64 begin, i64 end)
{
    i32 *visits = closure;
    for (i64 unit = begin; unit < end; unit++)
        visits[unit]++;
}

static void visit(void *closure, i64 begin, i64 end)
{
    tally *of = closure;
    if (begin % of->grain || (end % of->grain && end != of->extent) || begin > end)
        of->misaligned = 1;
    if (of->nested)  /* a part hands out parts: it does them itself */
        for (i64 unit = begin; unit < end; unit++)
            lg_share(of->team, 1, 1, visit_once_more, of->visits + unit);
    else
        visit_once_more(of->visits, begin, end);
}

static u32 next_number(u32 *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

static void *call(void *seed)
{
    u32 state = (u32)(i64)seed;
    tally of;
    for (i64 job = 0; job < jobs; job++) {
        team team = {(i32)(1 + next_number(&state) % threads)};
        memset(&of, 0, sizeof of);
        of.extent = next_number(&state) % (MOST_UNITS + 1);
        of.grain = 1 + next_number(&state) % 40;
        of.nested = next_number(&state) % 4 == 0;
        of.team = &team;
        lg_share(&team, of.extent, of.grain, visit, &of);
        for (i64 unit = 0; unit < MOST_UNITS; unit++)
            if (of.visits[unit] != (unit < of.extent) || of.misaligned) {
                fprintf(stderr, "unit %lld of %lld was done %d times\n", (long long)unit, (long long)of.extent,
                        of.visits[unit]);
                exit(1);
            }
        if (next_number(&state) % 64 == 0)
            usleep(1500);  /* until the helpers sleep */
    }
    return 0;
}

int main(int count, char **arguments)
{
    if (count != 4)
        return 2;
    jobs = atoll(arguments[1]), threads = atoll(arguments[2]);
    i64 callers = atoll(arguments[3]);
    pthread_t others[16];
    for (i64 i = 1; i < callers; i++)
        pthread_create(&others[i], 0, call, (void *)(i + 1));
    call((void *)1);
    for (i64 i = 1; i < callers; i++)
        pthread_join(others[i], 0);
#ifndef __SANITIZE_THREAD__
    pid_t child = fork();
    if (child == 0) {
        call((void *)7);
        _exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    call((void *)8);
    return status != 0;
#else
    return 0;
#endif
}
