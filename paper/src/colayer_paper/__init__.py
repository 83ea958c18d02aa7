"""What was run to make the numbers and the weights that colayer ships."""
