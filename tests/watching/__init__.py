"""Looking at a training: summaries of models, files for TensorBoard."""
