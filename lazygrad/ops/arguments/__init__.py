"""What the functions of all families take and check: operands, options, `out=`, axes; and how they become methods."""
