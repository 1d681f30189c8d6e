"""Whether a program computes what it says, and the smallest program that does not."""
