"""The `leyden` command: `leyden …` or `python -m leyden …`."""

import signal
import sys

from leyden import _leyden


def main() -> int:
    # Leyden handles Ctrl-C and closed pipes itself.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _leyden.main(["leyden", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
