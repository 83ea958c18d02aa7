"""The bodies of the commands, one file each; `colayer.cli` imports them when they run."""
