"""What a user writes, bound once, checked."""
