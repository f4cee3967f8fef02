"""Makes the wheel of Thallo out of an installed Thallo that has all libraries with it.

    make_wheel.py PREFIX FOLDER

PREFIX is what cmake --install filled and ThalloBundle.cmake completed. The wheel goes into FOLDER,
and its path is printed. It is tagged with the glibc that its binaries need.
"""

from __future__ import annotations

import base64
import ctypes
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

from elf import Binary, read_elf

# What every Linux has, glibc, and nothing else may be missing in the wheel.
_GLIBC = re.compile(r"(lib(c|m|dl|rt|pthread|resolv|util)\.so\.\d+|ld-linux[\w-]*\.so\.\d+)$")
# Below PREFIX; all else that is installed is for programs in C++.
_PARTS = [
    "bin/thallo",
    "lib/*.so*",
    "lib/thallo/plugins/*",
    "lib/thallo/problems/*",
    "lib/thallo/python/__main__.py",
    "lib/thallo/python/thallo_tools/**/*.py",
    "share/thallo/**/*",
]
# Libraries of lib/ that only programs with another language need.
_LEFT_OUT = {"libThallo.so", "libOpt.so"}
_SOURCE = pathlib.Path(__file__).resolve().parents[3]


def main(prefix: pathlib.Path, folder: pathlib.Path) -> None:
    files = dict(_package_files())
    files.update(_installed_files(prefix))
    tag = _tag({path: read_elf(path) for path in files.values()})
    version = _version(prefix)
    folder.mkdir(parents=True, exist_ok=True)
    print(_write(folder, version, tag, files))


def _package_files():
    """Yields name in the wheel and path of each file of the package."""
    package = _SOURCE / "core/python/thallo"
    for path in sorted(package.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield f"thallo/{path.relative_to(package)}", path


def _installed_files(prefix: pathlib.Path):
    found = set()
    for part in _PARTS:
        matches = [p for p in sorted(prefix.glob(part)) if p.is_file() and p.name not in _LEFT_OUT]
        if not matches:
            sys.exit(
                f"make_wheel.py: {prefix / part} is not there; was Thallo installed to {prefix}?"
            )
        found.update(matches)
    for path in sorted(found):
        yield f"thallo/{path.relative_to(prefix)}", path


def _tag(binaries: dict[pathlib.Path, Binary | None]) -> str:
    """Returns the tag of the platform. Ends the program if a library is missing."""
    there = {path.name for path in binaries}
    machines, glibcs = set(), set()
    for path, binary in binaries.items():
        if binary is None:
            continue
        machines.add(binary.machine)
        for library in binary.needed:
            if library not in there and not _GLIBC.match(library):
                sys.exit(f"make_wheel.py: {path} needs {library}, which is not in the wheel")
        for library, versions in binary.versions.items():
            if _GLIBC.match(library):
                glibcs.update(_glibc_version(path, version) for version in versions)
    if len(machines) != 1:
        sys.exit(
            f"make_wheel.py: the binaries are for {' and '.join(sorted(machines)) or 'nothing'}"
        )
    major, minor = max(glibcs)
    return f"manylinux_{major}_{minor}_{machines.pop()}"


def _glibc_version(path: pathlib.Path, version: str) -> tuple[int, int]:
    if version == "GLIBC_ABI_DT_RELR":  # packed relocations
        return 2, 36
    number = re.fullmatch(r"GLIBC_(\d+)\.(\d+)(\.\d+)?", version)
    if number is None:
        sys.exit(f"make_wheel.py: {path} needs {version} of glibc, which other versions lack")
    return int(number[1]), int(number[2])


def _version(prefix: pathlib.Path) -> str:
    version = ctypes.CDLL(str(prefix / "lib/libthallo_c.so")).thallo_version
    version.restype = ctypes.c_char_p
    return version().decode()


def _licenses(libraries: list[str]):
    """Yields name and path of the terms of each library of another project, where the system's
    packages have them.
    """
    if shutil.which("dpkg-query") is None:
        print(
            "make_wheel.py: no dpkg-query, so the wheel lacks the terms of libraries",
            file=sys.stderr,
        )
        return
    packages = set()
    for library in libraries:
        found = subprocess.run(
            ["dpkg-query", "--search", f"*/{library}"], capture_output=True, text=True
        )
        packages.update(line.split(":")[0] for line in found.stdout.splitlines())
    for package in sorted(packages):
        terms = pathlib.Path("/usr/share/doc", package, "copyright")
        if terms.is_file():
            yield package, terms


def _write(
    folder: pathlib.Path, version: str, tag: str, files: dict[str, pathlib.Path]
) -> pathlib.Path:
    wheel = folder / f"thallo-{version}-py3-none-{tag}.whl"
    info = f"thallo-{version}.dist-info"
    record = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:

        def add(name: str, content: bytes, mode: int = 0o644) -> None:
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))  # the same files, the same wheel
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
            digest = (
                base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            )
            record.append(f"{name},sha256={digest},{len(content)}")

        for name, path in sorted(files.items()):
            add(name, path.read_bytes(), 0o755 if name.startswith("thallo/bin/") else 0o644)
        add(f"{info}/LICENSE", (_SOURCE / "LICENSE").read_bytes())
        for package, terms in _licenses(_others(files)):
            add(f"{info}/licenses/{package}", terms.read_bytes())
        add(f"{info}/METADATA", _metadata(version).encode())
        add(f"{info}/WHEEL", _wheel_text(tag).encode())
        add(f"{info}/entry_points.txt", b"[console_scripts]\nthallo = thallo.__main__:main\n")
        listed = "\n".join([*record, f"{info}/RECORD,,", ""])
        add(f"{info}/RECORD", listed.encode())
    return wheel


def _others(files: dict[str, pathlib.Path]) -> list[str]:
    """The libraries of other projects."""
    return [
        path.name
        for name, path in files.items()
        if name.startswith("thallo/lib/lib") and not path.name.startswith("libthallo_")
    ]


def _metadata(version: str) -> str:
    page = (_SOURCE / "docs/python.md").read_text(encoding="utf-8")
    return f"""Metadata-Version: 2.1
Name: thallo
Version: {version}
Summary: Nonlinear least squares: energies compiled to GPU and CPU solvers
License-File: LICENSE
Requires-Python: >=3.9
Requires-Dist: numpy
Provides-Extra: scipy
Requires-Dist: scipy; extra == "scipy"
Provides-Extra: pandas
Requires-Dist: pandas; extra == "pandas"
Description-Content-Type: text/markdown

{page}"""


def _wheel_text(tag: str) -> str:
    return f"""Wheel-Version: 1.0
Generator: thallo
Root-Is-Purelib: false
Tag: py3-none-{tag}
"""


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
