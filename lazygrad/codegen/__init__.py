"""From groups to source: the kernel form, the renderers, the templates they fill."""
