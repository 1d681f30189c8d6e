/* 16-bit floats live in registers as f32; every operation's result is rounded to what memory could hold. */
typedef __half f16;
typedef __nv_bfloat16 bf16;

LG f32 lg_load_f16(f16 x) { return __half2float(x); }
LG f16 lg_store_f16(f32 x) { return __float2half_rn(x); }
LG f16 lg_store_f16(f64 x) { return __double2half(x); }
LG f32 lg_round_f16(f32 x) { return __half2float(__float2half_rn(x)); }
LG f32 lg_load_bf16(bf16 x) { return __bfloat162float(x); }
LG bf16 lg_store_bf16(f32 x) { return __float2bfloat16_rn(x); }
LG f32 lg_round_bf16(f32 x) { return __bfloat162float(__float2bfloat16_rn(x)); }
