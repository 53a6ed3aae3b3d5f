use super::*;

fn left(reason: &str) -> End {
    End::Left {
        reason: reason.to_owned(),
        place: None,
    }
}

fn seconds(n: u64) -> Duration {
    Duration::from_secs(n)
}

#[test]
fn shares_are_of_time_and_bound_the_gain() {
    let mut shares = Shares::default();
    shares.add(Class::Straight, End::Answered, seconds(1));
    shares.add(Class::Straight, End::Answered, seconds(1));
    shares.add(Class::Loops, left("memory"), seconds(2));
    shares.add(Class::Refused, left(ENDLESS), seconds(4));
    assert_eq!((shares.all.n_runs, shares.answered.n_runs), (4, 2));
    assert!((shares.share() - 0.25).abs() < 1e-9);
    assert!((shares.most_gain() - 4.0 / 3.0).abs() < 1e-9);
    assert!((shares.of_ending(&shares.answered) - 0.5).abs() < 1e-9);
    let [straight, loops, refused] = shares.classes;
    assert_eq!(straight.all, straight.answered);
    assert_eq!((loops.all.n_runs, loops.answered.n_runs), (1, 0));
    assert_eq!(refused.all.cpu, seconds(4));
}

#[test]
fn no_runs_at_all_gain_nothing() {
    let shares = Shares::default();
    assert_eq!((shares.share(), shares.most_gain()), (0.0, 1.0));
    assert_eq!(shares.of_ending(&shares.answered), 0.0);
}
