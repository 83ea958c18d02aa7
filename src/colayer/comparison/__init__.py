"""Contenders at equal wall-clock time: what each has found by when, and when learning has paid for itself."""
