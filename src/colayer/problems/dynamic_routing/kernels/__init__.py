"""Compiled code of dynamic routing."""
