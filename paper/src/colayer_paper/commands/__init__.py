"""The commands `colayer reproduce` and `colayer report`."""
