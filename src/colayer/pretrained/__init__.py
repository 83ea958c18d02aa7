"""Learned weights shipped with the package: model files named PROBLEM-OPTION-OPTION.json, each with its provenance."""
