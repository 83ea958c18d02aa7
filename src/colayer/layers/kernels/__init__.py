"""Compiled loops of the layers."""
