"""The simulated device, for every test of this folder."""

from __future__ import annotations

from tests import simulated_device, simulated_target

simulated_device.install()
simulated_target.install()
