//! Energy models, topics and latent classes.

use mercer::models::energy::Visible;
use mercer::prelude::*;

use crate::checks::enough;
use crate::data;

conforms!(rbm, data::answers(), Rbm::new(3).passes(5).seed(1), |f, x| f.transform(x); 1e-4, saved,
    cancel(Rbm::new(3).progress(enough())));
conforms!(rbm_of_numbers, data::blobs(), Rbm::new(3).visible(Visible::Gaussian).rate(0.01).passes(5).seed(1),
    |f, x| f.transform(x); 1e-4, saved);
conforms!(deep_autoencoder, data::answers(), DeepAutoencoder::new(&[3, 2]).iterations(20).seed(1), |f, x| f.transform(x); 1e-4, saved,
    cancel(DeepAutoencoder::new(&[3, 2]).progress(enough())));
conforms!(helmholtz, data::answers(), Helmholtz::new(&[2]).passes(5).seed(1), |f, x| f.transform(x); 0.0, saved,
    cancel(Helmholtz::new(&[2]).progress(enough())));
conforms!(topic_model, data::documents(), TopicModel::new(2).seed(1).tolerance(1e-10).max_iterations(3000), |f, x| f.transform(x); 1e-4, unordered, saved,
    cancel(TopicModel::new(2).progress(enough())));
conforms!(latent_class, data::answers(), LatentClass::new(2).seed(1), |f, x| f.predict_proba(x); 1e-4, saved,
    cancel(LatentClass::new(2).seed(1).progress(enough())));
