"""What every layer is made of: the base class with its hooks and state, and the containers."""
