"""Learning of networks on top of a linear model; training needs torch, an extra."""
