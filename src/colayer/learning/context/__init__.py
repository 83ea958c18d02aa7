"""Learning θ = W·context + b, all samples of a batch at once."""
