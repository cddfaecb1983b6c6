//! Texts and categories as numbers.

use mercer::prelude::*;
use ndarray::{Array2, Axis, array};

use crate::{close, matrix, near, oracle};

fn texts() -> Vec<String> {
    oracle()["text"]["texts"].as_array().unwrap().iter().map(|t| t.as_str().unwrap().to_owned()).collect()
}

/// scikit-learn drops one-letter words, as we do.
#[test]
fn scikit_learn_agrees() {
    let (all, texts) = (oracle(), texts());
    let want = &all["text"];
    let bag = BagOfWords::new(Tokens::new().stop_words(["the", "and"]).runs((1, 2))).read(&texts).unwrap();
    let words: Vec<&str> = want["words"].as_array().unwrap().iter().map(|w| w.as_str().unwrap()).collect();
    assert_eq!(bag.words(), words);
    assert_eq!(bag.count(&texts).unwrap(), matrix(&want["counts"]));
    let counts = BagOfWords::new(Tokens::new()).read(&texts).unwrap().count(&texts).unwrap();
    let model = TfIdfFeatures::new().smooth(true).raw_counts(true).unit_rows(true);
    let x = model.fit(&Device::cpu(), &counts).unwrap().transform(&counts).unwrap();
    close(x.view(), matrix(&want["tfidf"]).view(), 1e-12);
}

/// F-08, M.3: counts sum to the words, the order of words does not matter, presence is at most one.
#[test]
fn bags_of_words() {
    let texts = texts();
    let tokens = Tokens::new().stop_words(["the"]);
    let bag = BagOfWords::new(tokens.clone()).read(&texts).unwrap();
    let counts = bag.count(&texts).unwrap();
    for (row, text) in counts.rows().into_iter().zip(&texts) {
        near(row.sum(), tokens.of(text).unwrap().len() as f64, 0.0);
    }
    let turned: Vec<String> =
        texts.iter().map(|t| t.split(' ').rev().collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(bag.count(&turned).unwrap(), counts);
    let presence = BagOfWords::new(tokens).presence(true).read(&texts).unwrap().count(&texts).unwrap();
    assert_eq!(presence, counts.mapv(|v| v.min(1.0)));
    let few = BagOfWords::new(Tokens::new()).least_texts(2).most_words(3).read(&texts).unwrap();
    assert_eq!(few.words(), ["and", "log", "the"]);
    assert_eq!(bag.count(&["nothing known here"]).unwrap().sum(), 0.0);
}

/// F-09: logarithms of both, natural, without smoothing.
#[test]
fn rarity_of_the_notes() {
    let counts =
        array![[3.0_f64, 1.0, 0.0, 0.0], [1.0, 0.0, 2.0, 0.0], [2.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0]];
    let fit = TfIdfFeatures::new().fit(&Device::cpu(), &counts).unwrap();
    let want = [0.0, 2f64.ln(), 4f64.ln(), 0.0];
    fit.idf().iter().zip(want).for_each(|(g, w)| near(*g, w, 1e-15));
    let x = fit.transform(&counts).unwrap();
    for ((i, j), v) in x.indexed_iter() {
        near(*v, counts[[i, j]].ln_1p() * want[j], 1e-15);
    }
    // Rarer words weigh more, and none weighs less than nothing.
    assert!(fit.idf()[2] > fit.idf()[1] && fit.idf().iter().all(|v| *v >= 0.0));
    assert!(fit.transform(array![[-1.0, 0.0, 0.0, 0.0]]).is_err());
}

#[test]
fn hashes_keep_the_sum_of_squares_on_average() {
    let texts = texts();
    let hashed = HashedWords::new(Tokens::new(), 4096).count(&texts).unwrap();
    let counts = BagOfWords::new(Tokens::new()).read(&texts).unwrap().count(&texts).unwrap();
    // With so many columns words do not collide: inner products stay.
    close(hashed.dot(&hashed.t()).view(), counts.dot(&counts.t()).view(), 1e-12);
    assert_eq!(
        HashedWords::new(Tokens::new(), 8).signed(false).count(&texts).unwrap().sum_axis(Axis(1)),
        counts.sum_axis(Axis(1))
    );
    assert_eq!(
        HashedWords::new(Tokens::new(), 64).count(&texts).unwrap(),
        HashedWords::new(Tokens::new(), 64).count(&texts).unwrap()
    );
}

/// F-05: there and back.
#[test]
fn codes_round_trip() {
    let y = ["b", "a", "b", "b"];
    for code in [TargetCode::ZeroOne, TargetCode::PlusMinus, TargetCode::OneHot] {
        let (labels, t) = code.encode(&y).unwrap();
        assert_eq!(code.decode(&labels, &t).unwrap(), y);
        assert_eq!(code.decode(&labels, &(&t * 0.9 + 0.02)).unwrap(), y);
    }
    let (labels, t) = TargetCode::OneHot.encode(&[3, 1, 2]).unwrap();
    assert_eq!(t, array![[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    assert_eq!(TargetCode::OneHot.decode(&labels, &t).unwrap(), [3, 1, 2]);
    assert!(TargetCode::ZeroOne.encode(&[3, 1, 2]).is_err() && TargetCode::OneHot.encode(&[1, 1]).is_err());
    let colours = OneHot::of(&["red", "blue"]).unwrap();
    let codes = colours.encode(&["red", "red", "blue"]);
    assert_eq!(colours.decode(&codes).unwrap(), [Some("red"), Some("red"), Some("blue")]);
    let means = TargetMeans::of(&["a", "a", "b"], &array![1.0, 3.0, 8.0], 0.0).unwrap();
    assert_eq!(means.encode(&["b", "a", "new"]), array![[8.0], [2.0], [4.0]]);
}

#[test]
fn an_empty_vocabulary_is_an_error() {
    let nothing: [&str; 0] = [];
    for texts in [&nothing[..], &["", "..."][..], &["the the"][..]] {
        let bag = BagOfWords::new(Tokens::new().stop_words(["the"]));
        assert!(matches!(bag.read(texts), Err(Error::Shape { .. })));
    }
    let bag = BagOfWords::new(Tokens::new()).read(&["some words"]).unwrap();
    assert!(bag.count(&nothing).is_err());
    assert!(HashedWords::new(Tokens::new(), 0).count(&["a"]).is_err());
    assert!(BagOfWords::new(Tokens::new().runs((0, 1))).read(&["some words"]).is_err());
}

/// A small text set: naive Bayes and tf-idf with logistic regression both learn it.
#[test]
fn texts_are_classified() {
    let texts = [
        "cheap pills buy now",
        "buy cheap watches now",
        "win money now",
        "cheap money win",
        "meeting at noon",
        "lunch at noon tomorrow",
        "the report for the meeting",
        "report due tomorrow",
    ];
    let y = ["spam", "spam", "spam", "spam", "ham", "ham", "ham", "ham"];
    let bag = BagOfWords::new(Tokens::new()).read(&texts).unwrap();
    let counts: Array2<f64> = bag.count(&texts).unwrap();
    let new = bag.count(&["buy pills", "meeting tomorrow"]).unwrap();
    let bayes = MultinomialNaiveBayes::new(1.0).fit(&Device::cpu(), &counts, y).unwrap();
    assert_eq!(bayes.predict(&new).unwrap(), ["spam", "ham"]);
    let linear = Pipeline::new(TfIdfFeatures::new(), LogisticRegression::new(0.1))
        .fit(&Device::cpu(), &counts, y)
        .unwrap();
    assert_eq!(linear.predict(&new).unwrap(), ["spam", "ham"]);
}

/// Stop words are left out whatever the size of letters; words may be kept as they are, and short or common ones left out.
#[test]
fn options_of_words() {
    let text = "The cat and THE Cat, a dog";
    let words = |tokens: Tokens| tokens.of(text).unwrap();
    assert_eq!(words(Tokens::new()), ["the", "cat", "and", "the", "cat", "dog"]);
    let as_they_are = Tokens::new().lower_case(false);
    assert_eq!(words(as_they_are.clone()), ["The", "cat", "and", "THE", "Cat", "dog"]);
    for stop in ["The", "the", "THE"] {
        assert_eq!(words(as_they_are.clone().stop_words([stop])), ["cat", "and", "Cat", "dog"], "{stop}");
        assert_eq!(words(Tokens::new().stop_words([stop])), ["cat", "and", "cat", "dog"], "{stop}");
    }
    assert_eq!(words(Tokens::new().shortest(1)).len(), 7);
    assert!(words(Tokens::new().shortest(4)).is_empty());
    // "the" is in two of three texts, "cat" in one.
    let texts = ["the cat", "the dog", "no dog"];
    let read = |share| BagOfWords::new(Tokens::new()).largest_share(share).read(&texts).unwrap();
    assert_eq!(read(1.0).words(), ["cat", "dog", "no", "the"]);
    assert_eq!(read(0.5).words(), ["cat", "no"]);
    assert!(BagOfWords::new(Tokens::new()).largest_share(0.3).read(&texts).is_err());
    assert!(BagOfWords::new(Tokens::new()).largest_share(0.0).read(&texts).is_err());
}
