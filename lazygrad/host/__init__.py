"""What every target and tensor needs of the machine: numpy's dtypes and calls, memory, threads, processes, files."""
