"""A radiance field in the plane after tiny NeRF: positional encoding, rays, alpha compositing, random pixels."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def positional_encoding(tensor, num_encoding_functions=4):
    encoding = [tensor]
    frequency_bands = 2.0 ** torch.linspace(0.0, num_encoding_functions - 1, num_encoding_functions)
    for freq in frequency_bands:
        for func in [torch.sin, torch.cos]:
            encoding.append(func(tensor * freq))
    return torch.cat(encoding, dim=-1)


def get_ray_bundle(height, width, focal_length, tform_cam2world):
    ii, jj = torch.meshgrid(torch.arange(width).float(), torch.arange(height).float(), indexing="xy")
    directions = torch.stack(
        [(ii - width * 0.5) / focal_length, -(jj - height * 0.5) / focal_length, -torch.ones_like(ii)], dim=-1
    )
    ray_directions = torch.sum(directions[..., None, :] * tform_cam2world[:3, :3], dim=-1)
    ray_origins = tform_cam2world[:3, -1].expand(ray_directions.shape)
    return ray_origins, ray_directions


def cumprod_exclusive(tensor):
    cumprod = torch.cumprod(tensor, -1)
    cumprod = torch.roll(cumprod, 1, -1)
    cumprod[..., 0] = 1.0
    return cumprod


def render_volume_density(radiance_field, depth_values):
    sigma_a = F.relu(radiance_field[..., 3])
    rgb = torch.sigmoid(radiance_field[..., :3])
    one_e_10 = torch.tensor([1e10], dtype=depth_values.dtype)
    dists = torch.cat(
        (depth_values[..., 1:] - depth_values[..., :-1], one_e_10.expand(depth_values[..., :1].shape)), dim=-1
    )
    alpha = 1.0 - torch.exp(-sigma_a * dists)
    weights = alpha * cumprod_exclusive(1.0 - alpha + 1e-10)
    rgb_map = (weights[..., None] * rgb).sum(dim=-2)
    depth_map = (weights * depth_values).sum(dim=-1)
    return rgb_map, depth_map


class VeryTinyNerfModel(torch.nn.Module):
    def __init__(self, filter_size=32, num_encoding_functions=4):
        super().__init__()
        self.layer1 = nn.Linear(3 + 3 * 2 * num_encoding_functions, filter_size)
        self.layer2 = nn.Linear(filter_size, filter_size)
        self.layer3 = nn.Linear(filter_size, 4)

    def forward(self, x):
        x = F.relu(self.layer1(x))
        x = F.relu(self.layer2(x))
        return self.layer3(x)


def get_minibatches(inputs, chunksize):
    return [inputs[i : i + chunksize] for i in range(0, inputs.shape[0], chunksize)]


def main():
    torch.manual_seed(9458)
    height = width = 16
    near, far, samples, n_rays = 1.0, 3.0, 8, 64
    target = torch.rand(4, 4, 3).repeat_interleave(4, 0).repeat_interleave(4, 1)
    poses = torch.eye(4).repeat(3, 1, 1)
    poses[:, 2, 3] = torch.tensor([2.0, 2.2, 1.8])
    model = VeryTinyNerfModel()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for i in range(10000):
        pose = poses[torch.randint(0, 3, (1,)).item()]
        ray_origins, ray_directions = get_ray_bundle(height, width, 20.0, pose)
        chosen = torch.randperm(height * width)[:n_rays]
        rays_o, rays_d = ray_origins.reshape(-1, 3)[chosen], ray_directions.reshape(-1, 3)[chosen]
        depth_values = torch.linspace(near, far, samples).expand(n_rays, samples)
        depth_values = depth_values + torch.rand(n_rays, samples) * (far - near) / samples
        points = rays_o[..., None, :] + rays_d[..., None, :] * depth_values[..., :, None]
        encoded = positional_encoding(points.reshape((-1, 3)))
        predictions = [model(batch) for batch in get_minibatches(encoded, 256)]
        radiance_field = torch.cat(predictions, dim=0).reshape(n_rays, samples, 4)
        rgb_predicted, _ = render_volume_density(radiance_field, depth_values)
        loss = F.mse_loss(rgb_predicted, target.reshape(-1, 3)[chosen])
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        psnr = -10.0 * torch.log10(loss)
        yield loss.item(), psnr.item()
