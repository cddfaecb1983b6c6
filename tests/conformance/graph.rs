//! Graphs, embeddings and trees of clusters.

use mercer::prelude::*;
use ndarray::{Array2, s};

use crate::checks::{beside, column, enough, labels};
use crate::data;

/// Points without labels, between those of `data::blobs`.
fn more() -> Array2<f64> {
    data::blobs().0.slice(s![..;4, ..]).to_owned() + 0.1
}

conforms!(spectral_clustering, data::blobs(), SpectralClustering::new(3).neighbourhood(Neighbourhood::nearest(5)),
    |f, x| Ok(labels(&f.predict(x)?)); 0.0, saved,
    cancel(SpectralClustering::new(3).progress(enough())));
conforms!(laplacian_eigenmaps, data::blobs(), LaplacianEigenmaps::new(2), |f, x| f.transform(x); 1e-6, saved);
conforms!(label_spreading, data::spelt(), LabelSpreading::new(0.5).neighbourhood(Neighbourhood::nearest(5)),
    |f, x| Ok(beside(&[f.predict_proba(x)?.view(), labels(&f.predict(x)?).view()])); 1e-6, unordered, saved);
conforms!(label_propagation, data::spelt(), LabelPropagation::new().neighbourhood(Neighbourhood::nearest(5)),
    |f, x| f.predict_proba(x); 1e-6, unordered, saved);
conforms!(laplacian_rls, data::curve(), LaplacianRls::new(Kernel::rbf(1.0), 0.1, 0.05).unlabelled(more()),
    |f, x| Ok(column(f.predict(x)?)); 1e-6, unordered, saved);
conforms!(laplacian_rls_of_several, data::curves(), LaplacianRls::new(Kernel::rbf(1.0), 0.1, 0.05),
    |f, x| f.predict(x); 1e-6, unordered, saved);
conforms!(laplacian_svm, data::spelt(), LaplacianSvm::new(Kernel::rbf(1.0), 0.1, 0.05),
    |f, x| f.decision(x); 1e-6, saved, cancel(LaplacianSvm::new(Kernel::rbf(1.0), 0.1, 0.05).progress(enough())));
conforms!(laplacian_svm_of_two, data::two_classes(), LaplacianSvm::new(Kernel::rbf(1.0), 0.1, 0.05),
    |f, x| f.decision(x); 1e-6, saved);
conforms!(laplacian_logistic, data::spelt(), LaplacianLogistic::new(Kernel::rbf(1.0), 0.1, 0.05),
    |f, x| f.predict_proba(x); 1e-6, unordered, saved,
    cancel(LaplacianLogistic::new(Kernel::rbf(1.0), 0.1, 0.05).progress(enough())));
conforms!(hierarchical, data::blobs(), Hierarchical::new(3), |f, x| Ok(labels(&f.predict(x)?)); 0.0, saved,
    cancel(Hierarchical::new(3).progress(enough())));
// Few iterations: later a descent is chaotic, and two devices draw two pictures.
conforms!(t_sne, data::blobs(), TSne::new(2).perplexity(8.0).max_iterations(5).exaggerated_iterations(3),
    |f, x| f.transform(x); 1e-4, saved, cancel(TSne::new(2).perplexity(8.0).progress(enough())));
