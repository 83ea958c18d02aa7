"""Tables and figures of comparisons and of learning runs."""
