"""What a plan becomes: a folder per target, none of which knows another."""
