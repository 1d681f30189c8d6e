"""Is it PyTorch? Every public name against torch, on the inputs PyTorch's own tests use and on made ones."""
