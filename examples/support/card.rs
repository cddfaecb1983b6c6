//! A graphics card from the command line.

use mercer::device::Card;

/// What follows `--card`: the name of a card that the library knows, or `NAME,TFLOPS,GB/S[,UNITS]`.
pub fn asked(arguments: &[String]) -> Option<Card> {
    let at = arguments.iter().position(|a| a == "--card")?;
    let text = arguments.get(at + 1)?;
    let parts: Vec<&str> = text.split(',').collect();
    let number = |i: usize| parts.get(i).and_then(|p| p.trim().parse::<f64>().ok());
    match (number(1), number(2)) {
        (Some(tera), Some(giga)) => {
            let card = Card::new(parts[0], tera * 1e12, giga * 1e9);
            Some(number(3).map_or(card.clone(), |units| card.units(units as usize)))
        }
        _ => Card::named(text),
    }
}
