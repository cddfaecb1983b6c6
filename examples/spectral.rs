//! Clusters that are connected rather than round: two moons, and a club that split in two.
//!
//! `cargo run --release --example spectral` writes `target/spectral.png`. k-means cuts both moons in half, since it knows a
//! cluster by its centre; spectral clustering looks for a cheap cut of the graph of neighbours. The club is Zachary's: 34
//! members of a karate club and the 78 friendships among them, seen before the club split over a quarrel between its
//! instructor (member 1) and its president (member 34).

#[path = "support/mod.rs"]
mod support;

use std::error::Error;
use std::f64::consts::PI;

use mercer::matrix::SparseMatrix;
use mercer::prelude::*;
use ndarray::Array2;
use plotters::coord::Shift;
use plotters::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const COLOURS: [RGBColor; 2] = [RGBColor(38, 102, 172), RGBColor(190, 58, 45)];

/// Friendships among the members, W. W. Zachary, "An information flow model for conflict and fission in small groups" (1977).
const FRIENDS: [(usize, &[usize]); 27] = [
    (1, &[2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 18, 20, 22, 32]),
    (2, &[3, 4, 8, 14, 18, 20, 22, 31]),
    (3, &[4, 8, 9, 10, 14, 28, 29, 33]),
    (4, &[8, 13, 14]),
    (5, &[7, 11]),
    (6, &[7, 11, 17]),
    (7, &[17]),
    (9, &[31, 33, 34]),
    (10, &[34]),
    (14, &[34]),
    (15, &[33, 34]),
    (16, &[33, 34]),
    (19, &[33, 34]),
    (20, &[34]),
    (21, &[33, 34]),
    (23, &[33, 34]),
    (24, &[26, 28, 30, 33, 34]),
    (25, &[26, 28, 32]),
    (26, &[32]),
    (27, &[30, 34]),
    (28, &[34]),
    (29, &[32, 34]),
    (30, &[33, 34]),
    (31, &[33, 34]),
    (32, &[33, 34]),
    (33, &[34]),
    (34, &[]),
];
/// The members who went with the instructor.
const INSTRUCTOR: [usize; 17] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 17, 18, 20, 22];

fn moons(n: usize) -> Array2<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    Array2::from_shape_fn((n, 2), |(i, j)| {
        let t = PI * (i / 2) as f64 / (n / 2 - 1) as f64;
        let at = if i % 2 == 0 { [t.cos(), t.sin()] } else { [1.0 - t.cos(), 0.5 - t.sin()] };
        at[j] + 0.2 * (rng.random::<f64>() - 0.5)
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::best();
    let (path, area) = support::picture("spectral", (1800, 620))?;
    let panels = area.split_evenly((1, 3));

    let x = moons(300);
    let truth: Vec<usize> = (0..300).map(|i| i % 2).collect();
    let means = KMeans::new(2).fit(&device, &x)?;
    let spectral = SpectralClustering::new(2).neighbourhood(Neighbourhood::nearest(8)).fit(&device, &x)?;
    println!("two moons, agreement with the truth (adjusted Rand index)");
    println!("k-means   {:.3}", adjusted_rand(&truth, means.labels())?);
    println!("spectral  {:.3}", adjusted_rand(&truth, spectral.labels())?);
    println!("the graph has {} components", spectral.graph().component_count());
    scatter(&panels[0], "k-means", &x, means.labels())?;
    scatter(&panels[1], "Spectral clustering, 8 neighbours", &x, spectral.labels())?;

    let friends = FRIENDS.iter().flat_map(|(a, all)| all.iter().map(move |b| (a - 1, b - 1, 1.0)));
    let club = Graph::from_edges(34, &friends.collect::<Vec<_>>())?;
    let split = SpectralClustering::new(2).fit_graph(&club)?;
    let sides: Vec<usize> = (1..=34).map(|m| usize::from(!INSTRUCTOR.contains(&m))).collect();
    let right = (0..34).filter(|&i| (split.labels()[i] == split.labels()[0]) == (sides[i] == 0)).count();
    println!("\nthe club: {right} of 34 members on the side they took");
    println!(
        "normalised cut {:.3}, of the real split {:.3}",
        club.normalised_cut(split.labels())?,
        club.normalised_cut(&sides)?
    );
    let links: SparseMatrix = club.weights().clone();
    let ranks = PageRank::default().rank(&links)?;
    let first: Vec<usize> = ranks.order().iter().take(4).map(|i| i + 1).collect();
    println!("highest PageRank: members {first:?}");
    let places = LaplacianEigenmaps::new(2).fit_graph(&club)?;
    network(
        &panels[2],
        &club,
        places.embedding(),
        split.labels(),
        &sides,
        ranks.mean_one().as_slice().unwrap_or_default(),
    )?;

    area.present()?;
    println!("\n{}", path.display());
    Ok(())
}

fn scatter(
    area: &DrawingArea<BitMapBackend<'static>, Shift>,
    title: &str,
    x: &Array2<f64>,
    labels: &[usize],
) -> Result<(), Box<dyn Error>> {
    let mut chart = support::axes(area, title, (-1.3..2.3, ""), (-0.8..1.3, ""))?;
    let dots =
        x.rows().into_iter().zip(labels).map(|(r, l)| Circle::new((r[0], r[1]), 4, COLOURS[*l].filled()));
    chart.draw_series(dots)?;
    Ok(())
}

/// Members at their coordinates, as large as their rank; a ring has the colour of the side that a member really took.
fn network(
    area: &DrawingArea<BitMapBackend<'static>, Shift>,
    club: &Graph,
    at: &Array2<f64>,
    labels: &[usize],
    sides: &[usize],
    ranks: &[f64],
) -> Result<(), Box<dyn Error>> {
    let range = |j: usize| {
        let (low, high) = at.column(j).iter().fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(*v), b.max(*v)));
        let margin = 0.1 * (high - low);
        low - margin..high + margin
    };
    let mut chart =
        support::axes(area, "A karate club, by Laplacian eigenmaps", (range(0), ""), (range(1), ""))?;
    let place = |i: usize| (at[[i, 0]], at[[i, 1]]);
    let lines = club
        .edges()
        .into_iter()
        .map(|(i, j, _)| PathElement::new([place(i), place(j)], support::INK.mix(0.25)));
    chart.draw_series(lines)?;
    let side = |i: usize| COLOURS[sides[i]];
    let found = |i: usize| COLOURS[usize::from(labels[i] != labels[0])];
    let size = |i: usize| (3.0 + 4.0 * ranks[i].sqrt()) as i32;
    chart.draw_series((0..34).map(|i| Circle::new(place(i), size(i) + 3, side(i).filled())))?;
    chart.draw_series((0..34).map(|i| Circle::new(place(i), size(i) + 1, WHITE.filled())))?;
    chart.draw_series((0..34).map(|i| Circle::new(place(i), size(i), found(i).mix(0.8).filled())))?;
    let style = || ("sans-serif", 24).into_font().color(&support::INK);
    chart.draw_series(
        [0, 33].map(|i| EmptyElement::at(place(i)) + Text::new(format!("{}", i + 1), (14, -26), style())),
    )?;
    Ok(())
}
