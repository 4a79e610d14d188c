"""``python -m disproof.cli``."""

from . import main

main()
