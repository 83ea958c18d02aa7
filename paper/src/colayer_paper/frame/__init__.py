"""What all experiments share: configs, the run folder, stages that are kept, outcomes and their figures."""
