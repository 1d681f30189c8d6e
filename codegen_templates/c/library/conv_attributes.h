/* The attributes of a convolution, as conv.c describes them. */
#pragma once

#include "library.h"

typedef struct {
    i32 rank;
    i64 groups;
    const i64 *stride, *before, *dilation;
} conv_attributes;

static inline conv_attributes read_conv_attributes(const i64 *attributes)
{
    i64 rank = attributes[0];
    const i64 *lists = attributes + 1;
    return (conv_attributes){rank, lists[4 * rank], lists, lists + rank, lists + 3 * rank};
}
