//! Measuring by taking turns: every round runs each contestant a few times, so that whatever the machine does meanwhile
//! meets all of them, and each round gives its own ratios.

use std::time::{Duration, Instant};

use crate::files::Sized;

/// One thing to be measured. It is told how often it ran before, and checks its own result.
pub struct Contestant<'a> {
    pub name: String,
    /// The contestant it is compared with, by place; its own place for a floor.
    pub floor: usize,
    pub run: Box<dyn FnMut(usize) + 'a>,
}

impl<'a> Contestant<'a> {
    pub fn new(name: impl Into<String>, floor: usize, run: impl FnMut(usize) + 'a) -> Self {
        Contestant {
            name: name.into(),
            floor,
            run: Box::new(run),
        }
    }
}

/// How long one contest goes on.
#[derive(Clone, Copy)]
pub struct Length {
    pub rounds: usize,
    /// Runs of each contestant in a round.
    pub burst: usize,
}

/// What came out: for each contestant the time of one run in each round, in microseconds.
pub struct Outcome {
    names: Vec<String>,
    floors: Vec<usize>,
    rounds: Vec<Vec<f64>>,
}

/// Runs a contest. The first tenth of the rounds warms up and does not count.
pub fn contest(length: Length, mut contestants: Vec<Contestant<'_>>) -> Outcome {
    let warm_up = (length.rounds / 10).max(1);
    let mut ran = vec![0; contestants.len()];
    let mut rounds = Vec::with_capacity(length.rounds);
    for round in 0..length.rounds + warm_up {
        let mut times = vec![0.0; contestants.len()];
        for turn in 0..contestants.len() {
            let place = (turn + round) % contestants.len();
            let mut spent = Duration::ZERO;
            for _ in 0..length.burst {
                let started = Instant::now();
                (contestants[place].run)(ran[place]);
                spent += started.elapsed();
                ran[place] += 1;
            }
            times[place] = spent.as_secs_f64() * 1e6 / length.burst as f64;
        }
        if round >= warm_up {
            rounds.push(times);
        }
    }
    Outcome {
        names: contestants.iter().map(|it| it.name.clone()).collect(),
        floors: contestants.iter().map(|it| it.floor).collect(),
        rounds,
    }
}

impl Outcome {
    /// The median over the rounds of one contestant's time divided by another's.
    pub fn ratio(&self, of: usize, to: usize) -> f64 {
        median(
            self.rounds
                .iter()
                .map(|times| times[of] / times[to])
                .collect(),
        )
    }

    /// The time of all rounds of one contestant divided by another's: rare slow runs (checkpoints) count in full.
    fn ratio_of_sums(&self, of: usize, to: usize) -> f64 {
        let sum = |place: usize| self.rounds.iter().map(|times| times[place]).sum::<f64>();
        sum(of) / sum(to)
    }

    /// Prints by how much one contestant of the smallest size, and its floor, grow to the largest: what SQLite's cache no longer
    /// holds, both read again.
    pub fn print_growth(&self, sizes: &[Sized], name: &str, place: usize) {
        let largest = self.names.len() / sizes.len() * (sizes.len() - 1);
        let floor = self.floors[place];
        println!(
            "\n{name} at {} nodes / at {} nodes: {:.2} (its floor: {:.2})",
            sizes[sizes.len() - 1].nodes,
            sizes[0].nodes,
            self.ratio(largest + place, place),
            self.ratio(largest + floor, floor)
        );
    }

    /// Prints a table, each contestant beside its floor.
    pub fn print(&self, title: &str) {
        println!("\n## {title}\n");
        println!("| | median, µs | x floor (median of ratios) | x floor (sums) |");
        println!("|---|---|---|---|");
        for (place, name) in self.names.iter().enumerate() {
            let time = median(self.rounds.iter().map(|times| times[place]).collect());
            let floor = self.floors[place];
            if floor == place {
                println!("| {name} | {time:.1} | | |");
            } else {
                println!(
                    "| {name} | {time:.1} | {:.2} | {:.2} |",
                    self.ratio(place, floor),
                    self.ratio_of_sums(place, floor)
                );
            }
        }
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
