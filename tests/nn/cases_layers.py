"""The layers that `test_all_modules` compares with PyTorch's: each with the arguments that change what it does."""

from __future__ import annotations

from .layers import layer, normal

SIGNAL, IMAGE, VOLUME = normal(2, 4, 7), normal(2, 4, 6, 5), normal(2, 4, 4, 5, 3)

CONVOLUTIONS = [
    layer("nn.Conv1d(4, 6, 3, padding=2, padding_mode='reflect')", SIGNAL),
    layer("nn.Conv1d(4, 6, 4, padding='same', padding_mode='circular', dilation=2)", SIGNAL),
    layer("nn.Conv2d(4, 6, 3, padding=(2, 1), padding_mode='replicate', stride=2)", IMAGE),
    layer("nn.Conv2d(4, 6, 3, padding='valid', padding_mode='circular')", IMAGE),
    layer("nn.Conv2d(4, 6, 3, padding=1, padding_mode='reflect')", normal(4, 6, 5)),
    layer("nn.Conv3d(4, 6, 3)", VOLUME),
    layer("nn.Conv3d(4, 6, (1, 2, 3), stride=(2, 1, 1), padding=(0, 1, 2), groups=2, bias=False)", VOLUME),
    layer("nn.Conv3d(4, 2, 2, padding='same')", VOLUME),
    layer("nn.Conv3d(4, 2, 3, padding=1, padding_mode='circular', dilation=(2, 1, 1))", VOLUME),
    layer("nn.ConvTranspose1d(4, 6, 3)", SIGNAL),
    layer("nn.ConvTranspose1d(4, 6, 3, stride=2, output_padding=1, dilation=2, bias=False)", SIGNAL),
    layer("nn.ConvTranspose1d(4, 6, 3, stride=3)", SIGNAL, output_size=(22,)),
    layer("nn.ConvTranspose2d(4, 6, 3)", IMAGE),
    layer("nn.ConvTranspose2d(4, 6, 4, 2, 1)", IMAGE),
    layer("nn.ConvTranspose2d(4, 6, (3, 2), stride=(2, 1), padding=1, output_padding=(1, 0), groups=2)", IMAGE),
    layer("nn.ConvTranspose2d(4, 6, 3, stride=2)", normal(4, 6, 5), output_size=(14, 11)),
    layer("nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1)", IMAGE, output_size=(2, 6, 12, 9)),
    layer("nn.ConvTranspose3d(4, 6, 2, stride=2)", VOLUME),
    layer("nn.ConvTranspose3d(4, 6, 3, padding=1, output_padding=(0, 1, 0), stride=2, groups=2)", VOLUME),
]

PADDINGS = [
    layer("nn.ZeroPad1d((2, 1))", SIGNAL),
    layer("nn.ZeroPad2d(2)", IMAGE),
    layer("nn.ZeroPad2d((1, -1, 2, 0))", normal(6, 5)),
    layer("nn.ZeroPad3d(1)", VOLUME),
    layer("nn.ConstantPad1d(2, 3.5)", SIGNAL),
    layer("nn.ConstantPad2d((3, 0, 2, 1), 3.5)", IMAGE),
    layer("nn.ConstantPad3d((3, 3, 6, 6, 0, 1), -1)", VOLUME),
    layer("nn.ReflectionPad1d(2)", SIGNAL),
    layer("nn.ReflectionPad2d((1, 1, 2, 0))", IMAGE),
    layer("nn.ReflectionPad3d(1)", VOLUME),
    layer("nn.ReplicationPad1d((3, 1))", normal(4, 7)),
    layer("nn.ReplicationPad2d(9)", IMAGE),
    layer("nn.ReplicationPad3d((3, 3, 0, 1, 1, 2))", VOLUME),
    layer("nn.CircularPad1d(2)", SIGNAL),
    layer("nn.CircularPad2d((1, 1, 2, 0))", IMAGE),
    layer("nn.CircularPad3d(1)", VOLUME),
]

RESOLUTIONS = [
    layer("nn.Upsample(scale_factor=2)", IMAGE),
    layer("nn.Upsample(size=9)", SIGNAL),
    layer("nn.Upsample(size=(5, 9, 4), mode='nearest-exact')", VOLUME),
    layer("nn.Upsample(scale_factor=(1.5, 2), mode='bilinear')", IMAGE),
    layer("nn.Upsample(scale_factor=1.7, mode='bilinear', align_corners=True)", IMAGE),
    layer("nn.Upsample(scale_factor=2.5, mode='linear', recompute_scale_factor=True)", SIGNAL),
    layer("nn.Upsample(size=(8, 3), mode='bicubic', align_corners=False)", IMAGE),
    layer("nn.Upsample(scale_factor=2, mode='trilinear')", VOLUME),
    layer("nn.Upsample(size=3, mode='area')", IMAGE),
    layer("nn.UpsamplingNearest2d(scale_factor=3)", IMAGE),
    layer("nn.UpsamplingBilinear2d(size=(9, 4))", IMAGE),
    layer("nn.PixelShuffle(2)", IMAGE),
    layer("nn.PixelUnshuffle(3)", normal(2, 4, 6, 9)),
    layer("nn.ChannelShuffle(2)", IMAGE),
    layer("nn.Unfold(3)", IMAGE),
    layer("nn.Unfold((2, 3), dilation=2, padding=1, stride=(1, 2))", normal(4, 6, 5)),
    layer("nn.Fold((4, 5), 2)", normal(2, 8, 12)),
    layer("nn.Fold(output_size=(6, 5), kernel_size=3, padding=1, stride=2)", normal(9, 9)),
]

NORMALIZATIONS = [
    layer("nn.BatchNorm3d(4, momentum=0.3)", VOLUME),
    layer("nn.SyncBatchNorm(4)", normal(6, 4)),
    layer("nn.SyncBatchNorm(4, momentum=None, affine=False)", IMAGE),
    layer("nn.SyncBatchNorm.convert_sync_batchnorm(nn.Sequential(nn.BatchNorm2d(4), nn.ReLU()))", IMAGE),
    layer("nn.InstanceNorm1d(4)", SIGNAL),
    layer("nn.InstanceNorm1d(4, affine=True, bias=False)", normal(4, 7)),
    layer("nn.InstanceNorm2d(4, eps=1e-3, affine=True, track_running_stats=True)", IMAGE),
    layer("nn.InstanceNorm2d(9)", IMAGE),
    layer("nn.InstanceNorm2d(4, momentum=None, track_running_stats=True)", normal(4, 6, 5)),
    layer("nn.InstanceNorm3d(4, track_running_stats=True, momentum=0.4)", VOLUME),
]

LAYERS = [*CONVOLUTIONS, *PADDINGS, *RESOLUTIONS, *NORMALIZATIONS]
