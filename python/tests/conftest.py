"""What all tests have in common."""

import signal

# A shell that starts a job in the background lets it ignore Ctrl-C, and Python then leaves it so. The
# tests of Ctrl-C would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)
