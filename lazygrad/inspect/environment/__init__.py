"""The machine, the installation and the plan cache."""
