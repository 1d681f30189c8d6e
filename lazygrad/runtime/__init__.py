"""Where plans run: devices, buffers, random streams, library calls, caches."""
