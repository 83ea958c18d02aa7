"""Compiled loops of dynamic vehicle scheduling."""
