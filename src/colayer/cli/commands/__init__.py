"""The bodies of the commands, one file each; each imports what is heavy when it runs."""
