//! How many cases a property test tries, and where its counterexamples are kept.

/// The number of cases. Failing ones are kept in `tests/regressions` and are tried first from then on.
macro_rules! cases {
    ($count:expr, $name:literal) => {
        proptest::test_runner::Config {
            cases: $count,
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
