"""Where the values of a plan lie: one stage after lowering, whose result nothing changes any more."""
