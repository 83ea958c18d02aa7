"""The bodies of the commands, one file each; `colayer.cli.app` imports them when they run."""
