//! A search of a dozen questions is too small for a GPU.

use mercer::Device;
use mercer::device::DeviceOptions;
use mercer::models::bayes_opt::BayesOptimiser;

#[test]
fn a_short_search_leaves_the_gpu_alone() {
    let index = Device::adapters().into_iter().find(|a| a.usable).expect("an adapter").index;
    let gpu = DeviceOptions::new().index(index).open().unwrap();
    let before = gpu.counters();
    let run = |device: &Device| {
        let mut search = BayesOptimiser::new(device, &[(-1.0, 1.0), (0.0, 2.0)]).unwrap().seed(4);
        let mut asked = Vec::new();
        for _ in 0..12 {
            let x = search.ask().unwrap();
            search.tell(&x, (x[0] - 0.3).powi(2) + (3.0 * x[1]).cos()).unwrap();
            asked.push(x);
        }
        assert!(!search.learned().unwrap().device().is_gpu());
        asked
    };
    assert_eq!(run(&gpu), run(&Device::cpu()));
    assert_eq!(gpu.counters(), before);
}
