"""`python -m kanon_engine`: the command line."""

from kanon_engine._start import main

if __name__ == "__main__":
    main()
