"""Kernels, processes, designs and acquisitions; test_golden.py has the values of each kernel and acquisition."""

import math
import pickle

import infill
from infill import kernels

from . import Case


class Kernels(Case):
    def test_kernels_are_pickled(self):
        for kernel in (kernels.scale(kernels.matern12(on=[0])) + kernels.polynomial(3, bias=False), kernels.arc(angle=0.4)):
            theta, a, b = kernel.start(2), [0.3, 1.0], [0.7, 0.2]
            self.assertEqual(pickle.loads(pickle.dumps(kernel))(theta, a, b), kernel(theta, a, b))

    def test_gradient_and_gram(self):
        kernel = kernels.scale(kernels.squared_exponential(ard=True))
        theta, a, b = [0.1, -0.2, 0.3], [0.3, 1.0], [0.7, 0.2]
        value, by_theta, by_a = kernel.gradient(theta, a, b)
        self.assertEqual(kernel.thetas(2), 3)
        step = 1e-6
        # A central difference of a smooth function of order one: error step² ~ 1e-12, rounding 1e-16/step ~ 1e-10.
        for i in range(2):
            up, down = list(a), list(a)
            up[i], down[i] = a[i] + step, a[i] - step
            self.assertAlmostEqual(by_a[i], (kernel(theta, up, b) - kernel(theta, down, b)) / (2 * step), delta=1e-9)
        for i in range(3):
            up, down = list(theta), list(theta)
            up[i], down[i] = theta[i] + step, theta[i] - step
            self.assertAlmostEqual(by_theta[i], (kernel(up, a, b) - kernel(down, a, b)) / (2 * step), delta=1e-9)
        gram = kernel.gram(theta, [a, b, a])
        self.assertEqual(gram[0][1], value)
        self.assertEqual(gram[1], [row[1] for row in gram])
        self.assertEqual(kernel.gram(theta, []), [])

    def test_hyperparameters(self):
        kernel = kernels.matern52(length=kernels.Hyper(0.5, 0.1, 2.0, prior_mean=-1.0, prior_sd=0.5))
        self.assertAlmostEqual(kernel.start(1)[0], math.log(0.5), delta=1e-15)
        self.refused(infill.ERROR_THETA, kernels.matern52(length=kernels.Hyper(5.0, 0.1, 2.0)).start, 1)

    def test_what_is_refused(self):
        self.refused(infill.ERROR_KERNEL, kernels.matern52(on=[1, 0]).thetas, 2)
        self.refused(infill.ERROR_SHAPE, kernels.matern52(), [0.0, 0.0], [1.0], [1.0])
        self.refused(infill.ERROR_NOT_FINITE, kernels.matern52(), [math.nan], [1.0], [1.0])
        for on in ([], [-1], [2**16]):
            self.assertRaises(ValueError, kernels.matern52, on=on)
        for on in (3, ["a"], [0.5]):
            self.assertRaises(TypeError, kernels.matern52, on=on)
        self.assertRaises(TypeError, lambda: kernels.constant() + 1)
        self.assertRaises(TypeError, kernels.constant, variance="1")
        self.assertRaises(ValueError, kernels.matern52(), [0.0], [1.0], [1.0, 2.0])


class Process(Case):
    def filled(self, kernel=None, **settings):
        gp = infill.Gp(kernel or kernels.squared_exponential(), dims=1, rows=20, batch=4, **settings)
        for i in range(8):
            gp.push([i / 2], math.sin(i / 2))
        return gp

    def test_one_observation_by_hand(self):
        gp = infill.Gp(kernels.squared_exponential(length=1.0), dims=1, rows=3, noise=0.5)
        gp.push([0.0], 3.0)
        gp.fit()
        k = math.exp(-0.5)
        prediction = gp.predict([1.0])
        # Closed forms in a few operations.
        self.assertAlmostEqual(prediction.mean, k / 1.5 * 3, delta=1e-13)
        self.assertAlmostEqual(prediction.variance, 1 - k * k / 1.5, delta=1e-13)
        evidence = -0.5 * (9 / 1.5 + math.log(1.5) + math.log(2 * math.pi))
        self.assertAlmostEqual(gp.evidence(), evidence, delta=1e-13)

    def test_rows_come_and_go(self):
        gp = self.filled(noise=1e-4)
        gp.fit()
        before = gp.predict([1.25])
        gp.extend([9.0], 1.0)
        self.assertEqual(len(gp), 9)
        gp.remove(8)
        after = gp.predict([1.25])
        self.assertAlmostEqual(after.mean, before.mean, delta=1e-9)
        gp.clear()
        self.assertEqual(len(gp), 0)
        for call in (gp.fit, lambda: gp.predict([1.0])):
            self.refused(infill.ERROR_NO_DATA, call)

    def test_training(self):
        gp = self.filled(noise=(1e-4, 1e-8, 1.0))
        gp.fit()
        before = gp.evidence()
        self.assertEqual(gp.train(seed=1, restarts=1, objective="evidence") >= before, True)
        value, gradient = gp.evidence(gradient=True)
        self.assertEqual(value, gp.evidence())
        self.assertEqual(len(gradient), len(gp.theta))
        self.assertLess(abs(gp.predict([1.25]).mean - math.sin(1.25)), 0.01)
        self.assertRaises(TypeError, gp.train, colour=1)
        self.assertRaises(ValueError, gp.train, objective="luck")
        self.assertRaises(ValueError, gp.train, seed=-1)

    def test_hyperparameters(self):
        gp = self.filled(noise=(1e-4, 1e-8, 1.0), trend="linear")
        gp.theta = [0.3, math.log(1e-3)]
        self.assertEqual(gp.theta, [0.3, math.log(1e-3)])
        gp.set_noise(1e-2)
        self.assertAlmostEqual(math.exp(gp.theta[1]), 1e-2, delta=1e-16)
        gp.fit()
        self.assertEqual(len(gp.trend), 2)
        self.assertEqual(gp.jitter, 0.0)
        self.assertTrue(math.isfinite(gp.likelihood))
        self.refused(infill.ERROR_SHAPE, setattr, gp, "theta", [0.3])

    def test_joint(self):
        gp = self.filled(noise=1e-4)
        gp.fit()
        points = [[0.1], [1.3], [5.0]]
        means, matrix = gp.predict_joint(points)
        for i, point in enumerate(points):
            alone = gp.predict(point)
            self.assertAlmostEqual(means[i], alone.mean, delta=1e-12)
            self.assertAlmostEqual(matrix[i][i], alone.variance, delta=1e-12)
        self.assertEqual(gp.sample(points, seed=3), gp.sample(points, seed=3))
        self.assertNotEqual(gp.sample(points, seed=3), gp.sample(points, seed=4))
        prediction, by_mean, by_variance = gp.predict_gradient([1.3])
        self.assertAlmostEqual(prediction.mean, means[1], delta=1e-12)
        self.assertAlmostEqual(by_mean[0], math.cos(1.3), delta=0.05)
        self.assertEqual(len(by_variance), 1)
        self.refused(infill.ERROR_SHAPE, gp.predict_joint, [[0.0]] * 5)

    def test_a_covariance_of_ones_own_is_the_kernel_it_copies(self):
        def eval(theta, a, b):
            return math.exp(-0.5 * ((a[0] - b[0]) / math.exp(theta[0])) ** 2)

        def gradient(theta, a, b):
            return [eval(theta, a, b) * ((a[0] - b[0]) / math.exp(theta[0])) ** 2]

        def gradient_x(theta, a, b):
            return [-eval(theta, a, b) * (a[0] - b[0]) / math.exp(2 * theta[0])]

        own = infill.Covariance(eval, [0.0], [-3.0], [3.0], gradient, gradient_x)
        mine, theirs = self.filled(own, noise=1e-4), self.filled(kernels.squared_exponential(length=1.0), noise=1e-4)
        for gp in (mine, theirs):
            gp.fit()
        self.assertAlmostEqual(mine.predict([1.25]).mean, theirs.predict([1.25]).mean, delta=1e-9)
        self.assertAlmostEqual(mine.predict_gradient([1.3])[1][0], theirs.predict_gradient([1.3])[1][0], delta=1e-9)
        mine.train()
        self.assertNotEqual(mine.theta[0], 0.0)

    def test_an_exception_in_a_covariance_comes_out(self):
        class Broken(Exception):
            pass

        def eval(theta, a, b):
            raise Broken

        gp = self.filled(infill.Covariance(eval))
        self.assertRaises(Broken, gp.fit)
        gp = self.filled(infill.Covariance(lambda theta, a, b: "text"))
        self.assertRaises(TypeError, gp.fit)

    def test_what_is_refused(self):
        kernel = kernels.matern52()
        for wrong in ({"rows": 0}, {"dims": 0}, {"batch": 0}, {"rows": 2**40}):
            self.refused(infill.ERROR_LIMITS, infill.Gp, kernel, **{"dims": 1, "rows": 3, **wrong})
        for wrong in ({"noise": (1.0, 2.0)}, {"trend": "cubic"}, {"scalar": "f16"}, {"rows": -1}):
            self.assertRaises(ValueError, infill.Gp, kernel, **{"dims": 1, "rows": 3, **wrong})
        self.assertRaises(TypeError, infill.Gp, None, 1, 3)
        gp = self.filled()
        for x, y, expected in (([1.0, 2.0], 1.0, "SHAPE"), ([math.nan], 1.0, "NOT_FINITE"), ([1.0], math.inf, "NOT_FINITE")):
            self.refused(getattr(infill, "ERROR_" + expected), gp.push, x, y)
        self.refused(infill.ERROR_SHAPE, gp.remove, 8)
        self.assertEqual(len(gp), 8)


class Parts(Case):
    def test_designs(self):
        space = {"x": (-5.0, 10.0), "n": (1, 4), "c": ["a", "b"]}
        for kind in ("uniform", "latin_hypercube", "sobol", "halton", "grid"):
            points = infill.design(space, 8, kind, seed=1)
            self.assertEqual(len(points), 8)
            self.assertTrue(all(-5 <= p["x"] <= 10 and p["n"] in range(1, 5) and p["c"] in "ab" for p in points))
            self.assertEqual(points, infill.design(space, 8, kind, seed=1))
        thirds = sorted(int(x[0] * 10) for x in infill.design([(0.0, 1.0)], 10, "latin_hypercube"))
        self.assertEqual(thirds, list(range(10)))
        without = infill.Space(space, forbidden=[[infill.Term("x", between=(-4.0, 10.0))]])
        self.assertTrue(all(p["x"] < -4 for p in infill.design(without, 20, "grid")))
        self.assertEqual(infill.design(space, 0, total=4), [])
        self.refused(infill.ERROR_SHAPE, infill.design, space, 8, total=4)
        self.assertRaises(ValueError, infill.design, space, 8, "luck")

    def test_acquisitions(self):
        self.assertEqual(infill.score(0.5, 1.0, 1.0), infill.score(0.5, 1.0, 1.0, "log_improvement"))
        self.assertGreater(infill.bound_schedule(20, 2, 0.1), infill.bound_schedule(2, 2, 0.1))
        self.refused(infill.ERROR_CONFIG, infill.bound_schedule, 1, 2, 1.0)
