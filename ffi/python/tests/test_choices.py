"""Models, treatments, warps, policies, batches and presets: each by its word, once."""

import itertools
import math

import infill
from infill import _abi
from infill import settings as _settings

from . import Case, told

SPACE = {"x": (-5.0, 10.0), "n": (1, 64, "log")}

#: Little work for each.
SMALL = {
    "search_global": 16,
    "search_local": 8,
    "search_starts": 1,
    "training_restarts": 0,
    "hyper_count": 3,
    "sampler_burn_in": 3,
    "policy_representers": 8,
    "policy_draws": 16,
    "policy_fantasies": 3,
    "policy_features": 16,
    "pending_draws": 8,
    "interleave_every": 0,
    "limits": {"features": 4, "trees": 6, "open": 4},
}


def loss(p):
    return (p["x"] - 2) ** 2 + (p["n"] - 7) ** 2 / 50


def words(choices):
    return [word.lower() for word in choices]


def every_choice():
    """Keywords, one choice at a time."""
    yield {}
    for model in words(_abi.MODEL):
        # Methods without a model have tests of their own.
        if _abi.MODEL["RANDOM"] <= _abi.MODEL[model.upper()] <= _abi.MODEL["MI_ES"]:
            continue
        yield {"model": model}
    for sampler in words(_abi.SAMPLER):
        yield {"hyper": "mcmc", "sampler": sampler}
    for warp in words(_abi.WARP):
        yield {"warp": warp}
    for policy in words(_abi.POLICY):
        yield {"policy": policy}
    yield {"policy": "max_value", "policy_minima": "gumbel"}
    for pending in words(_abi.PENDING):
        yield {"pending": pending, "acquisition": "log_mgf" if pending == "temperatures" else "log_improvement"}
    for cooling in words(_abi.COOLING):
        yield {"acquisition": "log_mgf", "cooling": cooling, "cooling_steps": 5}
    for targets in words(_abi.TRANSFORM):
        yield {"targets": targets}
    for search in words(_abi.SEARCH):
        yield {"search_method": search}
    for categories in words(_abi.CATEGORIES):
        yield {"categories": categories}
    for structure in words(_abi.STRUCTURE):
        yield {"structure": structure}
    for branches in words(_abi.BRANCHES):
        yield {"branches": branches}
    yield {"model": "random_forest", "forest_spread": "across", "forest_bootstrap": False, "forest_leaf": 1}


class Choices(Case):
    def test_each(self):
        for scalar, choice in itertools.product(("f64", "f32"), every_choice()):
            with self.subTest(scalar=scalar, **choice):
                optimizer = infill.Optimizer(SPACE, 16, seed=3, start=4, scalar=scalar, **dict(SMALL, **choice))
                told(optimizer, loss, 6)
                opened = [optimizer.ask() for _ in range(3)]
                self.assertEqual({trial.origin for trial in opened}, {"model"})
                self.assertTrue(all(math.isfinite(trial.acquisition) for trial in opened))
                for trial in opened:
                    optimizer.tell(trial, loss(trial.x))
                again = infill.Optimizer.from_bytes(optimizer.to_bytes(), SPACE)
                self.assertEqual(again.ask().x, optimizer.ask().x)
                optimizer.relearn()
                self.assertEqual((optimizer.closed, len(optimizer.trials("open"))), (9, 1))
                optimizer.ask()

    def test_words_become_fields(self):
        config = _settings.config({"hyper": "mcmc", "sampler": "whitened", "sampler_width": 0.5})
        self.assertEqual((config.hyper, config.sampler, config.sampler_width), (1, 3, 0.5))
        config = _settings.config({"limits": {"posteriors": 7, "trees": 9}, "model": "extra_trees"})
        self.assertEqual((config.limits.posteriors, config.limits.trees, config.model), (7, 9, 6))
        for wrong in ({"model": "oracle"}, {"policy": 3}, {"pending": "none"}, {"warp": "speed"}, {"cooling": ""}):
            self.assertRaises(ValueError, infill.Optimizer, SPACE, **wrong)

    def test_refused(self):
        for code, wrong in (
            (infill.ERROR_CONFIG, {"model": "student", "model_freedom": 1.0}),
            (infill.ERROR_CONFIG, {"hyper": "mcmc", "hyper_count": 33}),
            (infill.ERROR_CONFIG, {"pending": "fantasies", "pending_draws": 0}),
            (infill.ERROR_UNSUPPORTED, {"model": "random_forest", "warp": "beta"}),
            (infill.ERROR_UNSUPPORTED, {"pending": "temperatures"}),
            (infill.ERROR_LIMITS, {"hyper": "mcmc", "limits": {"posteriors": 1}}),
        ):
            with self.subTest(**wrong):
                self.refused(code, infill.Optimizer, SPACE, **wrong)

    def test_presets(self):
        names = infill.presets()
        self.assertEqual(names[0], "default")
        self.assertEqual(bytes(_settings.config({"preset": "default"})), bytes(_settings.config({})))
        for name in names:
            result = infill.minimize(loss, SPACE, 8, seed=1, preset=name, limits={"trees": 10}, search_global=32)
            self.assertEqual(len(result.history), 8, name)
        # A keyword counts more than the preset, wherever it stands.
        config = _settings.config({"hyper_count": 4, "preset": "spearmint"})
        self.assertEqual((config.hyper, config.hyper_count), (1, 4))
        for wrong in ("Default", "", b"default", 1, ["default"]):
            self.assertRaises(ValueError, infill.Optimizer, SPACE, preset=wrong)
