"""Files: instances, solutions, tables, data sets."""
