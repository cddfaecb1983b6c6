//! Naive Bayes, by likelihood and by posterior.

use mercer::prelude::*;
use ndarray::{Array1, Array2, Axis, array};

use crate::support::random;
use crate::{close, matrix, near, oracle, three};

fn five() -> (Array2<f64>, [i32; 5]) {
    (
        array![[1.0, 0.0, 1.0], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 1.0, 0.0]],
        [0, 0, 0, 1, 1],
    )
}

/// BL-06: a row that no class can have made has no posterior.
#[test]
fn a_zero_count_excludes_a_class_for_ever() {
    let (x, y) = five();
    let fit = BernoulliNaiveBayes::new().fit(&Device::cpu(), &x, y).unwrap();
    assert!(matches!(fit.predict_proba(array![[0.0, 0.0, 1.0]]), Err(Error::Parameter { .. })));
    assert!(fit.predict(array![[0.0, 0.0, 1.0]]).is_err());
    close(fit.probabilities().view(), array![[1.0, 1.0 / 3.0, 1.0 / 3.0], [0.0, 1.0, 0.5]].view(), 1e-15);
    assert_eq!(fit.predict_proba(array![[1.0, 1.0, 1.0]]).unwrap(), array![[1.0, 0.0]]);
}

/// BL-07, Y.4.
#[test]
fn the_posterior_predictive_of_the_notes() {
    let (x, y) = five();
    let model = BernoulliNaiveBayes::new().beta(1.0, 1.0).dirichlet(1.0);
    let fit = model.fit(&Device::cpu(), &x, y).unwrap();
    let new = array![[0.0, 0.0, 1.0]];
    close(fit.log_joint(&new).unwrap().view(), array![[-3.596170056, -3.214421475]].view(), 1e-9);
    close(fit.predict_proba(&new).unwrap().view(), array![[0.4057052298, 0.5942947702]].view(), 1e-9);
    near(fit.log_evidence().unwrap(), -14.43943627, 1e-8);
    // Sequential is batch.
    let mut later = model.fit(&Device::cpu(), x.select(Axis(0), &[0, 3]), [0, 1]).unwrap();
    later.update(x.select(Axis(0), &[1, 2, 4]), [0, 0, 1]).unwrap();
    assert_eq!(later.log_joint(&new).unwrap(), fit.log_joint(&new).unwrap());
    assert!(later.update(&new, [7]).is_err(), "a label never seen");
    // A prior that vanishes is maximum likelihood.
    let ml = BernoulliNaiveBayes::new().fit(&Device::cpu(), &x, y).unwrap();
    let weak =
        BernoulliNaiveBayes::new().beta(1e-9, 1e-9).dirichlet(1e-9).fit(&Device::cpu(), &x, y).unwrap();
    close(weak.probabilities().view(), ml.probabilities().view(), 1e-8);
}

/// The evidence is the product of predictive probabilities, one row after the other.
#[test]
fn the_evidence_is_a_chain_of_predictions() {
    let (x, y) = five();
    let model = BernoulliNaiveBayes::new().beta(0.7, 1.3).dirichlet(0.5);
    let whole = model.fit(&Device::cpu(), &x, y).unwrap();
    // From the first two rows of different classes on.
    let mut fit = model.fit(&Device::cpu(), x.select(Axis(0), &[0, 3]), [0, 1]).unwrap();
    let mut sum = fit.log_evidence().unwrap();
    for i in [1, 2, 4] {
        let row = x.select(Axis(0), &[i]);
        sum += fit.log_joint(&row).unwrap()[[0, y[i] as usize]];
        fit.update(&row, [y[i]]).unwrap();
    }
    near(sum, whole.log_evidence().unwrap(), 1e-12);
}

/// Gaussian features: the predictive of a class is a product of Student's t, sequential is batch, and the evidence is the
/// product of predictive densities, one row after the other.
#[test]
fn the_predictive_of_gaussian_features_is_students() {
    use mercer::probability::distributions::{NormalInverseGamma, Univariate};
    let (x, y) = three();
    let model = BayesianGaussianNaiveBayes::new(0.5, 0.3, 1.5, 0.8).concentration(2.0);
    let fit = model.fit(&Device::cpu(), &x, &y).unwrap();
    let prior = NormalInverseGamma::new(0.5, 0.3, 1.5, 0.8).unwrap();
    let new = random(9, 4, 6) * 5.0;
    let joint = fit.log_joint(&new).unwrap();
    let mut evidence = 0.0;
    for class in 0..3 {
        let rows: Vec<usize> = (0..y.len()).filter(|&i| y[i] == class).collect();
        let share = (rows.len() as f64 + 2.0) / (y.len() as f64 + 6.0);
        let mut want = Array1::from_elem(9, share.ln());
        for j in 0..4 {
            let own = x.select(Axis(0), &rows).column(j).to_vec();
            let next = prior.posterior(&own).unwrap().predictive().unwrap();
            want += &new.column(j).mapv(|v| next.log_density(v));
            evidence += prior.log_evidence(&own).unwrap();
        }
        joint.column(class as usize).iter().zip(&want).for_each(|(g, w)| near(*g, *w, 1e-11));
    }
    // Rows 0, 25 and 50 are of different classes; the others follow one by one.
    let first = [0, 25, 50];
    assert_eq!(first.map(|i| y[i]), [0, 1, 2]);
    let mut later = model.fit(&Device::cpu(), x.select(Axis(0), &first), [0, 1, 2]).unwrap();
    let mut chain = later.log_evidence();
    for i in (0..y.len()).filter(|i| !first.contains(i)) {
        let row = x.select(Axis(0), &[i]);
        chain += later.log_joint(&row).unwrap()[[0, y[i] as usize]];
        later.update(&row, [y[i]]).unwrap();
    }
    close(later.log_joint(&new).unwrap().view(), joint.view(), 1e-10);
    near(chain, fit.log_evidence(), 1e-9);
    // The classes alone: a Pólya urn.
    let urn: f64 = {
        let mut seen = [2.0f64; 3];
        let pick = |k: &i64| {
            let p = seen[*k as usize] / seen.iter().sum::<f64>();
            seen[*k as usize] += 1.0;
            p.ln()
        };
        y.iter().map(pick).sum()
    };
    near(fit.log_evidence(), evidence + urn, 1e-10);
    // Nothing is learned of a label never seen, nor of a row that is none.
    let before = later.log_joint(&new).unwrap();
    let two = x.select(Axis(0), &[0, 1]);
    assert!(later.update(&two, [0, 7]).is_err() && later.update(&two, [0]).is_err());
    assert!(later.update(&two * f64::NAN, [0, 0]).is_err());
    assert_eq!(later.log_joint(&new).unwrap(), before);
    // Many rows forget the prior.
    let many = model.fit_weighted(&Device::cpu(), &x, &y, Array1::from_elem(y.len(), 1e7)).unwrap();
    let plug_in = GaussianNaiveBayes::new().smoothing(0.0).fit(&Device::cpu(), &x, &y).unwrap();
    close(many.log_joint(&x).unwrap().view(), plug_in.log_joint(&x).unwrap().view(), 1e-4);
    for bad in [model.strength(0.0), model.shape(-1.0), model.scale(f64::NAN), model.concentration(0.0)] {
        assert!(matches!(bad.fit(&Device::cpu(), &x, &y), Err(Error::Parameter { .. })), "{bad:?}");
    }
}

/// Counts: the Dirichlet-multinomial predictive is a chain of words, θ for rows of one word, and its evidence a chain of rows.
#[test]
fn the_predictive_of_counts_integrates_over_the_words() {
    let x = array![[2.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 3.0, 1.0], [0.0, 0.0, 4.0], [3.0, 1.0, 0.0]];
    let y = ["a", "a", "b", "b", "a"];
    let plain = MultinomialNaiveBayes::new(0.7).dirichlet(1.5);
    let model = plain.predictive(true);
    let fit = model.fit(&Device::cpu(), &x, y).unwrap();
    let theta = plain.fit(&Device::cpu(), &x, y).unwrap();
    // (3 + 1.5)/(5 + 3) and (2 + 1.5)/(5 + 3): shares of the classes.
    let none = fit.log_joint(array![[0.0, 0.0, 0.0]]).unwrap();
    close(none.view(), array![[(4.5f64 / 8.0).ln(), (3.5f64 / 8.0).ln()]].view(), 1e-14);
    close(
        fit.log_joint(Array2::<f64>::eye(3)).unwrap().view(),
        theta.log_joint(Array2::<f64>::eye(3)).unwrap().view(),
        1e-12,
    );
    // Two and three of the same word, by hand: counts of "a" are 6, 2, 1, so A = 9 + 2.1.
    let row = fit.log_joint(array![[2.0, 1.0, 0.0]]).unwrap()[[0, 0]];
    let want = 4.5 / 8.0 * (6.7 / 11.1) * (7.7 / 12.1) * (2.7 / 13.1);
    near(row, f64::ln(want), 1e-12);
    assert!((theta.log_joint(array![[2.0, 1.0, 0.0]]).unwrap()[[0, 0]] - row).abs() > 1e-3);
    // From rows 0 and 2 on, one after the other.
    let mut later = model.fit(&Device::cpu(), x.select(Axis(0), &[0, 2]), ["a", "b"]).unwrap();
    let mut chain = later.log_evidence().unwrap();
    for i in [1, 3, 4] {
        let row = x.select(Axis(0), &[i]);
        chain += later.log_joint(&row).unwrap()[[0, usize::from(y[i] == "b")]];
        later.update(&row, [y[i]]).unwrap();
    }
    near(chain, fit.log_evidence().unwrap(), 1e-12);
    assert_eq!(later.log_joint(&x).unwrap(), fit.log_joint(&x).unwrap());
    assert!(later.update(array![[-1.0, 0.0, 0.0]], ["a"]).is_err() && later.update(&x, ["c"; 5]).is_err());
    assert!(MultinomialNaiveBayes::new(0.0).predictive(true).fit(&Device::cpu(), &x, y).is_err());
    assert!(MultinomialNaiveBayes::new(1.0).fit(&Device::cpu(), &x, y).unwrap().log_evidence().is_err());
}

/// Categories: sequential is batch, and the evidence a chain of rows.
#[test]
fn categories_learn_one_after_the_other() {
    let x = array![[0.0, 2.0], [0.0, 1.0], [1.0, 0.0], [2.0, 0.0], [1.0, 1.0]];
    let y = [0, 0, 1, 1, 0];
    let model = CategoricalNaiveBayes::new().smoothing(0.5).dirichlet(0.8).categories(vec![3, 3]);
    let fit = model.fit(&Device::cpu(), &x, y).unwrap();
    let mut later = model.fit(&Device::cpu(), x.select(Axis(0), &[0, 2]), [0, 1]).unwrap();
    let mut chain = later.log_evidence().unwrap();
    for i in [1, 3, 4] {
        let row = x.select(Axis(0), &[i]);
        chain += later.log_joint(&row).unwrap()[[0, y[i]]];
        later.update(&row, [y[i]]).unwrap();
    }
    near(chain, fit.log_evidence().unwrap(), 1e-12);
    assert_eq!(later.log_joint(&x).unwrap(), fit.log_joint(&x).unwrap());
    assert_eq!((later.counts(), later.mass()), (fit.counts(), fit.mass()));
    for (row, label) in [(array![[3.0, 0.0]], 0), (array![[0.5, 0.0]], 0), (array![[1.0, 0.0]], 9)] {
        assert!(later.update(&row, [label]).is_err());
    }
    assert_eq!(later.counts(), fit.counts());
}

#[test]
fn scikit_learn_agrees() {
    let (all, (x, y)) = (oracle(), three());
    let want = |name: &str| matrix(&all[name]["proba"]);
    let given = |name: &str| matrix(&all[name]["x"]);
    let gaussian = GaussianNaiveBayes::new().fit(&Device::cpu(), &x, &y).unwrap();
    close(gaussian.predict_proba(&x).unwrap().view(), want("gaussian_nb").view(), 1e-9);
    let other = GaussianNaiveBayes::new().priors(vec![0.2, 0.5, 0.3]).fit(&Device::cpu(), &x, &y).unwrap();
    close(other.predict_proba(&x).unwrap().view(), want("gaussian_nb_priors").view(), 1e-9);
    let bits = given("bernoulli_nb");
    let fit = BernoulliNaiveBayes::new().beta(1.0, 1.0).fit(&Device::cpu(), &bits, &y).unwrap();
    close(fit.predict_proba(&bits).unwrap().view(), want("bernoulli_nb").view(), 1e-9);
    let counts = given("multinomial_nb");
    let fit = MultinomialNaiveBayes::new(0.5).fit(&Device::cpu(), &counts, &y).unwrap();
    close(fit.predict_proba(&counts).unwrap().view(), want("multinomial_nb").view(), 1e-9);
    let fit = CategoricalNaiveBayes::new().smoothing(1.0).fit(&Device::cpu(), &counts, &y).unwrap();
    close(fit.predict_proba(&counts).unwrap().view(), want("categorical_nb").view(), 1e-9);
}

/// C-09: two categories are Bernoulli; Gaussian naive Bayes is QDA with diagonal covariances.
#[test]
fn theorems() {
    let (x, y) = five();
    let both = [
        CategoricalNaiveBayes::new()
            .smoothing(0.5)
            .dirichlet(0.5)
            .fit(&Device::cpu(), &x, y)
            .unwrap()
            .log_joint(&x)
            .unwrap(),
        BernoulliNaiveBayes::new()
            .beta(0.5, 0.5)
            .dirichlet(0.5)
            .fit(&Device::cpu(), &x, y)
            .unwrap()
            .log_joint(&x)
            .unwrap(),
    ];
    close(both[0].view(), both[1].view(), 1e-12);
    let evidence = [
        CategoricalNaiveBayes::new()
            .smoothing(0.5)
            .dirichlet(0.5)
            .fit(&Device::cpu(), &x, y)
            .unwrap()
            .log_evidence()
            .unwrap(),
        BernoulliNaiveBayes::new()
            .beta(0.5, 0.5)
            .dirichlet(0.5)
            .fit(&Device::cpu(), &x, y)
            .unwrap()
            .log_evidence()
            .unwrap(),
    ];
    near(evidence[0], evidence[1], 1e-12);
    // Columns that are uncorrelated within each class: a full covariance is a diagonal one.
    let square = array![[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
    let x =
        ndarray::concatenate![Axis(0), &square * &array![[1.0, 2.0]], &square * &array![[0.5, 3.0]] + 1.0];
    let y = [0, 0, 0, 0, 1, 1, 1, 1];
    let new = random(20, 2, 5) * 3.0;
    let naive = GaussianNaiveBayes::new().smoothing(0.0).fit(&Device::cpu(), &x, y).unwrap();
    let full = QuadraticDiscriminant::new().fit(&Device::cpu(), &x, y).unwrap();
    close(naive.log_joint(&new).unwrap().view(), full.log_joint(&new).unwrap().view(), 1e-10);
}

/// C-08, Y.2: log-odds are linear in x; the order of features does not matter; draws show the probabilities.
#[test]
fn log_odds_are_linear() {
    let bits = random(40, 4, 6).mapv(|v| f64::from(u8::from(v > 0.1)));
    let y: Vec<bool> = (0..40).map(|i| bits[[i, 0]] + bits[[i, 2]] > 1.0 || i % 7 == 0).collect();
    let fit = BernoulliNaiveBayes::new().beta(1.0, 1.0).fit(&Device::cpu(), &bits, &y).unwrap();
    let all = Array2::from_shape_fn((16, 4), |(i, j)| ((i >> j) & 1) as f64);
    let odds = fit.decision(&all).unwrap();
    let slopes: Array1<f64> = (0..4).map(|j| odds[[1 << j, 0]] - odds[[0, 0]]).collect();
    for (row, odds) in all.rows().into_iter().zip(odds.column(0)) {
        near(row.dot(&slopes) + fit.decision(array![[0.0, 0.0, 0.0, 0.0]]).unwrap()[[0, 0]], *odds, 1e-12);
    }
    // The full table sums to one.
    let total: f64 = fit.log_joint(&all).unwrap().mapv(f64::exp).sum();
    near(total, 1.0, 1e-12);
    let order = [2, 0, 3, 1];
    let swapped = BernoulliNaiveBayes::new()
        .beta(1.0, 1.0)
        .fit(&Device::cpu(), bits.select(Axis(1), &order), &y)
        .unwrap();
    close(
        swapped.log_joint(all.select(Axis(1), &order)).unwrap().view(),
        fit.log_joint(&all).unwrap().view(),
        1e-12,
    );
    let (drawn, classes) = fit.sample_labelled(20_000, 1).unwrap();
    let again = BernoulliNaiveBayes::new().fit(&Device::cpu(), &drawn, &classes).unwrap();
    close(again.probabilities().view(), fit.probabilities().view(), 0.03);
}

/// Y.1: the table of all combinations, and how many parameters it has.
#[test]
fn a_table_needs_more_parameters_than_naive_bayes() {
    assert_eq!(TableClassifier::parameters(3, 10), Some(3071));
    let x = random(30, 10, 7).mapv(|v| f64::from(u8::from(v > 0.0)));
    let y: Vec<usize> = (0..30).map(|i| i % 3).collect();
    assert_eq!(BernoulliNaiveBayes::new().fit(&Device::cpu(), &x, &y).unwrap().parameters(), 32);
    // Two features: the empirical joint.
    let x = array![[0.0, 0.0], [0.0, 1.0], [0.0, 1.0], [1.0, 1.0], [1.0, 1.0], [0.0, 0.0]];
    let y = [0, 0, 0, 1, 0, 1];
    let fit = TableClassifier::new(0.0).fit(&Device::cpu(), &x, y).unwrap();
    let joint = fit.log_joint(array![[0.0, 1.0], [1.0, 1.0], [0.0, 0.0]]).unwrap().mapv(f64::exp);
    close(
        joint.view(),
        array![[2.0 / 6.0, 0.0], [1.0 / 6.0, 1.0 / 6.0], [1.0 / 6.0, 1.0 / 6.0]].view(),
        1e-14,
    );
    assert!(fit.predict_proba(array![[1.0, 0.0]]).is_err());
    assert!(
        TableClassifier::new(1.0)
            .fit(&Device::cpu(), &x, y)
            .unwrap()
            .predict_proba(array![[1.0, 0.0]])
            .is_ok()
    );
}

/// 2^1100 combinations are beyond f64; without smoothing nobody counts them.
#[test]
fn a_table_of_many_features() {
    let x = random(12, 1100, 8).mapv(|v| f64::from(u8::from(v > 0.0)));
    let y: Vec<usize> = (0..12).map(|i| i % 2).collect();
    let fit = TableClassifier::new(0.0).fit(&Device::cpu(), &x, &y).unwrap();
    assert_eq!(fit.predict(&x).unwrap(), y);
}

/// Y.3: a mixture whose labels are all known is naive Bayes.
#[test]
fn a_mixture_with_all_labels_is_naive_bayes() {
    use mercer::inference::ComponentMixture;
    use mercer::probability::distributions::Component;
    #[derive(Debug, Clone)]
    struct Coins(Vec<f64>);
    impl Component for Coins {
        fn features(&self) -> usize {
            self.0.len()
        }
        fn parameters(&self) -> usize {
            self.0.len()
        }
        fn log_densities(&self, x: ndarray::ArrayView2<f64>) -> mercer::Result<Array1<f64>> {
            let each = |x: &f64, p: &f64| if *x > 0.5 { p.ln() } else { (1.0 - p).ln() };
            Ok(x.rows()
                .into_iter()
                .map(|row| row.iter().zip(&self.0).map(|(x, p)| each(x, p)).sum())
                .collect())
        }
        fn refit(&self, x: ndarray::ArrayView2<f64>, r: ndarray::ArrayView1<f64>) -> mercer::Result<Self> {
            Ok(Coins((r.dot(&x) / r.sum()).to_vec()))
        }
        fn sample_rows(&self, _: usize, _: u64) -> mercer::Result<Array2<f64>> {
            unreachable!("nothing is drawn")
        }
    }
    let bits = random(40, 4, 6).mapv(|v| f64::from(u8::from(v > 0.1)));
    let y: Vec<usize> = (0..40).map(|i| usize::from(bits[[i, 0]] > 0.5 || i % 7 == 0)).collect();
    let start = ComponentMixture::new(&[0.5, 0.5], vec![Coins(vec![0.4; 4]), Coins(vec![0.6; 4])]).unwrap();
    let labels: Vec<Option<usize>> = y.iter().map(|&y| Some(y)).collect();
    let ones = Array1::ones(40);
    let clamped = start.fit_labelled(bits.view(), &labels, ones.view(), 50, 0.0).unwrap();
    let bayes = BernoulliNaiveBayes::new().fit(&Device::cpu(), &bits, &y).unwrap();
    for (own, (coins, p)) in clamped.components().iter().zip(bayes.probabilities().rows()).enumerate() {
        coins.0.iter().zip(p).for_each(|(a, b)| near(*a, *b, 1e-14));
        near(clamped.weights()[own], y.iter().filter(|&&y| y == own).count() as f64 / 40.0, 1e-14);
    }
}
