"""Known collections of images, read from the files they are published in, with torchvision's names."""

from lazygrad.vision.datasets import utils
from lazygrad.vision.datasets.cifar import CIFAR10, CIFAR100
from lazygrad.vision.datasets.fakedata import FakeData
from lazygrad.vision.datasets.folder import DatasetFolder, ImageFolder
from lazygrad.vision.datasets.mnist import KMNIST, MNIST, FashionMNIST
from lazygrad.vision.datasets.vision import VisionDataset

__all__ = [
    "CIFAR10",
    "CIFAR100",
    "KMNIST",
    "MNIST",
    "DatasetFolder",
    "FakeData",
    "FashionMNIST",
    "ImageFolder",
    "VisionDataset",
    "utils",
]
