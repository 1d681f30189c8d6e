"""Plans that serve many sizes: an extent that differs from call to call is a number of the run."""
