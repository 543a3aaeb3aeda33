"""What numbers may be, wherever they come in."""

#: The squares of larger numbers, and sums of these, are beyond what a float can hold.
LARGEST = 1e150
