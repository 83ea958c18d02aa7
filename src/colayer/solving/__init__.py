"""From a model to a solution: candidates, rounds, certificates."""
