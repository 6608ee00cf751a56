"""`python -m build VERB`."""

from build.cli import main

if __name__ == "__main__":
    main()
