"""Read, check and describe scores; data sets to try things on."""
