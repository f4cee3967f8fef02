#!/bin/sh
# What Python kept of the modules when they were imported by root.
set -e
find /usr/lib/thallo/python -name __pycache__ -prune -exec rm -rf {} +
