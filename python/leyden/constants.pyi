"""Made by tools/make_stubs.py from the table of constants."""

F: bool
T: bool
ZERO: int
ONE: int
TWO: int
THREE: int
FOUR: int
FIVE: int
SIX: int
SEVEN: int
EIGHT: int
NINE: int
TEN: int
NEG_ONE: int
NEG_TWO: int
DOWN: tuple[int, int]
RIGHT: tuple[int, int]
UP: tuple[int, int]
LEFT: tuple[int, int]
ORIGIN: tuple[int, int]
UNITY: tuple[int, int]
NEG_UNITY: tuple[int, int]
UP_RIGHT: tuple[int, int]
DOWN_LEFT: tuple[int, int]
ZERO_BY_TWO: tuple[int, int]
TWO_BY_ZERO: tuple[int, int]
TWO_BY_TWO: tuple[int, int]
THREE_BY_THREE: tuple[int, int]
