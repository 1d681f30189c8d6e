"""Fused beside unfused, one backend beside another, one version beside another: costs and differences."""
