//! Exchanges: what they give, what they cost, and what happens if somebody fails.

use mercer::Error;
use mercer::learn::ranks::{Alone, Counted, Ranks, Threads, meet};

#[test]
fn gathers_are_in_the_order_of_ranks_and_broadcasts_come_from_the_first() {
    for size in 1..9 {
        for (rank, found) in Threads::run(size, |ranks| {
            meet(ranks, |all| {
                let names = all.gather("names", format!("rank {}", all.rank()))?;
                let first = all.broadcast("first", Some(all.rank() * 10 + 7))?;
                let dealt = all.deal("squares", 11, |i| Ok(i * i))?;
                Ok((names, first, dealt))
            })
        })
        .into_iter()
        .enumerate()
        {
            let (names, first, dealt) = found.unwrap();
            assert_eq!(
                names,
                (0..size).map(|r| format!("rank {r}")).collect::<Vec<_>>(),
                "at {rank} of {size}"
            );
            assert_eq!(first, 7);
            assert_eq!(dealt, (0..11).map(|i| i * i).collect::<Vec<_>>());
        }
    }
}

#[test]
fn sums_are_the_same_bits_on_every_rank_and_every_time() {
    for size in [2, 3, 5, 8] {
        let once = || {
            Threads::run(size, |ranks| {
                let own = vec![0.1 / (ranks.rank() as f64 + 3.0), 1e17 * (ranks.rank() as f64 - 1.0)];
                meet(ranks, |all| all.sum("bits", own.clone())).unwrap()
            })
        };
        let (first, second) = (once(), once());
        for found in first.iter().chain(&second) {
            assert_eq!(
                found.iter().map(|v| v.to_bits()).collect::<Vec<_>>(),
                first[0].iter().map(|v| v.to_bits()).collect::<Vec<_>>()
            );
        }
    }
}

#[test]
fn an_exchange_is_two_messages_for_each_rank_but_one() {
    for size in [1, 2, 3, 5, 8] {
        let sent = Threads::run(size, |ranks| {
            let counted = Counted::new(ranks);
            // Only the exchange itself, and the end of the meeting.
            meet(&counted, |all| all.sum("x", vec![0.0; 100]).map(|_| ())).unwrap();
            counted.sent()
        });
        let messages: usize = sent.iter().map(|t| t.messages).sum();
        assert_eq!(messages, 2 * 2 * (size - 1));
        // 1 for the verdict, 8 + name, 8 + 8 a number; the end has a name and nothing else.
        let one = (1 + 8 + 1) + (8 + 800) + (1 + 8 + "the end".len());
        assert_eq!(sent.iter().map(|t| t.bytes).sum::<usize>(), 2 * (size - 1) * one);
    }
}

#[test]
fn the_error_of_any_rank_is_that_of_all_wherever_the_others_are() {
    for size in [2, 3, 5] {
        for bad in 0..size {
            let found = Threads::run(size, |ranks| {
                meet(ranks, |all| {
                    let first = all.total("first", 1.0)?;
                    if all.rank() == bad {
                        return Err(Error::Singular { op: "here", index: 3, value: 0.5 });
                    }
                    // The others go on to different numbers of exchanges.
                    (0..5).try_fold(first, |sum, _| all.total("second", sum))
                })
            });
            let met = Error::Singular { op: "here", index: 3, value: 0.5 };
            let wanted = Error::OnRank { rank: bad, error: Box::new(met) };
            assert!(found.iter().all(|e| e.as_ref().unwrap_err() == &wanted), "{found:?}");
            // And nothing is left in the way of what comes next.
        }
    }
}

#[test]
fn ranks_that_part_are_told_so() {
    let found = Threads::run(3, |ranks| {
        meet(ranks, |all| if all.rank() == 1 { Ok(1.0) } else { all.total("only two", 1.0) })
    });
    for e in found {
        let text = e.unwrap_err().to_string();
        assert!(text.contains("only two") && text.contains("the end"), "{text}");
    }
}

#[test]
fn the_same_error_everywhere_has_no_rank() {
    let found = Threads::run(3, |ranks| {
        meet(ranks, |_| -> mercer::Result<()> { Err(Error::Separable { op: "all of us" }) })
    });
    assert!(found.iter().all(|e| e == &Err(Error::Separable { op: "all of us" })));
}

#[test]
fn one_process_sends_nothing() {
    let counted = Counted::new(&Alone);
    let sum = meet(&counted, |all| all.sum("alone", vec![1.0])).unwrap();
    assert_eq!((sum, counted.sent().messages), (vec![1.0], 0));
    assert!(Alone.send(1, &[]).is_err() && Alone.receive(0).is_err());
}
