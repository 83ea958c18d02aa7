"""The experiments on stochastic vehicle scheduling, section 5.2 of the paper."""
