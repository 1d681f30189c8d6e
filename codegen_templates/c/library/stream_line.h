/* Writing past the caches: memory that is not read soon need not be fetched to be overwritten, nor put out what is. */
#pragma once

#include <string.h>

#ifdef __has_builtin
#if __has_builtin(__builtin_nontemporal_store)
#define STREAM_UNIT 16
#define STREAM_STORE(to, value) __builtin_nontemporal_store(value, to)
#endif
#endif
#if !defined(STREAM_UNIT) && defined(__AVX512F__)
#define STREAM_UNIT 64
#define STREAM_STORE(to, value) __builtin_ia32_movntdq512(to, value)
#elif !defined(STREAM_UNIT) && defined(__SSE2__)
#define STREAM_UNIT 16
#define STREAM_STORE(to, value) __builtin_ia32_movntdq(to, value)
#endif

enum { STREAM_LINE = 64 };

/* One cache line, to where it is aligned. Call stream_end before another thread reads what was written. */
static inline void stream_line(void *to, const void *from)
{
#ifdef STREAM_UNIT
    typedef long long unit __attribute__((vector_size(STREAM_UNIT), may_alias));
    for (int k = 0; k < STREAM_LINE / STREAM_UNIT; k++) {
        unit value;
        memcpy(&value, (const char *)from + k * STREAM_UNIT, STREAM_UNIT);
        STREAM_STORE((unit *)to + k, value);
    }
#else
    memcpy(to, from, STREAM_LINE);
#endif
}

/* Any bytes, or only copied as usual; parts of lines at either end always are. */
static inline void stream_bytes(int past_caches, void *to, const void *from, long long bytes)
{
    long long head = past_caches ? -(long long)(__UINTPTR_TYPE__)to & (STREAM_LINE - 1) : bytes;
    long long at = head < bytes ? head : bytes;
    memcpy(to, from, (size_t)at);
    for (; at + STREAM_LINE <= bytes; at += STREAM_LINE)
        stream_line((char *)to + at, (const char *)from + at);
    memcpy((char *)to + at, (const char *)from + at, (size_t)(bytes - at));
}

static inline void stream_end(void)
{
#if defined(__SSE2__)
    __builtin_ia32_sfence();
#endif
}
