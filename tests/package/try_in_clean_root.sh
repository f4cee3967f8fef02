#!/usr/bin/env bash
# try_in_clean_root.sh ROOT PACKAGE.deb...: makes a fresh Debian 12 in the folder ROOT, unless one is there,
# installs the packages in a copy of it, uses them as their pages say, and removes them. Needs root and a network.
set -euo pipefail

root=$1
shift
[[ $(id -u) -eq 0 ]] || { echo "try_in_clean_root.sh: debootstrap and chroot need root" >&2; exit 77; }
[[ -d $root/etc ]] || debootstrap --variant=minbase bookworm "$root" >/dev/null

copy=$root.copy
trap 'umount "$copy/proc" 2>/dev/null || true; rm -rf "$copy"' EXIT
rm -rf "$copy"
cp -a "$root" "$copy"
mount -t proc proc "$copy/proc"
cp /etc/resolv.conf "$copy/etc/"
cp "$@" "$copy/root/"

inside() { chroot "$copy" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 bash -euo pipefail -c "$1"; }
expect() {  # expect WHAT TEXT PATTERN
  grep -Eq "$3" <<<"$2" || { printf 'try_in_clean_root.sh: %s: found no "%s" in:\n%s\n' "$1" "$3" "$2" >&2; exit 1; }
}

inside 'apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends ./root/*.deb' >/dev/null
expect "the version" "$(inside 'thallo --version')" '^thallo [0-9.]+'
# No C compiler is installed yet.
expect "a solve without a compiler" "$(inside 'thallo solve curve_fit 2>&1')" 'apt-get install gcc|converged'
inside 'DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends gcc libc6-dev python3-numpy' >/dev/null
expect "a solve" "$(inside 'thallo solve curve_fit --backend cpu 2>&1')" converged
expect "Python" "$(inside "python3 -c '
import numpy, thallo
solver = thallo.Solver(\"\"\"
local N = Dims(\"N\")
Inputs { X = Unknown(float, {N}), A = Array(float, {N}) }
local n = N()
Residuals { fit = X(n) - A(n) }
\"\"\")
print(solver.solve(A=numpy.arange(4, dtype=numpy.float32))[\"X\"])'")" '0\. +1\. +2\. +3\.'
if [[ -n $(inside 'command -v thallo-explorer || true') ]]; then
  expect "the app" "$(inside 'QT_QPA_PLATFORM=offscreen thallo-explorer --help')" thallo-explorer
fi
inside 'apt-get remove -y -q thallo thallo-explorer libthallo-dev >/dev/null 2>&1 || apt-get remove -y -q thallo >/dev/null'
left=$(inside 'find /usr -iname "*thallo*"')
[[ -z $left ]] || { printf 'try_in_clean_root.sh: removing leaves:\n%s\n' "$left" >&2; exit 1; }
echo "installed, used and removed in a fresh Debian 12"
