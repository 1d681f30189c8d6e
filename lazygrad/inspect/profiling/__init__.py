"""Where the time of a running program goes."""
