//! Small models of three kinds: numbers, labels, and two classes with a decision.

use mercer::learn::{Classes, Labels, TargetDim};
use mercer::prelude::*;
use ndarray::{Array, Array1, Array2, ArrayRef, ArrayView1, ArrayView2, Axis, Ix1};

/// Predicts the mean of the targets.
#[derive(Debug, Clone, Copy)]
pub struct Mean;

#[derive(Debug, Clone)]
pub struct FittedMean<D>(pub Array1<f64>, std::marker::PhantomData<D>);

impl<D: TargetDim> Fit<ArrayRef<f64, D>> for Mean {
    type Fitted = FittedMean<D>;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, y: &ArrayRef<f64, D>) -> Result<FittedMean<D>> {
        self.fit_weighted(device, x, y, Array1::ones(x.nrows()).view())
    }
}

impl<D: TargetDim> FitWeighted<ArrayRef<f64, D>> for Mean {
    fn fit_weighted(
        &self,
        _: &Device,
        _: ArrayView2<f64>,
        y: &ArrayRef<f64, D>,
        w: ArrayView1<f64>,
    ) -> Result<FittedMean<D>> {
        Ok(FittedMean(D::columns(y).t().dot(&w) / w.sum(), std::marker::PhantomData))
    }
}

impl<D: TargetDim> Predict for FittedMean<D> {
    type Output = Array<f64, D>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Array<f64, D>> {
        Ok(D::shaped(Array2::from_shape_fn((x.nrows(), self.0.len()), |(_, j)| self.0[j])))
    }
}

/// The class whose mean is nearest.
#[derive(Debug, Clone, Copy)]
pub struct Centroid;

#[derive(Debug, Clone)]
pub struct FittedCentroid<L> {
    labels: Labels<L>,
    pub centres: Array2<f64>,
}

impl<L: Ord + Clone> Fit<[L]> for Centroid {
    type Fitted = FittedCentroid<L>;

    fn fit(&self, _: &Device, x: ArrayView2<f64>, y: &[L]) -> Result<FittedCentroid<L>> {
        let (labels, index) = Labels::of_classes(y)?;
        let mut centres = Array2::zeros((labels.classes().len(), x.ncols()));
        for (k, mut centre) in centres.rows_mut().into_iter().enumerate() {
            let rows: Vec<usize> = (0..index.len()).filter(|&i| index[i] == k).collect();
            centre.assign(&x.select(Axis(0), &rows).mean_axis(Axis(0)).unwrap());
        }
        Ok(FittedCentroid { labels, centres })
    }
}

impl<L> FittedCentroid<L> {
    fn distances(&self, x: ArrayView2<f64>) -> Array2<f64> {
        Array2::from_shape_fn((x.nrows(), self.centres.nrows()), |(i, k)| {
            (&x.row(i) - &self.centres.row(k)).mapv(|v| v * v).sum()
        })
    }
}

impl<L: Ord + Clone> Predict for FittedCentroid<L> {
    type Output = Vec<L>;

    fn predict(&self, x: ArrayView2<f64>) -> Result<Vec<L>> {
        let nearest = |d: ArrayView1<f64>| (0..d.len()).min_by(|&a, &b| d[a].total_cmp(&d[b])).unwrap();
        self.labels.names(&self.distances(x).rows().into_iter().map(nearest).collect::<Vec<_>>())
    }
}

impl<L: Ord + Clone> PredictProba for FittedCentroid<L> {
    fn predict_proba(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let mut p = self.distances(x).mapv(|d| (-0.5 * d).exp());
        p.rows_mut().into_iter().for_each(|mut row| row /= row.sum());
        Ok(p)
    }
}

impl<L> Classes for FittedCentroid<L> {
    type Label = L;

    fn classes(&self) -> &[L] {
        self.labels.classes()
    }
}

impl<L: Ord + Clone> Score<[L]> for FittedCentroid<L> {
    fn score(&self, x: ArrayView2<f64>, y: &[L]) -> Result<f64> {
        accuracy(y, &self.predict(x)?)
    }
}

/// Least squares on ±1 with a penalty of one and an intercept: a classifier of two classes.
#[derive(Debug, Clone, Copy)]
pub struct Sign;

#[derive(Debug, Clone)]
pub struct FittedSign {
    mean: Array1<f64>,
    constant: f64,
    ridge: FittedKernelRidge<Ix1>,
}

impl Fit<[bool]> for Sign {
    type Fitted = FittedSign;

    fn fit(&self, device: &Device, x: ArrayView2<f64>, y: &[bool]) -> Result<FittedSign> {
        let y: Array1<f64> = y.iter().map(|&y| if y { 1.0 } else { -1.0 }).collect();
        let (mean, constant) = (x.mean_axis(Axis(0)).unwrap(), y.mean().unwrap());
        let ridge = KernelRidge::new(Kernel::linear(), 1.0).fit(device, &x - &mean, y - constant)?;
        Ok(FittedSign { mean, constant, ridge })
    }
}

impl Decision for FittedSign {
    fn decision(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        Ok((self.ridge.predict(&x - &self.mean)? + self.constant).insert_axis(Axis(1)))
    }
}

impl PredictProba for FittedSign {
    fn predict_proba(&self, x: ArrayView2<f64>) -> Result<Array2<f64>> {
        let p = self.decision(x)?.column(0).mapv(|d| 1.0 / (1.0 + (-d).exp()));
        Ok(ndarray::stack![Axis(1), p.mapv(|p| 1.0 - p), p])
    }
}

/// Fails whatever it is given.
#[derive(Debug, Clone, Copy)]
pub struct Never;

impl Fit<ArrayRef<f64, Ix1>> for Never {
    type Fitted = FittedMean<Ix1>;

    fn fit(&self, _: &Device, _: ArrayView2<f64>, _: &ArrayRef<f64, Ix1>) -> Result<FittedMean<Ix1>> {
        Err(Error::Shape { op: "Never::fit", what: "as always".to_owned() })
    }
}
