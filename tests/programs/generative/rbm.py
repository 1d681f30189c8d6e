"""A restricted Boltzmann machine: contrastive divergence with Gibbs steps, gradients written by hand."""

import torch

num_visible, num_hidden, k = 36, 20, 2
learning_rate, momentum_coefficient, weight_decay = 1e-2, 0.5, 1e-4


class RBM:
    def __init__(self):
        self.weights = torch.randn(num_visible, num_hidden) * 0.1
        self.visible_bias = torch.ones(num_visible) * 0.5
        self.hidden_bias = torch.zeros(num_hidden)
        self.weights_momentum = torch.zeros(num_visible, num_hidden)
        self.visible_bias_momentum = torch.zeros(num_visible)
        self.hidden_bias_momentum = torch.zeros(num_hidden)

    def sample_hidden(self, visible_probabilities):
        hidden_activations = torch.matmul(visible_probabilities, self.weights) + self.hidden_bias
        return self._sigmoid(hidden_activations)

    def sample_visible(self, hidden_probabilities):
        visible_activations = torch.matmul(hidden_probabilities, self.weights.t()) + self.visible_bias
        return self._sigmoid(visible_activations)

    def contrastive_divergence(self, input_data):
        positive_hidden_probabilities = self.sample_hidden(input_data)
        positive_hidden_activations = (positive_hidden_probabilities >= self._random_probabilities(num_hidden)).float()
        positive_associations = torch.matmul(input_data.t(), positive_hidden_activations)

        hidden_activations = positive_hidden_activations
        for step in range(k):
            visible_probabilities = self.sample_visible(hidden_activations)
            hidden_probabilities = self.sample_hidden(visible_probabilities)
            hidden_activations = (hidden_probabilities >= self._random_probabilities(num_hidden)).float()
        negative_associations = torch.matmul(visible_probabilities.t(), hidden_probabilities)

        self.weights_momentum *= momentum_coefficient
        self.weights_momentum += positive_associations - negative_associations
        self.visible_bias_momentum *= momentum_coefficient
        self.visible_bias_momentum += torch.sum(input_data - visible_probabilities, dim=0)
        self.hidden_bias_momentum *= momentum_coefficient
        self.hidden_bias_momentum += torch.sum(positive_hidden_probabilities - hidden_probabilities, dim=0)

        batch_size = input_data.size(0)
        self.weights += self.weights_momentum * learning_rate / batch_size
        self.visible_bias += self.visible_bias_momentum * learning_rate / batch_size
        self.hidden_bias += self.hidden_bias_momentum * learning_rate / batch_size
        self.weights -= self.weights * weight_decay
        return torch.sum((input_data - visible_probabilities) ** 2)

    def _sigmoid(self, x):
        return 1 / (1 + torch.exp(-x))

    def _random_probabilities(self, num):
        return torch.rand(num)


def bars(n, size=6):
    """Images of full rows and columns."""
    images = torch.zeros(n, size, size)
    for image in images:
        which = torch.randint(0, size, (2,))
        image[which[0]] = 1.0
        image[:, which[1]] = 1.0
    return images


def main():
    torch.manual_seed(0)
    data = bars(64).view(64, num_visible)
    rbm = RBM()
    for epoch in range(10000):
        epoch_error = 0.0
        for batch in data.split(16):
            epoch_error += rbm.contrastive_divergence(batch)
        yield epoch_error.item()
