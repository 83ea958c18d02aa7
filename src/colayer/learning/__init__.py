"""Learning of the weights: by experience, on a budget of loss evaluations, or by demonstration, by gradients."""
