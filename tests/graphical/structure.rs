//! d-separation, separation, moralisation, cycles: against brute force on random tables.

use mercer::models::graphical::{BayesNet, Dag, Graph, Node};
use mercer::random::Philox;

#[test]
fn three_ways_to_be_joined() {
    let chain = Dag::new(&["x", "y", "z"], &[(0, 1), (1, 2)]).unwrap();
    let fork = Dag::new(&["x", "y", "z"], &[(1, 0), (1, 2)]).unwrap();
    for dag in [chain, fork] {
        assert!(!dag.d_separated(&[0], &[2], &[]).unwrap() && dag.d_separated(&[0], &[2], &[1]).unwrap());
    }
    // x -> y <- z, y -> w.
    let v = Dag::new(&["x", "y", "z", "w"], &[(0, 1), (2, 1), (1, 3)]).unwrap();
    assert!(v.d_separated(&[0], &[2], &[]).unwrap());
    assert!(!v.d_separated(&[0], &[2], &[1]).unwrap());
    assert!(!v.d_separated(&[0], &[2], &[3]).unwrap());
    // Words given their class, and without it.
    let words = Dag::new(&["t", "a", "b"], &[(0, 1), (0, 2)]).unwrap();
    assert!(words.d_separated(&[1], &[2], &[0]).unwrap() && !words.d_separated(&[1], &[2], &[]).unwrap());
    assert!(words.d_separated(&[1], &[1], &[]).is_err() && words.d_separated(&[1], &[7], &[]).is_err());
}

#[test]
fn a_cycle_is_named() {
    let e = Dag::new(&["fire", "smoke", "alarm", "panic"], &[(0, 1), (1, 2), (2, 3), (3, 1)]).unwrap_err();
    assert!(e.to_string().contains("smoke -> alarm -> panic -> smoke"), "{e}");
    assert!(Dag::new(&["a"], &[(0, 0)]).unwrap_err().to_string().contains("a -> a"));
    let net = BayesNet::new(&[
        Node::new("a", 2).given(&["b"], &[0.5; 4]),
        Node::new("b", 2).given(&["a"], &[0.5; 4]),
    ]);
    assert!(net.unwrap_err().to_string().contains("a -> b -> a"));
}

/// A network with these parents and random tables.
fn random_net(parents: &[Vec<usize>], seed: u64) -> BayesNet {
    let mut rng = Philox::new(seed, 0);
    let names: Vec<String> = (0..parents.len()).map(|i| format!("v{i}")).collect();
    let nodes: Vec<Node> = parents
        .iter()
        .enumerate()
        .map(|(i, p)| {
            let table: Vec<f64> = (0..1 << p.len()).flat_map(|_| rng.dirichlet(&[1.0, 1.0])).collect();
            let given: Vec<&str> = p.iter().map(|v| names[*v].as_str()).collect();
            Node::new(&names[i], 2).given(&given, &table)
        })
        .collect();
    BayesNet::new(&nodes).unwrap()
}

/// Whether p(a, b | c) = p(a | c) p(b | c) for all values, by the joint table.
fn independent(net: &BayesNet, a: usize, b: usize, given: &[usize]) -> bool {
    let n = net.sizes().len();
    let joint: Vec<(Vec<usize>, f64)> = (0..1usize << n)
        .map(|s| (0..n).map(|i| s >> i & 1).collect::<Vec<_>>())
        .map(|x| (x.clone(), net.log_joint(&x).unwrap().exp()))
        .collect();
    let p = |f: &dyn Fn(&[usize]) -> bool| joint.iter().filter(|(x, _)| f(x)).map(|(_, p)| p).sum::<f64>();
    (0..1usize << given.len()).all(|c| {
        let at = |x: &[usize]| given.iter().enumerate().all(|(i, v)| x[*v] == c >> i & 1);
        let all = p(&|x| at(x));
        let both = p(&|x| at(x) && x[a] == 1 && x[b] == 1);
        (both * all - p(&|x| at(x) && x[a] == 1) * p(&|x| at(x) && x[b] == 1)).abs() < 1e-10
    })
}

#[test]
fn d_separation_is_independence_for_generic_tables() {
    for seed in 0..6 {
        let mut rng = Philox::new(seed, 1);
        let parents: Vec<Vec<usize>> =
            (0..5).map(|v| (0..v).filter(|_| rng.bernoulli(0.45)).collect()).collect();
        let net = random_net(&parents, seed);
        for a in 0..5 {
            for b in 0..a {
                for mask in 0..32usize {
                    let given: Vec<usize> = (0..5).filter(|v| mask >> v & 1 == 1).collect();
                    if !given.contains(&a) && !given.contains(&b) {
                        let said = net.dag().d_separated(&[a], &[b], &given).unwrap();
                        assert_eq!(
                            said,
                            independent(&net, a, b, &given),
                            "{parents:?}: {a}, {b} given {given:?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn moral_graphs_marry_parents_and_keep_the_distribution() {
    let v = random_net(&[vec![], vec![], vec![0, 1]], 1);
    assert_eq!(v.dag().moral().edges(), [(0, 1), (0, 2), (1, 2)]);
    let tree = random_net(&[vec![], vec![0], vec![1], vec![1]], 2);
    assert_eq!(tree.dag().moral().edges(), [(0, 1), (1, 2), (1, 3)]);
    for net in [v, tree] {
        let field = net.field().unwrap();
        assert_eq!(field.graph(), net.dag().moral());
        assert!(field.enumerate().unwrap().log_partition.abs() < 1e-12); // Z = 1
    }
}

#[test]
fn separation_is_independence_in_a_field() {
    let field = super::random_field(6, &super::grid(2, 3), 4);
    let graph = field.graph();
    assert!(graph.separated(&[0, 3], &[2, 5], &[1, 4]).unwrap());
    assert!(!graph.separated(&[0], &[2], &[1]).unwrap());
    // p(x0, x2 | x1, x4) factorises.
    let at = |e: &[(usize, usize)]| field.observe(e).unwrap().enumerate().unwrap().log_partition;
    let given = [(1, 0), (4, 1)];
    let with = |more: &[(usize, usize)]| at(&[&given[..], more].concat());
    let gap = with(&[(0, 1), (2, 1)]) + with(&[]) - with(&[(0, 1)]) - with(&[(2, 1)]);
    assert!(gap.abs() < 1e-10);
    let complete = Graph::new(3, &[(0, 1), (0, 2), (1, 2)]).unwrap();
    assert!(!complete.separated(&[0], &[1], &[2]).unwrap());
    assert!(Graph::new(2, &[(0, 2)]).is_err() && Graph::new(2, &[(0, 0)]).is_err());
}
