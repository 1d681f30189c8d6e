"""Channels in another order, under PyTorch's path."""

from lazygrad.nn.shuffling import ChannelShuffle

__all__ = ["ChannelShuffle"]
