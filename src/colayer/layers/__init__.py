"""The easy problems, usable on their own."""
