"""`python -m domains.command_line`: the command line."""

from .main import main

main()
