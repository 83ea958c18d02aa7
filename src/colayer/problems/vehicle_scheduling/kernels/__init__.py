"""Compiled kernels of vehicle scheduling."""
