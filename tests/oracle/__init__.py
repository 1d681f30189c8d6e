"""What all folders compare with torch by: inputs for both frameworks, runs on both, and whether they are equal."""
