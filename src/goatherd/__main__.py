"""`python -m goatherd` is the command line."""

from goatherd.cli.main import main

if __name__ == "__main__":
    main()
