//! How many cases a property test tries, and where its counterexamples are kept.

/// The number of cases. Failing ones are kept in `tests/regressions` and are tried first from then on.
macro_rules! cases {
    ($count:expr, $name:literal) => {
        proptest::test_runner::Config {
            cases: $crate::tests::cases::scaled($count),
            failure_persistence: Some(Box::new(proptest::test_runner::FileFailurePersistence::Direct(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/tests/regressions/",
                $name,
                ".txt"
            )))),
            ..proptest::test_runner::Config::default()
        }
    };
}

pub(crate) use cases;

/// `CASES=10 cargo test` tries ten times as many. The usual number is chosen for code that is not optimized.
pub(crate) fn scaled(usual: u32) -> u32 {
    let factor = std::env::var("CASES").ok().and_then(|factor| factor.parse().ok()).unwrap_or(1);
    usual.saturating_mul(factor)
}
