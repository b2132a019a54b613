#!/usr/bin/env python3
"""Rewrites all files here but golden.txt from the JSON files that the other programs left.

    python3 tests/oracle/generate.py            rewrite the files
    python3 tests/oracle/generate.py --verify   fail if a file would change

The JSON files are not part of this repository: they are read from ../shared/oracles, beside the
repository, or from the directory given as last argument. Without them the script says so and changes nothing. golden.txt has no JSON source: its
numbers are closed forms, and check_golden.py recomputes them.

Format. `#` starts a comment line. `case NAME` opens a case. Every other line is `key value value …`,
values parted by one blank; a key that is repeated continues on its next line (one line per matrix row).
Numbers are the shortest text that reads back as the same f64.
"""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
FOLDERS = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
SOURCE = pathlib.Path(FOLDERS[-1]) if FOLDERS else HERE.parent.parent.parent / "shared" / "oracles"
# Its formula is not the periodic kernel and not positive definite.
LEFT_OUT = {"expSine"}


def load(name):
    with open(SOURCE / f"{name}.json", encoding="utf-8") as file:
        return json.load(file)


def line(key, values):
    if isinstance(values, str):
        return f"{key} {values}"
    if not isinstance(values, list):
        values = [values]
    return " ".join([key] + ["inf" if v is None else repr(v) if isinstance(v, float) else str(v) for v in values])


def matrix(key, rows):
    return [line(key, row) for row in rows]


def coincident(data):
    """Test points that equal a training input.

    pyGPGO puts the noise where the distance is zero, not where the sample is the same, so its numbers
    at such points belong to another model.
    """
    return {j for j, star in enumerate(data["Xstar"]) if star in data["X"]}


def without(values, dropped):
    return [value for j, value in enumerate(values) if j not in dropped]


def data_cases(inputs, dropped):
    out = []
    for name, data in sorted(inputs.items()):
        out += ["", f"case data/{name}"]
        out += matrix("x", data["X"])
        if "y" in data:
            out.append(line("y", data["y"]))
        out += matrix("xstar", without(data["Xstar"], dropped[name]))
    return out


def setting(params):
    return "_".join(f"{name}{value:g}" for name, value in params.items())


def opened(kernel, data, params, *rest):
    """The first lines of a case."""
    return [
        "",
        "case " + "/".join((kernel, setting(params), *rest)),
        line("kernel", kernel),
        line("data", data),
        *(line(name, value) for name, value in params.items()),
    ]


def covfunc():
    source = load("pygpgo_covfunc")
    data = {"2d": {"X": source["inputs"]["X"], "Xstar": source["inputs"]["Xstar"]}}
    dropped = {name: coincident(d) for name, d in data.items()}
    out = [
        f"# Covariance matrices of pyGPGO {source['versions']['pyGPGO']} (scipy {source['versions']['scipy']}).",
        "# k = sigmaf·k0(r) + sigman·[same sample]; sigmaf and sigman are variances.",
        "# gram: K(x, x) with sigman on the diagonal. cross: K(x, xstar), one row per x.",
        "# slope_P: dK(x, x)/dP by central differences of pyGPGO's own K (good to about 1e-8); its coded",
        "# gradients are wrong in places. Slopes by sigmaf and sigman are left out: they are gram/sigmaf and I.",
        "# Left out: expSine (not positive definite), test points equal to a training input (noise counted twice).",
    ]
    out += data_cases(data, dropped)
    for kernel in source["kernels"]:
        if kernel["kernel"] in LEFT_OUT:
            continue
        out += opened(kernel["kernel"], "2d", kernel["params"])
        out += matrix("gram", kernel["K_XX"])
        out += matrix("cross", [without(row, dropped["2d"]) for row in kernel["K_XXs"]])
        for name, rows in kernel["dK_XX_numeric"].items():
            if name not in ("sigmaf", "sigman"):
                out += matrix(f"slope_{name}", rows)
    return out


def pygpgo_gp():
    source = load("pygpgo_gp")
    dropped = {name: coincident(d) for name, d in source["inputs"].items()}
    out = [
        f"# Gaussian process regression by pyGPGO {source['versions']['pyGPGO']} (numpy {source['versions']['numpy']}).",
        "# Model as in pygpgo_covfunc.txt with the constant mean `prior`. mean and noisy_variance at xstar; the latter",
        "# is that of a new observation: it contains sigman. logp: log marginal likelihood computed exactly from",
        "# pyGPGO's K (its own ignores the mean). slope_logp: its gradient by central differences, order of `slopes`.",
        "# condition: ‖K‖‖K⁻¹‖; expect a relative error near condition·1e-16, and 1e-6 for slopes where it is large.",
        "# Left out: expSine (not positive definite), test points equal to a training input (noise counted twice).",
    ]
    out += data_cases(source["inputs"], dropped)
    for case in source["cases"]:
        if case["kernel"] in LEFT_OUT:
            continue
        data = case["data"]
        out += opened(case["kernel"], data, case["params"], data, f"prior{case['mprior']:g}")
        out += [
            line("prior", case["mprior"]),
            line("mean", without(case["mean"], dropped[data])),
            line("noisy_variance", without(case["var"], dropped[data])),
            line("logp", case["logp_exact"]),
        ]
        slopes = case.get("grad_logp_numeric")
        if slopes:
            out += [line("slopes", list(slopes)), line("slope_logp", list(slopes.values()))]
        out.append(line("condition", case["K_condition"]))
    return out


def acquisition():
    source = load("pygpgo_acquisition")
    out = [
        f"# Acquisitions of pyGPGO {source['versions']['pyGPGO']} (scipy {source['versions']['scipy']}), which MAXIMISES: tau is the largest value seen.",
        f"# With e = {source['eps']:g}: z = (mean - tau - e)/(std + e); pi = Φ(z); ei = (mean - tau)·Φ(z) + std·φ(z);",
        "# ucb_B = mean + B·std. To minimise, pass (-tau, -mean, std); its e must be put into z to agree to 1e-10.",
        "# tei_N: exact expected improvement under a Student-t of N degrees with location mean and scale std (no e),",
        "# checked by quadrature to 3e-12. entropy_N: ½ ln 2πe(std² + N), N a variance of the noise.",
        "# Left out: its own expected improvement under a Student-t (a factor is wrong), and its vector call (likewise).",
    ]
    for number, point in enumerate(source["pointwise"]):
        out += ["", f"case {number}"]
        out += [
            line("tau", point["tau"]),
            line("mean", point["mean"]),
            line("std", point["std"]),
            line("pi", point["ProbabilityImprovement"]),
            line("ei", point["ExpectedImprovement"]),
            line("ucb_1.5", point["UCB"]),
            line("ucb_2.5", point['UCB{"beta": 2.5}']),
            line("entropy_1", point["Entropy"]),
            line("entropy_0.3", point['Entropy{"sigman": 0.3}']),
            line("tei_3", point["tEI_exact_nu3"]),
            line("tei_7", point["tEI_exact_nu7"]),
        ]
    integrated = source["integrated"]
    out += ["", "case integrated"]
    out += [
        line("tau", integrated["tau"]),
        line("mean", integrated["mean"]),
        line("std", integrated["std"]),
        line("ei", integrated["IntegratedExpectedImprovement"]),
        line("pi", integrated["IntegratedProbabilityImprovement"]),
        line("ucb_1.5", integrated["IntegratedUCB"]),
    ]
    return out


def mgfi():
    source = load("mipego_mgfi")
    out = [
        f"# The moment-generating function of improvement by {source['source']}, which minimises.",
        "# Each row: t, its value, ln M(t) = ln Φ(z + t·std) + t·(best - mean - 1) + t²·std²/2, z = (best - mean)/std.",
        "# Its value is 0 where it overflows or std is near 0; elsewhere it agrees with the logarithm to 1e-10.",
    ]
    for number, point in enumerate(source["pointwise"]):
        out += ["", f"case {number}"]
        out += [line("best", point["fmin"]), line("mean", point["mu"]), line("std", point["sigma"])]
        out += [
            line("row", [float(t), point["MGFI"][t], log]) for t, log in point["MGFI_exact_log"].items()
        ]
    return out


def student():
    source = load("pygpgo_tstudent")
    dropped = {name: coincident(d) for name, d in source["inputs"].items()}
    out = [
        f"# Student-t processes by pyGPGO {source['versions']['pyGPGO']} and scipy {source['versions']['scipy']} multivariate_t, 3 and 7 degrees of freedom.",
        "# Model as in pygpgo_gp.txt, zero mean; K = K(x, x) with sigman on the diagonal. beta: yᵀK⁻¹y. mean: of both at xstar.",
        "# cov_N: (N + beta - 2)/(N + n - 2) times the covariance of new observations at xstar: sigman is in its diagonal.",
        "# logp_N: log density of y if K is the covariance (scipy's shape is K·(N - 2)/N); scale_logp_N: if K is the shape.",
        "# condition: ‖K‖‖K⁻¹‖. expSine: exp(-4 sin(πr/period)/l) + 1e-4, no sigman; it is no kernel, but these two K are positive definite.",
        "# Left out: pyGPGO's own log density (it is wrong), test points equal to a training input (noise counted twice).",
    ]
    out += data_cases(source["inputs"], dropped)
    for case in source["cases"]:
        data, three, seven = case["data"], case["nu3"], case["nu7"]
        if three["beta1"] != seven["beta1"] or three["mean"] != seven["mean"]:
            raise ValueError(f"{case['kernel']}: beta and mean depend on the degrees of freedom")
        out += opened(case["kernel"], data, case["params"], data)
        out += [line("beta", three["beta1"]), line("mean", without(three["mean"], dropped[data]))]
        for name, values in (("3", three), ("7", seven)):
            out += matrix(
                f"cov_{name}", [without(row, dropped[data]) for row in without(values["cov"], dropped[data])]
            )
            out.append(line(f"logp_{name}", values["logp_scipy_shape_is_K_times_nu_minus_2_over_nu"]))
            out.append(line(f"scale_logp_{name}", values["logp_scipy_shape_is_K"]))
        out.append(line("condition", case["K_condition"]))
    return out


def warp():
    source = load("scipy_beta_warp")
    out = [
        "# The beta distribution by scipy: cdf(x) and pdf(x) for the shapes a and b; the pdf is inf at an end where it has a pole.",
        "",
        "case x",
        line("x", source["x"]),
    ]
    for case in source["betacdf"]:
        out += ["", f"case beta/{case['a']:g}/{case['b']:g}"]
        out += [line("a", case["a"]), line("b", case["b"]), line("cdf", case["cdf"]), line("pdf", case["pdf"])]
    return out


def gpy():
    source = load("gpy_gp")
    out = [
        f"# Gaussian process regression by GPy {source['versions']['GPy']} (zero mean).",
        "# It adds 1e-8 to the diagonal: with noise + 1e-8 expect agreement near 1e-12, with noise alone 1e-6.",
        "# Distances are ARD: r² = Σ ((x - x')/lengthscale)². RatQuad: variance·(1 + r²/2)^-power.",
        "# StdPeriodic: variance·exp(-½ Σ sin²(π(x - x')/period)/lengthscale²). Linear: variances·xᵀx'. noise: a variance.",
        "# logp: log marginal likelihood. slope_logp: its gradient by the natural parameters, order of `slopes`.",
        "# mean and latent_variance (without noise) at xstar.",
    ]
    out += data_cases(source["inputs"], {name: set() for name in source["inputs"]})
    for case in source["cases"]:
        out += ["", f"case {case['kernel']}/{case['data']}"]
        out += [line("kernel", case["kernel"]), line("data", case["data"])]
        out += [line(name, value) for name, value in case["params"].items()]
        order = [name.split(".", 2)[-1] if ".Gaussian_noise." not in name else "noise" for name in case["param_order"]]
        order = [name.replace("[[", "_").replace("]]", "") for name in order]
        out += [
            line("noise", case["noise"]),
            line("logp", case["log_likelihood"]),
            line("slopes", order),
            line("slope_logp", case["grad_natural_params"]),
            line("mean", case["mean"]),
            line("latent_variance", case["var_latent"]),
        ]
    return out


def arc():
    source = load("gpytorch_arc")
    out = [
        f"# The arc kernel of gpytorch {source['versions']['gpytorch']}, unit variance; a coordinate whose active is 0 is in the centre of its circle.",
        "# g(x) = radius·(sin, cos)(π·angle·x/length); base: profile of the distance of all g, with length scale 1.",
        "# joint: base of the distance over all coordinates. product: the product of the base of each coordinate's distance.",
        "",
        "case data",
    ]
    out += matrix("x", source["X"]) + matrix("active", source["active_mask"])
    for number, case in enumerate(source["cases"]):
        out += ["", f"case {case['base']}/{number}", line("base", case["base"])]
        out += [line(name, case[name]) for name in ("angle", "radius")] + [line("length", case["lengthscale"])]
        out += matrix("joint", case["K_joint"]) + matrix("product", case["K_product"])
        for k, rows in enumerate(case["K_per_dimension"]):
            out += matrix(f"dimension_{k}", rows)
    return out


def conditional():
    source = load("conditional_kernels")
    out = [
        "# Kernels of a choice of three with one parameter each, the first coordinate the choice 0, 1, 2.",
        "# conditional: AIworx-Labs/chocolate, zero across branches, exp(-|Δ|²/2) over all four imputed coordinates within one.",
        "# se, se_imputed: exp(-|Δ|²/0.5), laplace_imputed: exp(-Σ|Δ|/0.75), by scikit-learn, the choice as 0, 0.5, 1.",
        "",
        "case kernels",
    ]
    out += matrix("x", source["X"]) + matrix("imputed", source["X_imputed"])
    for name, key in (
        ("conditional", "chocolate_ConditionalKernel_imputed"),
        ("se", "se_l0p5_eq5p5_unimputed"),
        ("se_imputed", "se_l0p5_eq5p5_imputed"),
        ("laplace_imputed", "laplace_l0p75_eq5p15_imputed"),
    ):
        out += matrix(name, source[key])
    return out


def main():
    if not SOURCE.is_dir():
        print(f"SKIPPED: no {SOURCE}: nothing to generate from or to compare with, nothing changed")
        return 0
    files = {
        "pygpgo_covfunc": covfunc,
        "pygpgo_gp": pygpgo_gp,
        "pygpgo_acquisition": acquisition,
        "gpy_gp": gpy,
        "mipego_mgfi": mgfi,
        "pygpgo_tstudent": student,
        "scipy_beta_warp": warp,
        "gpytorch_arc": arc,
        "conditional_kernels": conditional,
    }
    stale = []
    for name, make in files.items():
        path = HERE / f"{name}.txt"
        text = "\n".join(make()) + "\n"
        if "--verify" in sys.argv[1:]:
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                stale.append(path.name)
        else:
            path.write_text(text, encoding="utf-8")
    if stale:
        print("stale:", ", ".join(stale))
        return 1
    print(f"{len(files)} files {'agree with' if '--verify' in sys.argv[1:] else 'written from'} {SOURCE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
