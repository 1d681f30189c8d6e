"""Plans made from graph texts, so that rendered sources do not depend on line numbers of tests."""

from __future__ import annotations

from lazygrad.ir.text import parse
from lazygrad.runtime.plan import Plan

SOFTMAX = """
%0: f32[64,128] = buffer slot=0 "x"   # model.py:3
%1: f32[64,128] = softmax %0 axis=1   # model.py:4
return %1
"""
LINEAR_RELU = """
%0: f32[64,128] = buffer slot=0 "x"             # model.py:3
%1: f32[32,128] = buffer slot=1 "fc.weight"     # model.py:2
%2: f32[32]     = buffer slot=2 "fc.bias"       # model.py:2
%3: f32[64,32]  = linear %0 %1 %2               # model.py:4 Net.fc
%4: f32[64,32]  = relu %3                       # model.py:5 Net
return %4
"""
COLUMN_SUM = """
%0: f32[4096,512] = buffer slot=0 "x"           # model.py:3
%1: f32[1,512]    = reduce_sum %0 axes=(0,)     # model.py:4
return %1
"""
# A row kernel in blocks, a product, a column sum, a total with a prologue, and a runtime scalar.
SEVERAL = """
%0: f32[600,800] = buffer slot=0 "x"            # model.py:3
%1: f32[800,800] = buffer slot=1 "w"            # model.py:3
%2: f32[600,800] = softmax %0 axis=1            # model.py:4
%3: f32[600,800] = matmul %2 %1                 # model.py:5
%4: f32[]        = scalar value=0.3 slot=0
%5: f32[600,800] = mul %3 %4                    # model.py:6
%6: f32[1,800]   = reduce_sum %5 axes=(0,)      # model.py:7
%7: f32[600,800] = mul %0 %0                    # model.py:8
%8: f32[1,1]     = reduce_sum %7 axes=(0,1)     # model.py:8
return %6 %8 %5
"""
PROGRAMS = {"softmax": SOFTMAX, "linear_relu": LINEAR_RELU, "column_sum": COLUMN_SUM, "several": SEVERAL}


def plan_of(text: str) -> Plan:
    return Plan(parse(text))
