//! The table of predicted efficiency in `docs/cluster.md` is what its formula says.

const DOCS: &str = include_str!("../../docs/cluster.md");

/// `T(P)` of one iteration over 1e9 rows: a node makes `rate` rows a second, exchanges have these payloads.
fn seconds(nodes: f64, rate: f64, payloads: &[f64]) -> f64 {
    let messages = 2.0 * nodes.log2().ceil();
    1e9 / (nodes * rate) + payloads.iter().map(|b| messages * (1e-5 + b / 3.125e9)).sum::<f64>()
}

#[test]
fn the_table_is_the_formula() {
    let kmeans = |k: f64, d: f64| 16.0 * k * d + 33.0 * k + 41.0;
    let full = |k: f64, d: f64| 8.0 * k * d * d + 16.0 * k * d + 8.0 * k + 65.0;
    let diagonal = |k: f64, d: f64| 24.0 * k * d + 8.0 * k + 65.0;
    let p = 21.0;
    let newton = 8.0 + 8.0 * (2.0 + p + p * p);
    let scoring = vec![8.0 * p + 8.0, 1.0, 8.0, 8.0 * p * p + 8.0];
    let models = [
        ("k-means, K = 10, d = 20", 2e8, vec![kmeans(10.0, 20.0)]),
        ("Gaussian mixture, diagonal, K = 10, d = 20", 2e7, vec![diagonal(10.0, 20.0)]),
        ("Gaussian mixture, full, K = 10, d = 20", 5e6, vec![full(10.0, 20.0)]),
        ("Gaussian mixture, full, K = 100, d = 100", 2e4, vec![full(100.0, 100.0)]),
        ("logistic regression, d = 20", 5e7, vec![newton]),
        ("GLM, d = 20", 5e7, scoring),
        ("Falkon, 10,000 landmarks, d = 20", 5e5, vec![80_008.0]),
    ];
    for (name, rate, payloads) in models {
        let line = DOCS.lines().find(|line| line.starts_with(&format!("| {name} |")));
        let cells: Vec<&str> = line.unwrap_or_else(|| panic!("{name}")).split('|').map(str::trim).collect();
        assert_eq!(cells[2].parse::<f64>().unwrap(), rate, "{name}");
        assert_eq!(cells[3].replace(',', "").parse::<f64>().unwrap(), payloads.iter().sum::<f64>(), "{name}");
        for (cell, nodes) in cells[4..8].iter().zip([1.0, 10.0, 100.0, 1000.0]) {
            let share = seconds(1.0, rate, &payloads) / (nodes * seconds(nodes, rate, &payloads));
            assert_eq!(*cell, format!("{:.2} %", 100.0 * share), "{name} on {nodes}");
        }
    }
}
