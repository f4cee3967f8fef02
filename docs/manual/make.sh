#!/bin/sh
# make.sh OUTPUT: makes the manual, and fails where a link leads nowhere. Exits with 77 where Sphinx is not there.
/usr/bin/python3 -c 'import myst_parser, numpy, sphinx' 2>/dev/null || {
  echo "skipped: python3-sphinx, python3-myst-parser or python3-numpy is not installed"
  exit 77
}
cd "$(dirname "$0")/../.." &&
  /usr/bin/python3 -m sphinx -q -E -W --keep-going -b html -c docs/manual . "$1" &&
  ln -sf docs/manual/index.html "$1/index.html"
