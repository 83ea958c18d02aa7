"""`python -m colayer`, where the installed command is not on the path."""

import sys

from colayer.cli.app import run

if __name__ == "__main__":
    sys.exit(run())
