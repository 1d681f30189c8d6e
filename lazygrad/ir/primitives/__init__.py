"""The primitive ops: what backends implement."""
