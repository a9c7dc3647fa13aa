"""`python -m memgauge`."""

from memgauge.cli import main

if __name__ == "__main__":
    main()
