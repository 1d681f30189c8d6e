"""Bayes by backprop: weights drawn anew at every pass, a scale mixture as prior, predictions averaged over draws."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Gaussian:
    def __init__(self, mu, rho):
        self.mu, self.rho = mu, rho

    @property
    def sigma(self):
        return torch.log1p(torch.exp(self.rho))

    def sample(self):
        epsilon = torch.randn(self.rho.size())
        return self.mu + self.sigma * epsilon

    def log_prob(self, input):
        return (
            -math.log(math.sqrt(2 * math.pi)) - torch.log(self.sigma) - ((input - self.mu) ** 2) / (2 * self.sigma**2)
        ).sum()


class ScaleMixtureGaussian:
    def __init__(self, pi, sigma1, sigma2):
        self.pi, self.sigma1, self.sigma2 = pi, sigma1, sigma2

    def log_prob(self, input):
        prob1 = torch.exp(-(input**2) / (2 * self.sigma1**2)) / (self.sigma1 * math.sqrt(2 * math.pi))
        prob2 = torch.exp(-(input**2) / (2 * self.sigma2**2)) / (self.sigma2 * math.sqrt(2 * math.pi))
        return torch.log(self.pi * prob1 + (1 - self.pi) * prob2).sum()


class BayesianLinear(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight_mu = nn.Parameter(torch.Tensor(out_features, in_features).uniform_(-0.2, 0.2))
        self.weight_rho = nn.Parameter(torch.Tensor(out_features, in_features).uniform_(-5, -4))
        self.bias_mu = nn.Parameter(torch.Tensor(out_features).uniform_(-0.2, 0.2))
        self.bias_rho = nn.Parameter(torch.Tensor(out_features).uniform_(-5, -4))
        self.weight = Gaussian(self.weight_mu, self.weight_rho)
        self.bias = Gaussian(self.bias_mu, self.bias_rho)
        self.weight_prior = ScaleMixtureGaussian(0.5, math.exp(0), math.exp(-6))
        self.bias_prior = ScaleMixtureGaussian(0.5, math.exp(0), math.exp(-6))
        self.log_prior = self.log_variational_posterior = 0

    def forward(self, input):
        if self.training:
            weight, bias = self.weight.sample(), self.bias.sample()
            self.log_prior = self.weight_prior.log_prob(weight) + self.bias_prior.log_prob(bias)
            self.log_variational_posterior = self.weight.log_prob(weight) + self.bias.log_prob(bias)
        else:
            weight, bias = self.weight.mu, self.bias.mu
        return F.linear(input, weight, bias)


class BayesianNetwork(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1, self.l2, self.l3 = BayesianLinear(8, 24), BayesianLinear(24, 24), BayesianLinear(24, 3)

    def forward(self, x):
        x = F.relu(self.l1(x))
        return F.log_softmax(self.l3(F.relu(self.l2(x))), dim=1)

    def sample_elbo(self, input, target, num_batches, samples=2):
        outputs = torch.zeros(samples, input.shape[0], 3)
        log_priors = torch.zeros(samples)
        log_variational_posteriors = torch.zeros(samples)
        for i in range(samples):
            outputs[i] = self(input)
            log_priors[i] = self.l1.log_prior + self.l2.log_prior + self.l3.log_prior
            log_variational_posteriors[i] = sum(
                layer.log_variational_posterior for layer in (self.l1, self.l2, self.l3)
            )
        negative_log_likelihood = F.nll_loss(outputs.mean(0), target, reduction="sum")
        return (log_variational_posteriors.mean() - log_priors.mean()) / num_batches + negative_log_likelihood


def main():
    torch.manual_seed(42)
    x = torch.randn(96, 8)
    y = (x[:, 0] > 0).long() + (x[:, 1] > 0.5).long()
    net = BayesianNetwork()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    for epoch in range(10000):
        net.train()
        for i in range(0, 96, 32):
            net.zero_grad()
            loss = net.sample_elbo(x[i : i + 32], y[i : i + 32], num_batches=3)
            loss.backward()
            optimizer.step()
            yield loss.item()
