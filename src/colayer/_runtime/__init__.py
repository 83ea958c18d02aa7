"""What every part stands on: the clock, threads, text, compiled kernels."""
