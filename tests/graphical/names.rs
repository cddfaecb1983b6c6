//! Fields of named variables: the same tables, marginals and errors as by numbers.

use mercer::Error;
use mercer::models::graphical::{BayesNet, BeliefPropagation, Factor, JunctionTree, MarkovField, Node};

use crate::near;

/// Rain and sprinkler both wet the grass; the names are given in another order than the tables'.
fn garden() -> MarkovField {
    MarkovField::named(&[("grass", 2), ("rain", 3), ("sprinkler", 2)])
        .unwrap()
        .table(&["rain"], &[6.0, 3.0, 1.0])
        .unwrap()
        .table(&["sprinkler", "rain"], &[1.0, 2.0, 3.0, 4.0, 0.5, 0.25])
        .unwrap()
        .table(
            &["rain", "sprinkler", "grass"],
            &[9.0, 1.0, 2.0, 8.0, 3.0, 7.0, 1.0, 9.0, 1.0, 9.0, 0.0, 10.0],
        )
        .unwrap()
}

#[test]
fn names_stand_for_numbers() {
    let field = garden();
    assert_eq!(field.names(), ["grass", "rain", "sprinkler"]);
    assert_eq!((field.index("rain").unwrap(), field.sizes()[1]), (1, 3));
    let numbered = MarkovField::new(
        &[2, 3, 2],
        vec![
            Factor::new(&[1], &[3], &[6.0, 3.0, 1.0]).unwrap(),
            Factor::new(&[2, 1], &[2, 3], &[1.0, 2.0, 3.0, 4.0, 0.5, 0.25]).unwrap(),
            Factor::new(
                &[1, 2, 0],
                &[3, 2, 2],
                &[9.0, 1.0, 2.0, 8.0, 3.0, 7.0, 1.0, 9.0, 1.0, 9.0, 0.0, 10.0],
            )
            .unwrap(),
        ],
    )
    .unwrap();
    // p(x | grass = 1) by all three ways, and the name's own.
    let (seen, want) = (
        field.observe_named(&[("grass", 1)]).unwrap(),
        numbered.observe(&[(0, 1)]).unwrap().enumerate().unwrap(),
    );
    let exact = seen.enumerate().unwrap();
    near(exact.log_partition, want.log_partition, 1e-12);
    let beliefs = BeliefPropagation::new().run(&seen).unwrap();
    let tree = JunctionTree::new(&seen).unwrap();
    for (name, v) in [("grass", 0), ("rain", 1), ("sprinkler", 2)] {
        let p = field.query(name, &[("grass", 1)]).unwrap();
        assert_eq!(p.len(), field.sizes()[v]);
        for (value, p) in p.iter().enumerate() {
            near(*p, want.marginals[v][value], 1e-12);
            near(exact.marginals[field.index(name).unwrap()][value], want.marginals[v][value], 1e-12);
            near(tree.marginal(seen.index(name).unwrap()).unwrap()[value], *p, 1e-12);
        }
        assert_eq!(beliefs.marginals()[v].len(), p.len());
    }
    // A table by names is a table by numbers.
    let factor = field.factor(&["sprinkler", "grass"], &[1.0, 2.0, 3.0, 4.0]).unwrap();
    assert_eq!((factor.variables(), factor.sizes()), (&[2, 0][..], &[2, 2][..]));
}

#[test]
fn a_network_hands_its_names_on() {
    let net = BayesNet::new(&[
        Node::new("rain", 2).table(&[0.8, 0.2]),
        Node::new("wet", 2).given(&["rain"], &[0.9, 0.1, 0.2, 0.8]),
    ])
    .unwrap();
    let field = net.field().unwrap();
    assert_eq!(field.names(), net.dag().names());
    near(field.query("rain", &[("wet", 1)]).unwrap()[1], 0.16 / 0.24, 1e-12);
}

#[test]
fn bad_names_are_refused() {
    let field = garden();
    let unknown = field.query("snow", &[]).unwrap_err();
    assert!(matches!(unknown, Error::UnknownName { .. }));
    assert!(unknown.to_string().contains("grass, rain, sprinkler"), "{unknown}");
    assert!(matches!(field.observe_named(&[("snow", 0)]), Err(Error::UnknownName { .. })));
    assert!(matches!(field.clone().table(&["snow"], &[1.0]), Err(Error::UnknownName { .. })));
    assert!(field.observe_named(&[("grass", 2)]).is_err());
    assert!(field.clone().table(&["rain", "grass"], &[1.0; 5]).is_err());
    assert!(field.clone().table(&["rain", "rain"], &[1.0; 9]).is_err());
    assert!(MarkovField::named(&[("a", 2), ("a", 2)]).unwrap_err().to_string().contains("\"a\""));
    assert!(MarkovField::named(&[]).is_err() && MarkovField::named(&[("a", 0)]).is_err());
    // Heavy rain with the sprinkler off leaves no dry grass.
    let impossible = field.query("grass", &[("rain", 2), ("sprinkler", 1), ("grass", 0)]);
    assert!(impossible.is_err());
    // Of numbers alone no name is known.
    assert!(MarkovField::new(&[2], vec![]).unwrap().index("grass").is_err());
}
