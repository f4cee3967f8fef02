"""The wheel: made of what was built, installed by pip, and used without and with a C compiler.

    wheel_test.py CMAKE BUILD SOURCE
"""

import glob
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

try:
    import numpy  # noqa: F401
except ImportError:
    print("numpy is not there: skipped")
    sys.exit(77)

PIP = [sys.executable, "-m", "pip"]
if subprocess.run([*PIP, "--version"], capture_output=True).returncode != 0:
    print("pip is not there: skipped")
    sys.exit(77)

CMAKE, BUILD, SOURCE = sys.argv[1:4]

SOLVE = """
import numpy, thallo
texts = ["local N = Dims('N')\\nInputs { X = Unknown(float, {N}), A = Array(float, {N}) }\\n"
         "local n = N()\\nResiduals { fit = X(n) - A(n) }\\n"] * 2
for text in texts:
    summary = thallo.Solver(text).solve(A=numpy.arange(4, dtype=numpy.float32))
    assert numpy.allclose(summary["X"], range(4), atol=1e-4), summary["X"]
print(summary.backend, thallo.__file__, len(dir(thallo.problems)))
thallo.Solver(texts[0], backend="interpreter").explain(A=numpy.zeros(4, numpy.float32))
"""


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls._scratch.name)
        cls.wheel = make_wheel(cls.folder)
        cls.site = cls.folder / "site"
        install = [*PIP, "install", "--quiet", "--no-index", "--no-deps", "--no-compile"]
        done = subprocess.run(
            [*install, "--target", str(cls.site), str(cls.wheel)], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr

    @classmethod
    def tearDownClass(cls):
        cls._scratch.cleanup()

    def run_installed(self, arguments, path):
        environment = {
            "PATH": path,
            "PYTHONPATH": str(self.site),
            "THALLO_CACHE_DIR": str(self.folder / "cache"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        done = subprocess.run(
            [sys.executable, *arguments], env=environment, capture_output=True, text=True
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def test_it_names_its_platform_and_lists_its_files(self):
        self.assertRegex(self.wheel.name, r"^thallo-[\d.]+-py3-none-manylinux_2_\d+_\w+\.whl$")
        with zipfile.ZipFile(self.wheel) as wheel:
            names = wheel.namelist()
            record = next(name for name in names if name.endswith(".dist-info/RECORD"))
            listed = [line.split(",")[0] for line in wheel.read(record).decode().splitlines()]
        self.assertEqual(sorted(names), sorted(listed))
        for part in ("lib/libthallo_c.so", "lib/libstdc++.so.6", "bin/thallo", "py.typed"):
            self.assertIn("thallo/" + part, names)
        for word in ("Qt", "libc.so", "libcuda", "gtest", "test_", "libtiff", "libjbig"):
            self.assertEqual([name for name in names if word in name], [])

    @unittest.skipIf(shutil.which("dpkg-query") is None, "no packages that have the terms")
    def test_it_has_the_terms_of_the_libraries_in_it(self):
        with zipfile.ZipFile(self.wheel) as wheel:
            terms = [name for name in wheel.namelist() if ".dist-info/licenses/" in name]
        for library in ("libfmt", "liblua", "libstdc++"):
            self.assertTrue([name for name in terms if library in name], library)

    def test_without_a_compiler_it_interprets_and_says_so_once(self):
        out, err = self.run_installed(["-c", SOLVE], "/nonexistent")
        backend, where, problems = out.split()
        self.assertEqual(backend, "interpreter")
        self.assertTrue(where.startswith(str(self.site)))
        self.assertGreater(int(problems), 10)
        self.assertEqual(err.count("backend cpu is not available"), 1, err)

    @unittest.skipIf(shutil.which("cc") is None and shutil.which("gcc") is None, "no C compiler")
    def test_with_a_compiler_it_compiles(self):
        out, _ = self.run_installed(["-c", SOLVE], os.environ["PATH"])
        self.assertEqual(out.split()[0], "cpu")

    def test_the_program_comes_with_it(self):
        solve = ["solve", "curve_fit", "--backend", "interpreter", "--quiet"]
        out, _ = self.run_installed(["-m", "thallo", *solve], "/nonexistent")
        self.assertIn("cost", out)
        self.assertTrue((self.site / "bin" / "thallo").exists(), "the script of the entry point")


def make_wheel(folder):
    def run(*command):
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    prefix = folder / "prefix"
    run(CMAKE, "--install", BUILD, "--prefix", str(prefix))
    binaries = [
        path
        for part in ("bin/thallo", "lib/libthallo_*.so", "lib/thallo/*/*.so")
        for path in sorted(glob.glob(str(prefix / part)))
    ]
    run(
        CMAKE,
        f"-DCMAKE_INSTALL_PREFIX={prefix}",
        f"-DTHALLO_BINARIES={';'.join(binaries)}",
        "-DTHALLO_BUNDLE_RUNTIME=ON",
        "-P",
        SOURCE + "/core/cmake/ThalloBundle.cmake",
    )
    return pathlib.Path(
        run(
            sys.executable,
            SOURCE + "/core/python/wheel/make_wheel.py",
            str(prefix),
            str(folder / "wheel"),
        ).strip()
    )


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
