/* How running values of library calls become one. */
struct lg_sum {
    template <class T>
    LG static T of(T x, T y)
    {
        return x + y;
    }
};

struct lg_largest {
    LG static f32 of(f32 x, f32 y) { return lg_maximum_f32(x, y); }
    LG static f64 of(f64 x, f64 y) { return lg_maximum_f64(x, y); }
};
