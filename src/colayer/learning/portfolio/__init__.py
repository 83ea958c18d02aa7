"""What goes with learned weights into the model: the σ of draws around them, and weight vectors good together."""
