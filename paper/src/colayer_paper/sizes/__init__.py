"""Generalisation to other sizes than those learned on, for every problem."""
