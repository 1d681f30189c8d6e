"""``lazygrad.distributed.nn``: what is in `lazygrad.distributed.nn.functional`, as in PyTorch."""

from __future__ import annotations

from lazygrad.distributed.nn import functional as functional
from lazygrad.distributed.nn.functional import all_gather as all_gather
from lazygrad.distributed.nn.functional import all_reduce as all_reduce
from lazygrad.distributed.nn.functional import all_to_all as all_to_all
from lazygrad.distributed.nn.functional import all_to_all_single as all_to_all_single
from lazygrad.distributed.nn.functional import broadcast as broadcast
from lazygrad.distributed.nn.functional import gather as gather
from lazygrad.distributed.nn.functional import reduce as reduce
from lazygrad.distributed.nn.functional import reduce_scatter as reduce_scatter
from lazygrad.distributed.nn.functional import scatter as scatter
