"""Runs the command line: `python -m logbook_client`."""

from .cli import main

main()
