"""``lazygrad.distributed.nn.functional``: names of the operations between processes that gradients flow through."""

from __future__ import annotations

from lazygrad import distributed

all_gather = distributed.all_gather
all_reduce = distributed.all_reduce
all_to_all = distributed.all_to_all
all_to_all_single = distributed.all_to_all_single
broadcast = distributed.broadcast
gather = distributed.gather
reduce = distributed.reduce
reduce_scatter = distributed.reduce_scatter
scatter = distributed.scatter
