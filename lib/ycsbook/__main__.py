"""python -m ycsbook is the command ycsbook."""

from ycsbook.cli import main

if __name__ == "__main__":
    main()
