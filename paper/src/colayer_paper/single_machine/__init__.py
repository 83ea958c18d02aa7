"""The experiments on single machine scheduling, section 5.3 of the paper."""
