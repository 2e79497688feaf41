//! Generated secrets, texts that contain them, their encodings, and the search for remains.
//!
//! Nothing here prints a secret, not even a generated one, since tests are copied as examples.

use memchr::memmem;

/// Random numbers, the same on every run.
pub(super) struct Dice(pub u64);

impl Dice {
    pub(super) fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % most
    }

    pub(super) fn letters(&mut self, alphabet: &str, count: usize) -> String {
        (0..count).map(|_| char::from(alphabet.as_bytes()[self.below(alphabet.len())])).collect()
    }

    /// At least one digit and one letter, since some rules require them.
    fn mixed(&mut self, count: usize) -> String {
        format!("{}7{}q", self.letters(MIXED, 1), self.letters(MIXED, count - 3))
    }
}

const MIXED: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const LOWER_HEX: &str = "0123456789abcdef";

pub(super) struct Planted {
    pub rule: &'static str,
    pub secret: String,
    /// A text in which the rule finds the secret.
    pub text: String,
}

/// One secret of each shape, in a text in which it is found.
pub(super) fn planted(dice: &mut Dice) -> Vec<Planted> {
    let mut all = Vec::new();
    let mut shape = |rule, secret: String| {
        let text = format!("see {secret} there");
        all.push(Planted { rule, secret, text });
    };
    shape("jwt", format!("eyJ{}.eyJ{}.{}", dice.mixed(20), dice.mixed(30), dice.mixed(40)));
    shape("aws-key", format!("AKIA{}", dice.letters(UPPER, 16)));
    shape("github-token", format!("ghp_{}", dice.mixed(36)));
    shape("github-token", format!("github_pat_{}_{}", dice.mixed(22), dice.mixed(59)));
    shape("gitlab-token", format!("glpat-{}", dice.mixed(20)));
    shape("slack-token", format!("xoxb-{}-{}", dice.letters("0123456789", 12), dice.mixed(24)));
    shape("stripe-key", format!("sk_live_{}", dice.mixed(24)));
    shape("anthropic-key", format!("sk-ant-api03-{}", dice.mixed(60)));
    shape("openai-key", format!("sk-proj-{}", dice.mixed(48)));
    shape("google-key", format!("AIza{}", dice.mixed(35)));
    shape("npm-token", format!("npm_{}", dice.mixed(36)));
    shape("huggingface-token", format!("hf_{}", dice.mixed(34)));
    shape("vendor-key", format!("dop_v1_{}", dice.letters(LOWER_HEX, 64)));
    let body = (0..4).map(|_| dice.letters(MIXED, 64)).collect::<Vec<_>>().join("\n");
    shape("private-key", format!("-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----"));
    let mut beside = |rule, before: &str, secret: String, after: &str| {
        all.push(Planted { rule, text: format!("{before}{secret}{after}"), secret });
    };
    beside("bearer", "Authorization: Bearer ", dice.mixed(30), "");
    beside("url-credentials", "clone https://deploy:", dice.mixed(20), "@git.example/x.git now");
    beside("url-query", "GET https://api.example/v1?a=1&access_token=", dice.mixed(24), "&b=2");
    beside("header", "Cookie: sid=", dice.mixed(32), "");
    beside("assignment", "export DB_PASSWORD=", dice.mixed(18), " && ./run");
    beside(
        "assignment",
        r#"sent {"client_secret": ""#,
        format!("{} +/&{}", dice.mixed(9), dice.mixed(9)),
        r#""} to it"#,
    );
    beside("assignment", "mysql --password ", dice.mixed(14), " -u root");
    let pair = format!("admin:{}", dice.mixed(18));
    beside("basic", "Authorization: Basic ", base64(pair.as_bytes(), 0, false), "");
    // Tests refer to some of these by number, so new ones are added at the end.
    beside("github-token", "a\u{1b}[32m", format!("ghp_{}", dice.mixed(36)), "\u{1b}[0m b");
    beside("assignment", "\u{1b}[36mDB_PASSWORD\u{1b}[0m=\u{1b}[1m", dice.mixed(18), "\u{1b}[0m");
    beside("assignment", "{\"a\": 1, \"password\": \"", dice.mixed(16), "\n... 312 more lines");
    beside("url-credentials", "postgres://app:", format!("{}@{}", dice.mixed(9), dice.mixed(9)), "@db/x");
    beside("assignment", "export DB_PASSWORD=", format!("{};{}", dice.mixed(9), dice.mixed(9)), " && ./run");
    beside("login", "curl -s -u bob:", dice.mixed(14), " https://api.example");
    all
}

/// The encodings of a text inside another.
pub(super) const SPELLINGS: usize = 8;

pub(super) fn spelled(text: &str, how: usize) -> String {
    let json = |text: &str| serde_json::json!({"note": [text], "n": 1}).to_string();
    match how {
        0 => text.to_owned(),
        1 => json(text),
        2 => json(&json(&json(text))),
        3 => format!("data:text/plain;base64,{}", base64(text.as_bytes(), 0, false)),
        4 => format!("/search?q={}", percent(text)),
        5 => base64(json(text).as_bytes(), 0, true),
        6 => serde_json::json!({text: {"deep": 1}}).to_string(),
        _ => format!("sh -c 'run' -- {text}\nafter it: {{\"open\": \"cut of"),
    }
}

pub(super) fn percent(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes()
        .map(|byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// Base64 of bytes that follow `lead` others, without padding. Implemented here, so that the code under test is not
/// used to test itself.
pub(super) fn base64(bytes: &[u8], lead: usize, url_safe: bool) -> String {
    let last = if url_safe { "-_" } else { "+/" };
    let alphabet = format!("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789{last}");
    let bits: Vec<u8> = std::iter::repeat_n(&0_u8, lead)
        .chain(bytes)
        .flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1))
        .collect();
    let digit = |six: &[u8]| (0..6).fold(0, |sum, at| sum * 2 + usize::from(six.get(at).copied().unwrap_or(0)));
    bits.chunks(6).map(|six| char::from(alphabet.as_bytes()[digit(six)])).collect()
}

/// Everything that must not be found of a secret: itself and each of its encodings.
pub(super) fn traces(secret: &str) -> Vec<String> {
    let escaped = serde_json::Value::from(secret).to_string();
    let mut all = vec![secret.to_owned(), escaped[1..escaped.len() - 1].to_owned()];
    all.push(percent(secret));
    all.push(percent(secret).to_lowercase());
    for lead in 0..3 {
        for url_safe in [false, true] {
            let digits = base64(secret.as_bytes(), lead, url_safe);
            let whole = (lead + secret.len()) * 8 / 6;
            all.push(digits[(lead * 8).div_ceil(6)..whole].to_owned());
        }
    }
    all
}

/// Fails if anything is left, and names the secret by its number only.
pub(super) fn assert_gone(planted: &[Planted], output: &[u8]) {
    for (number, planted) in planted.iter().enumerate() {
        for (spelling, trace) in traces(&planted.secret).iter().enumerate() {
            let left = memmem::find(output, trace.as_bytes());
            assert!(left.is_none(), "secret {number} ({}), spelling {spelling}, at byte {left:?}", planted.rule);
        }
    }
}
