//! Lines of support vector machines and of other methods of a kernel's function space.

use mercer::prelude::*;

use crate::checks::{beside, column, enough, labels};
use crate::data;

conforms!(svm_classifier, data::spelt(), SvmClassifier::new(Kernel::rbf(1.0), 1.0).tolerance(1e-9),
    |f, x| Ok(beside(&[f.decision(x)?.view(), labels(&f.predict(x)?).view()])); 1e-6, weights, unordered, saved,
    cancel(SvmClassifier::new(Kernel::rbf(1.0), 1.0).progress(enough())));
conforms!(svm_of_two, data::two_classes(), SvmClassifier::new(Kernel::rbf(1.0), 1.0).tolerance(1e-9).probabilities(3),
    |f, x| Ok(beside(&[f.decision(x)?.view(), f.predict_proba(x)?.view()])); 1e-6, saved);
conforms!(svm_by_nu, data::two_classes(), SvmClassifier::nu(Kernel::rbf(1.0), 0.6).tolerance(1e-7),
    |f, x| f.decision(x); 1e-6, weights, unordered, saved);
conforms!(svm_regressor, data::curve(), SvmRegressor::new(Kernel::rbf(1.0), 1.0, 0.1).tolerance(1e-9),
    |f, x| Ok(column(f.predict(x)?)); 1e-6, weights, unordered, saved,
    cancel(SvmRegressor::new(Kernel::rbf(1.0), 1.0, 0.1).progress(enough())));
conforms!(svm_regressor_of_several, data::curves(), SvmRegressor::nu(Kernel::rbf(1.0), 1.0, 0.5).tolerance(1e-9),
    |f, x| f.predict(x); 1e-6, weights, unordered, saved);
conforms!(one_class_svm, data::blobs(), OneClassSvm::new(Kernel::rbf(1.0), 0.2).tolerance(1e-10),
    |f, x| f.decision(x); 1e-6, weights, unordered, saved, cancel(OneClassSvm::new(Kernel::rbf(1.0), 0.2).progress(enough())));
conforms!(enclosing_ball, data::blobs(), EnclosingBall::new(Kernel::rbf(1.0)),
    |f, x| Ok(column(f.distance(x)?)); 1e-6, unordered, saved, cancel(EnclosingBall::new(Kernel::rbf(1.0)).progress(enough())));
conforms!(least_squares_svm, data::spelt(), LeastSquaresSvm::new(Kernel::rbf(1.0), 10.0),
    |f, x| f.decision(x); 1e-6, weights, unordered, saved);
conforms!(relevance_vector_machine, data::curve(), RelevanceVectorMachine::new(Kernel::rbf(1.0)).tolerance(1e-2).max_iterations(200),
    |f, x| Ok(column(f.predict(x)?)); 1e-6, saved, cancel(RelevanceVectorMachine::new(Kernel::rbf(1.0)).progress(enough())));
conforms!(relevance_vector_classifier, data::two_classes(), RelevanceVectorClassifier::new(Kernel::rbf(1.0)),
    |f, x| Ok(beside(&[f.decision(x)?.view(), f.predict_proba(x)?.view()])); 1e-6, weights, saved,
    cancel(RelevanceVectorClassifier::new(Kernel::rbf(1.0)).progress(enough())));
conforms!(empirical_features, data::blobs(), EmpiricalFeatures::new(Kernel::rbf(1.0)).cutoff(1e-3), |f, x| f.transform(x); 1e-6, saved);
conforms!(kernel_perceptron, data::spelt(), KernelPerceptron::new(Kernel::rbf(1.0)),
    |f, x| f.decision(x); 1e-6, saved, cancel(KernelPerceptron::new(Kernel::rbf(1.0)).progress(enough())));
conforms!(kernel_pca, data::blobs(), KernelPca::new(Kernel::rbf(1.0), 3), |f, x| f.transform(x); 1e-6, saved);
conforms!(kernel_k_means, data::blobs(), KernelKMeans::new(Kernel::rbf(2.0), 3).seed(1),
    |f, x| Ok(beside(&[labels(&f.predict(x)?).view(), f.transform(x)?.view()])); 1e-6, saved,
    cancel(KernelKMeans::new(Kernel::rbf(2.0), 3).progress(enough())));
conforms!(kernel_logistic, data::spelt(), KernelLogistic::new(Kernel::rbf(1.0), 0.1), |f, x| f.predict_proba(x); 1e-6, weights, unordered, saved);
conforms!(kernel_discriminant, data::spelt(), KernelDiscriminant::new(Kernel::rbf(1.0), 0.1), |f, x| f.decision(x); 1e-6, unordered, saved);
conforms!(kernel_risk, data::curve(), KernelRisk::new(Kernel::rbf(1.0), SmoothLoss::Huber(0.5), 0.1),
    |f, x| Ok(column(f.predict(x)?)); 1e-6, weights, unordered, saved);
