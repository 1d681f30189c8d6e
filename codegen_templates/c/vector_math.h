/* Elementwise mathematics for f32, f64, c64 and c128: lg_<name>_<type>, with numpy's results for NaN, infinities
   and signed zeros. Loops over them become vector code, but for complex.h, division.h and gamma.h; tests/targets/c/test_math.py
   lists how accurate each is. */
#pragma once

#include "math/arithmetic.h"
#include "math/complex.h"
#include "math/division.h"
#include "math/error_function.h"
#include "math/error_function_inverse.h"
#include "math/exponential.h"
#include "math/gamma.h"
#include "math/hyperbolic.h"
#include "math/inverse_trigonometric.h"
#include "math/logarithm.h"
#include "math/power.h"
#include "math/rounding.h"
#include "math/trigonometric.h"
#include "math/trigonometric_f64.h"
