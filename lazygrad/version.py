"""The version of this package, and of the platforms it was built for: there are none."""

__version__ = "0.1.0"
cuda: str | None = None
hip: str | None = None
rocm: str | None = None
xpu: str | None = None
git_version: str | None = None
debug = False

__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "rocm", "xpu"]
