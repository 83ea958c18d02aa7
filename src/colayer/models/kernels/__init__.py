"""Compiled code of the models."""
