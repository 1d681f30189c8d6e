/* Writing a whole cache line past the caches: a line that is not read soon need not be fetched to be overwritten. */
#pragma once

#include <string.h>

#if defined(__AVX512F__) || defined(__SSE2__)
#include <immintrin.h>
#endif

/* Both 64-byte aligned. Call stream_end before another thread reads what was written. */
static inline void stream_line(void *to, const void *from)
{
#if defined(__AVX512F__)
    _mm512_stream_si512(to, _mm512_load_si512(from));
#elif defined(__SSE2__)
    for (int k = 0; k < 4; k++)
        _mm_stream_si128((__m128i *)to + k, _mm_load_si128((const __m128i *)from + k));
#else
    memcpy(to, from, 64);
#endif
}

static inline void stream_end(void)
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}
