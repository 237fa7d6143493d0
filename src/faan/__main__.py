"""`python -m faan` is the command `faan`, for environments whose scripts are not on the path."""

from faan.cli import main

if __name__ == "__main__":
    main()
