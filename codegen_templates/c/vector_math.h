/* Elementwise mathematics for f32 and f64: lg_<name>_f32 and lg_<name>_f64, with numpy's results for NaN, infinities and
   signed zeros. Loops over them become vector code; tests/codegen/test_c_math.py lists how accurate each is. */
#pragma once

#include "math/arithmetic.h"
#include "math/error_function.h"
#include "math/exponential.h"
#include "math/hyperbolic.h"
#include "math/logarithm.h"
#include "math/power.h"
#include "math/provisional.h"
#include "math/rounding.h"
#include "math/trigonometric.h"
