//! A document of Python's ConfigSpace gives the space, the vectors and the defaults that Python's ConfigSpace gives.
//!
//! The document and the vectors (ConfigSpace 1.2.2) are published data without a licence, so that they are read where
//! they lie beside the repository and are no part of it.

use infill::configspace::{Document, Value};
use infill::{Config, Optimizer};
use infill_tests::metadata::shared;

#[test]
fn vectors_are_those_of_configspace() {
    let (Some(document), Some(vectors)) =
        (shared("data/configspace_cash_example.json"), shared("oracles/configspace_vectors.json"))
    else {
        return;
    };
    let document = Document::read(&document).unwrap();
    let vectors = vectors.parse::<Value>().unwrap();
    let samples = vectors.as_array().unwrap();
    assert_eq!(samples.len(), 4);
    for sample in samples {
        let order = sample.get("order").and_then(Value::as_array).unwrap();
        let names: Vec<&str> = document.parameters().iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, order.iter().map(|name| name.as_str().unwrap()).collect::<Vec<_>>());
        let Some(Value::Object(values)) = sample.get("values") else { panic!("no values") };
        let named: Vec<(&str, Value)> = values.iter().map(|(n, v)| (n.as_str(), v.clone())).collect();
        let point = document.point(&named).unwrap();
        let found = document.vector(&point).unwrap();
        let expected = sample.get("vector").and_then(Value::as_array).unwrap();
        assert_eq!(found.len(), expected.len());
        for ((found, expected), name) in found.iter().zip(expected).zip(&names) {
            match (found, expected.as_f64()) {
                (Some(found), Some(expected)) => {
                    assert!((found - expected).abs() < 1e-9, "{name} {found} {expected}")
                }
                (found, expected) => assert_eq!((*found, expected), (None, None), "{name}"),
            }
        }
        // What is inactive has no value, and what has one is named as it was.
        for ((value, parameter), place) in
            document.configuration(&point).unwrap().iter().zip(document.parameters()).zip(0..)
        {
            let given = values.get(&parameter.name);
            match (value, given) {
                (Some(value), Some(given)) => assert!(
                    value == given || value.as_f64().is_some_and(|v| given.as_f64() == Some(v)),
                    "{}",
                    parameter.name
                ),
                (value, given) => assert_eq!((value, given), (&None, None), "{place}"),
            }
        }
    }
}

/// The whole way: a document, its space, a run, and names for what was found.
#[test]
fn a_document_is_optimized() {
    let Some(text) = shared("data/configspace_cash_example.json") else { return };
    let document = Document::read(&text).unwrap();
    assert_eq!(Document::read(&document.write()).unwrap(), document);
    let best = document
        .with_space(|space| {
            let limits = space.limits(40);
            let config = Config { seed: 3, ..Config::default() };
            let mut optimizer =
                Optimizer::<f64, _>::new(space, &config, limits, vec![0; limits.words::<f64>()])?;
            let mut x = vec![0.0; space.dims()];
            for _ in 0..40 {
                let ask = optimizer.ask(&mut x)?;
                let values = document.configuration(&x)?;
                let named = |name: &str| {
                    let place = document.parameters().iter().position(|p| p.name == name).unwrap();
                    values[place].clone()
                };
                let text = |name: &str| named(name).map(|v| v.as_str().unwrap_or("").to_string());
                let degree = named("svm_degree").and_then(|v| v.as_i64());
                assert_ne!((text("svm_kernel").as_deref(), degree), (Some("poly"), Some(5)), "forbidden");
                // Best: a radial machine of C = 10 and gamma = 0.1.
                let loss = match text("algorithm").as_deref() {
                    Some("svm") => {
                        let c = named("svm_C").and_then(|v| v.as_f64()).unwrap();
                        let gamma = named("svm_gamma").and_then(|v| v.as_f64());
                        let width = gamma.map_or(1.0, |g| (g.log10() + 1.0).powi(2) / 10.0);
                        (c.log10() - 1.0).powi(2) / 10.0 + width
                    }
                    Some("knn") => 0.5 + named("knn_k").and_then(|v| v.as_f64()).unwrap() / 100.0,
                    _ => 0.8,
                };
                optimizer.tell(ask.id, loss)?;
            }
            Ok(optimizer.best().unwrap().value)
        })
        .unwrap();
    assert!(best < 0.05, "{best}");
}
