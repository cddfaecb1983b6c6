//! The driver, on a model that is no part of the crate: a mixture of Poisson distributions.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use mercer::inference::em::{Batches, Em, EmModel, Mode, Statistics};
use mercer::learn::Stop;
use mercer::{Error, Progress, Result};

struct Poisson;

#[derive(Clone, Debug, PartialEq)]
struct Rates {
    weights: [f64; 2],
    rates: [f64; 2],
}

#[derive(Clone, Default, Debug)]
struct Sums {
    count: [f64; 2],
    total: [f64; 2],
    log_likelihood: f64,
}

impl Statistics for Sums {
    fn add(&mut self, other: &Self) {
        for k in 0..2 {
            self.count[k] += other.count[k];
            self.total[k] += other.total[k];
        }
        self.log_likelihood += other.log_likelihood;
    }

    fn scale(&mut self, by: f64) {
        self.count.iter_mut().chain(&mut self.total).for_each(|v| *v *= by);
        self.log_likelihood *= by;
    }

    fn mass(&self) -> f64 {
        self.count.iter().sum()
    }
}

impl EmModel for Poisson {
    const NAME: &'static str = "Poisson";
    type Batch = Vec<f64>;
    type Params = Rates;
    type Stats = Sums;

    fn expect(&self, at: &Rates, batch: &Vec<f64>) -> Result<Sums> {
        let mut sums = Sums::default();
        for &x in batch {
            let log_factorial: f64 = (1..=x as u32).map(|i| f64::from(i).ln()).sum();
            let p =
                [0, 1].map(|k| at.weights[k] * (x * at.rates[k].ln() - at.rates[k] - log_factorial).exp());
            let all = p[0] + p[1];
            for (k, p) in p.into_iter().enumerate() {
                sums.count[k] += p / all;
                sums.total[k] += p / all * x;
            }
            sums.log_likelihood += all.ln();
        }
        Ok(sums)
    }

    fn maximise(&self, _: &Rates, s: &Sums) -> Result<Rates> {
        let n = s.mass();
        Ok(Rates { weights: s.count.map(|c| c / n), rates: [0, 1].map(|k| s.total[k] / s.count[k]) })
    }

    /// A gradient step on the rates: `d/dμ sum Q (x log μ - μ)`.
    fn ascend(&self, at: &Rates, s: &Sums, step: f64) -> Result<Rates> {
        let rates = [0, 1].map(|k| at.rates[k] + step * (s.total[k] / at.rates[k] - s.count[k]));
        Ok(Rates { rates, ..self.maximise(at, s)? })
    }

    fn objective(&self, _: &Rates, s: &Sums) -> f64 {
        s.log_likelihood
    }
}

const X: [f64; 7] = [0.0, 1.0, 1.0, 2.0, 7.0, 8.0, 10.0];

fn start() -> Rates {
    Rates { weights: [0.5; 2], rates: [1.5, 6.0] }
}

fn close(got: &[f64], want: &[f64]) {
    assert_eq!(got.len(), want.len(), "{got:?}");
    for (g, w) in got.iter().zip(want) {
        assert!((g - w).abs() < 1e-7, "{got:?}, not {want:?}");
    }
}

/// The reference values of Oxford 5.4: exact EM, then one gradient step of 0.1 in each M-step.
#[test]
fn exact_and_generalised_em_take_the_steps_of_the_notes() {
    let em = Em::new().max_iterations(3).tolerance(0.0);
    let run = em.run(&Poisson, &[X.to_vec()], |_| Ok(start())).unwrap();
    close(&run.report.trace, &[-17.094_967_02, -15.695_022_08, -15.656_575_09, -15.655_909_12]);
    assert_eq!((run.report.iterations, run.report.converged()), (3, false));

    // A step that is not halved grows: only the first iteration is the notes' own.
    let mut at = start();
    let mut trace = Vec::new();
    for _ in 0..3 {
        let em = Em::new().max_iterations(1).mode(Mode::Generalised { step: 0.1 }).tolerance(0.0);
        let run = em.run(&Poisson, &[X.to_vec()], |_| Ok(at.clone())).unwrap();
        trace.push(run.report.trace[0]);
        trace.push(run.report.trace[1]);
        at = run.params;
    }
    let want = [-17.094_967_02, -16.818_217_94, -16.818_217_94, -16.622_887_2, -16.622_887_2, -16.478_836_13];
    close(&trace, &want);
}

#[test]
fn generalised_em_reaches_the_same_top_however_long_its_first_step() {
    let em = Em::new().max_iterations(2000).tolerance(1e-14);
    let exact = em.run(&Poisson, &[X.to_vec()], |_| Ok(start())).unwrap();
    for step in [1.0, 0.1, 1e-3] {
        let em = em.clone().mode(Mode::Generalised { step });
        let run = em.run(&Poisson, &[X.to_vec()], |_| Ok(start())).unwrap();
        assert!(run.report.trace.windows(2).all(|w| w[1] >= w[0]), "{:?}", run.report.trace);
        assert!(
            (run.objective() - exact.objective()).abs() < 1e-8,
            "{} {}",
            run.objective(),
            exact.objective()
        );
        assert!((run.params.rates[1] - exact.params.rates[1]).abs() < 1e-3);
    }
}

#[test]
fn parts_are_the_whole() {
    let em = Em::new().max_iterations(5).tolerance(0.0);
    let whole = em.run(&Poisson, &[X.to_vec()], |_| Ok(start())).unwrap();
    let parts: Vec<Vec<f64>> = X.chunks(2).map(<[f64]>::to_vec).collect();
    let apart = em.run(&Poisson, &parts, |_| Ok(start())).unwrap();
    close(&apart.report.trace, &whole.report.trace);
    close(&apart.params.rates, &whole.params.rates);
}

/// Data that are made when they are visited, and never all there.
struct Generated(usize);

impl Batches<Vec<f64>> for Generated {
    fn count(&self) -> usize {
        self.0
    }

    fn visit(&self, index: usize, f: &mut dyn FnMut(&Vec<f64>) -> Result<()>) -> Result<()> {
        let at = |i: usize| ((index * 37 + i * 11) % 5 + if i.is_multiple_of(3) { 20 } else { 0 }) as f64;
        f(&(0..30).map(at).collect())
    }
}

#[test]
fn stepwise_em_arrives_where_em_does() {
    let first = || Ok(Rates { weights: [0.5; 2], rates: [5.0, 10.0] });
    let em = Em::new().max_iterations(200).tolerance(1e-12);
    let full = em.run(&Poisson, &Generated(40), |_| first()).unwrap();
    let em = em.max_iterations(5).mode(Mode::Stepwise { delay: 2.0, decay: 0.8 });
    let run = em.run(&Poisson, &Generated(40), |_| first()).unwrap();
    assert_eq!((run.report.iterations, run.report.trace.len()), (5, 6));
    assert!((run.objective() - full.objective()).abs() < 1e-3 * full.objective().abs(), "{run:?} {full:?}");
    // What it says of itself is exact.
    let again = Em::new().max_iterations(0).run(&Poisson, &Generated(40), |_| Ok(run.params.clone()));
    assert_eq!(again.unwrap().objective(), run.objective());
}

#[test]
fn the_best_of_several_starts_is_kept() {
    let seeds = Mutex::new(Vec::new());
    let run = Em::new().restarts(3).seed(5).max_iterations(1).run(&Poisson, &[X.to_vec()], |seed| {
        seeds.lock().unwrap().push(seed);
        Ok(Rates { weights: [0.5; 2], rates: [1.0, if seed == 6 { 8.0 } else { 1.01 }] })
    });
    let run = run.unwrap();
    assert_eq!(*seeds.lock().unwrap(), [5, 6, 7]);
    assert_eq!(run.report.starts.len(), 3);
    assert!(
        run.objective() == run.report.starts[1] && run.report.starts[1] > run.report.starts[0],
        "{:?}",
        run.report.starts
    );
}

#[test]
fn progress_sees_every_iteration_and_can_stop_it() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (log, data) = (seen.clone(), [X.to_vec()]);
    let em = Em::new().tolerance(0.0).progress(Progress::new(move |step| {
        log.lock().unwrap().push(step.value);
        if step.made == 4 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }));
    let e = em.run(&Poisson, &data, |_| Ok(start())).unwrap_err();
    assert_eq!(e, Error::Cancelled { op: "Poisson", iterations: 4 });
    let free = Em::new().max_iterations(4).tolerance(0.0);
    assert_eq!(*seen.lock().unwrap(), free.run(&Poisson, &data, |_| Ok(start())).unwrap().report.trace);
}

#[test]
fn settings_out_of_their_domain_are_refused() {
    let bad = [
        Em::new().restarts(0),
        Em::new().restarts(usize::MAX),
        Em::new().tolerance(-1.0),
        Em::new().tolerance(f64::NAN),
        Em::new().mode(Mode::Generalised { step: 0.0 }),
        Em::new().mode(Mode::Stepwise { delay: 0.0, decay: 0.5 }),
        Em::new().mode(Mode::Stepwise { delay: -1.0, decay: 0.7 }),
    ];
    for em in bad {
        let e = em.run(&Poisson, &[X.to_vec()], |_| Ok(start())).unwrap_err();
        assert!(matches!(e, Error::Parameter { .. }), "{em:?}: {e}");
    }
    let none: [Vec<f64>; 0] = [];
    let e = Em::new().run(&Poisson, &none, |_| Ok(start())).unwrap_err();
    assert!(matches!(e, Error::Shape { op: "Poisson", .. }), "{e}");
    let lost =
        Em::new().run(&Poisson, &[X.to_vec()], |_| Ok(Rates { weights: [0.5; 2], rates: [-1.0, 2.0] }));
    assert!(matches!(lost, Err(Error::Parameter { .. })), "a NaN is not an objective: {lost:?}");
}

/// A step that makes things worse, by a wrong M-step or by rounding, is not taken, and it is said.
#[test]
fn a_falling_objective_ends_it() {
    struct Wrong;
    impl EmModel for Wrong {
        const NAME: &'static str = "Wrong";
        type Batch = Vec<f64>;
        type Params = Rates;
        type Stats = Sums;
        fn expect(&self, at: &Rates, batch: &Vec<f64>) -> Result<Sums> {
            Poisson.expect(at, batch)
        }
        fn maximise(&self, at: &Rates, _: &Sums) -> Result<Rates> {
            Ok(Rates { rates: at.rates.map(|r| 2.0 * r), ..at.clone() })
        }
        fn objective(&self, _: &Rates, s: &Sums) -> f64 {
            s.log_likelihood
        }
    }
    let outcome = Em::new().run(&Wrong, &[X.to_vec()], |_| Ok(start())).unwrap();
    assert_eq!((outcome.report.stop, outcome.report.iterations), (Stop::Stalled, 0));
    assert_eq!(outcome.params.rates, start().rates);
}
