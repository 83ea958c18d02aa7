"""Learning by demonstration, from known solutions or true θ, by gradients: one loss per file."""
