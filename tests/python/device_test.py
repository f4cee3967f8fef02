"""The package thallo on arrays in the memory of a GPU, of every library that is there."""

import ctypes
import ctypes.util
import sys
import unittest

try:
    import numpy as np
except ImportError:
    print("numpy is not there: skipped")
    sys.exit(77)

import thallo

SMOOTH = """
local W, H, E = Dims("W", "H", "E")
Inputs { X = Unknown(thallo_float2, {W, H}), A = Array(float2, {W, H}), w = Param(float),
         from = Sparse({E}, {W, H}), to = Sparse({E}, {W, H}) }
local x, y, e = W(), H(), E()
Residuals { fit = w * (X(x, y) - A(x, y)), smooth = X(from(e)) - X(to(e)) }
"""


def libraries():
    """The libraries with arrays on the GPU: a name, and what makes such an array of a numpy one."""
    found = []
    try:
        import torch

        if torch.cuda.is_available():
            found.append(("torch", lambda array: torch.from_numpy(array).cuda()))
    except ImportError:
        pass
    try:
        import cupy

        found.append(("cupy", cupy.asarray))
    except ImportError:
        pass
    try:
        ctypes.CDLL("libcuda.so.1")
        found.append(("the driver", Raw))
    except OSError:
        pass
    return found


class Raw:
    """An array of the driver's own, which only says where it is."""

    _cuda = None

    def __init__(self, array):
        if Raw._cuda is None:
            Raw._cuda = ctypes.CDLL("libcuda.so.1")
            context = ctypes.c_void_p()
            assert Raw._cuda.cuInit(0) == 0
            assert Raw._cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
            assert Raw._cuda.cuCtxSetCurrent(context) == 0
        array = np.ascontiguousarray(array)
        self.shape, self.dtype, self.nbytes = array.shape, array.dtype, array.nbytes
        self._address = ctypes.c_uint64()
        assert Raw._cuda.cuMemAlloc_v2(ctypes.byref(self._address), array.nbytes) == 0
        assert (
            Raw._cuda.cuMemcpyHtoD_v2(
                self._address, array.ctypes.data_as(ctypes.c_void_p), array.nbytes
            )
            == 0
        )

    def __del__(self):
        Raw._cuda.cuMemFree_v2(self._address)

    @property
    def __cuda_array_interface__(self):
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self._address.value, False),
            "version": 3,
            "strides": None,
            "stream": None,
        }

    def get(self):
        array = np.empty(self.shape, self.dtype)
        assert (
            Raw._cuda.cuMemcpyDtoH_v2(
                array.ctypes.data_as(ctypes.c_void_p), self._address, self.nbytes
            )
            == 0
        )
        return array


def on_host(array):
    return array.cpu().numpy() if hasattr(array, "cpu") else array.get()


class OnTheGpu(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        height, width = 31, 48
        random = np.random.default_rng(7)
        cls.image = random.random((height, width, 2)).astype(np.float32)
        y, x = np.mgrid[:height, :width].astype(np.int32)
        pixels = np.stack([x, y], -1)
        cls.maps = {
            "from": np.ascontiguousarray(pixels[:, :-1].reshape(-1, 2)),
            "to": np.ascontiguousarray(pixels[:, 1:].reshape(-1, 2)),
        }
        solver = thallo.Solver(SMOOTH, backend="cpu", schedule="default")
        cls.expected = solver.solve(A=cls.image, w=2, **cls.maps)["X"].copy()

    def check(self, array):
        np.testing.assert_allclose(on_host(array), self.expected, atol=1e-4)

    def test_unknowns_are_solved_in_place_and_nothing_moves(self):
        for name, make in libraries():
            with self.subTest(name):
                solver = thallo.Solver(SMOOTH, backend="cuda", schedule="default")
                x, a = make(np.zeros_like(self.image)), make(self.image)
                maps = {key: make(value) for key, value in self.maps.items()}
                first = solver.solve(X=x, A=a, w=2, **maps)
                self.assertIs(first["X"], x)
                self.check(x)
                zero = make(np.zeros_like(self.image))
                second = solver.solve(X=zero)
                self.check(zero)
                self.assertEqual(second.bytes_moved, first.bytes_moved)

    def test_views_and_doubles_are_taken(self):
        for name, make in libraries():
            if name == "the driver":
                continue  # it has no views
            with self.subTest(name):
                wide = np.zeros((31, 100, 2))
                wide[:, 2:98:2] = self.image
                view = make(wide)[:, 2:98:2]
                x = make(np.zeros((31, 48, 2)))
                solver = thallo.Solver(SMOOTH, backend="cuda", schedule="default")
                solver.solve(X=x, A=view, w=2, **self.maps)
                self.check(x)

    def test_steps_see_what_was_written_in_between(self):
        for name, make in libraries():
            with self.subTest(name):
                solver = thallo.Solver(SMOOTH, backend="cuda", schedule="default")
                x = make(np.zeros_like(self.image))
                solver.begin(X=x, A=make(self.image + 1), w=2, **self.maps)
                solver.step()
                other = make(self.image)
                while solver.step(A=other):
                    pass
                solver.finish()
                self.check(x)

    def test_work_on_the_stream_of_torch_is_waited_for(self):
        try:
            import torch
        except ImportError:
            self.skipTest("torch is not there")
        if not torch.cuda.is_available():
            self.skipTest("torch has no GPU")
        solver = thallo.Solver(SMOOTH, backend="cuda", schedule="default")
        right = torch.from_numpy(self.image).cuda()
        x, a = torch.zeros_like(right), torch.full_like(right, 100.0)
        solver.solve(X=x, A=a, w=2, **self.maps)
        x.zero_()
        stream = torch.cuda.Stream()
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(2_000_000_000)  # about a second of the GPU's clock
            a.copy_(right)
            solver.solve(X=x)
        self.check(x)

    def test_what_cannot_be_used_is_refused_by_name(self):
        for name, make in libraries():
            with self.subTest(name):
                solver = thallo.Solver(SMOOTH, backend="cuda", schedule="default")
                with self.assertRaisesRegex(thallo.InputError, "'A' has the shape .31, 48"):
                    solver.bind(A=make(self.image[..., 0]))
                with self.assertRaisesRegex(thallo.InputError, "dim 'W' is 47 by .* and 48 by"):
                    solver.solve(X=make(self.image), A=make(self.image[:, :-1]), w=1, **self.maps)
                with self.assertRaisesRegex(thallo.InputError, "'A' has dtype float16"):
                    solver.bind(A=make(self.image.astype(np.float16)))
                host = thallo.Solver(SMOOTH, backend="cpu", schedule="default")
                with self.assertRaisesRegex(thallo.InputError, "which only backend cuda takes"):
                    host.solve(A=make(self.image), w=2, **self.maps)


if __name__ == "__main__":
    if not libraries():
        print("no library has arrays on a GPU: skipped")
        sys.exit(77)
    unittest.main()
