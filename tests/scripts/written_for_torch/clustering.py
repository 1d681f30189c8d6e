"""k-means, quantile buckets, one-hot averages and scattered sums."""

import torch
import torch.nn.functional as F

torch.manual_seed(3)
points = torch.cat([torch.randn(50, 2) + center for center in torch.tensor([[0.0, 0], [5, 5], [0, 8]])])
centers = points[torch.randperm(len(points))[:3]].clone()
for _ in range(8):
    nearest = torch.cdist(points, centers).argmin(1)
    for k in range(3):
        if (nearest == k).any():
            centers[k] = points[nearest == k].mean(0)
results = [torch.bincount(nearest, minlength=3), centers, nearest]

heights = points[:, 1]
edges = torch.quantile(heights, torch.tensor([0.25, 0.5, 0.75]))
bucket = torch.bucketize(heights, edges)
members = F.one_hot(bucket, 4).float()
values, inverse, counts = torch.unique(bucket, return_inverse=True, return_counts=True)
results += [edges, members.T @ heights / members.sum(0), values, inverse, counts]
results += [torch.zeros(4).scatter_add_(0, bucket, heights), torch.zeros(4).index_add_(0, bucket, heights)]
results += [torch.histc(heights, 5), str(counts), repr(heights[:3]), f"{heights.max():.3f}"]
