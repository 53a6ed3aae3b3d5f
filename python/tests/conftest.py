"""Shared setup of all tests."""

import signal

# A shell makes a background job ignore Ctrl-C, and Python inherits that. Without this line, the
# tests of Ctrl-C would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)
