//! Every shader that the library can assemble, gathered on a device that only checks.

use mercer::device::{DeviceOptions, ProductShape};
use mercer::ops::{
    Trans, Weights, Whitening, gaussian_log_density, gemm, gram, gram_sum_grad, gram_vec, nearest, syrk,
    to_half,
};
use mercer::{Device, Error, Kernel, Matrix};
use ndarray::Array2;

use super::verbs::{points, verbs};
use super::zoo::zoo;

/// Name and text of each: every verb in both shapes of products, products of all sizes of tile, and every kernel in
/// every verb that takes one. Texts may repeat: a name says with which constants.
pub fn assembled() -> Vec<(String, String)> {
    let shapes = [ProductShape::Tiled, ProductShape::Direct];
    let devices: Vec<Device> =
        shapes.iter().map(|&s| DeviceOptions::new().pretend().products(s).open().unwrap()).collect();
    for device in &devices {
        for verb in verbs() {
            // Nothing is computed, so a result may be refused; a shader may not.
            if let Err(e @ (Error::Gpu { .. } | Error::TooLarge { .. } | Error::Unsupported { .. })) =
                (verb.run)(device)
            {
                panic!("{}: {e}", verb.name);
            }
        }
    }
    let device = &devices[0];
    let up = |a: Array2<f64>| Matrix::from_array(device, a.view()).unwrap();
    let (tall, wide) = (up(points(2305, 4, 1)), up(points(4, 2305, 1)));
    let [half_tall, half_wide] = [&tall, &wide].map(|m| to_half(m).unwrap());
    for (a, half_a, ta) in [(&tall, &half_tall, Trans::No), (&wide, &half_wide, Trans::Yes)] {
        for (b, half_b, tb) in [(&wide, &half_wide, Trans::No), (&tall, &half_tall, Trans::Yes)] {
            gemm(1.0, a, ta, b, tb).unwrap();
            gemm(1.0, half_a, ta, half_b, tb).unwrap();
            gemm(1.0, half_a, ta, b, tb).unwrap();
        }
        syrk(1.0, a, ta).unwrap();
    }
    let (x, many) = (up(points(5, 3, 1)), up(points(5, 21, 1)));
    let (w, v) = (up(points(5, 5, 2)), up(points(5, 1, 3)));
    gram_vec(&Kernel::rbf(1.0), &to_half(&x).unwrap(), None, &v).unwrap();
    for kernel in zoo() {
        gram(&kernel, &x, None).unwrap();
        gram_vec(&kernel, &x, None, &x).unwrap();
        gram_vec(&kernel, &x, None, &v).unwrap();
        gram_sum_grad(&kernel, &x, None, Weights::Dense(&w)).unwrap();
        gram_sum_grad(&kernel, &x, None, Weights::Symmetric(&w)).unwrap();
    }
    gram_vec(&Kernel::rbf(1.0), &many, None, &v).unwrap();
    nearest(&many, &many).unwrap();
    let (z, means) = (up(points(5, 16, 1)), up(points(3, 16, 2)));
    let (w, offset) = (up(points(48, 16, 3)), up(points(1, 3, 4)));
    gaussian_log_density(&z, &means, Whitening::Full(&w), &offset).unwrap();
    devices.iter().flat_map(Device::shaders).collect()
}
