"""`python -m kanon_engine`: the command line."""

from kanon_engine.cli import main

if __name__ == "__main__":
    main()
