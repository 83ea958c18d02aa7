"""Learning by experience, from costs alone, on a budget of loss evaluations: one black-box search per file."""
