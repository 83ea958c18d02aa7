"""The experiments on the two-stage spanning tree, section 5.1 of the paper."""
