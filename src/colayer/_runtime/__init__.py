"""What every part stands on: the clock, threads, processes, text."""
