/* Its types are always there: half.h. */
