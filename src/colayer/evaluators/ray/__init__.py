"""Evaluation on a Ray cluster: instances stay on their nodes, weights and losses travel. Ray is an extra."""
