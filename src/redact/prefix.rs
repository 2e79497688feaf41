//! Prefixes of tokens: many services begin their tokens with one, so that a token is recognized without a sensitive
//! name.

use super::value::is_random;

/// The characters after a prefix.
#[derive(Clone, Copy)]
enum TokenBody {
    /// Letters, digits, `_` and `-`.
    Word,
    /// Also dots and the signs of base64.
    Wide,
    /// Hexadecimal digits, exactly this many or more.
    Hex(usize),
}

/// Bodies of fewer characters are words.
const BODY_FROM: usize = 16;

/// The prefixes, and what follows them.
const PREFIXES: [(&str, TokenBody); 96] = [
    // Infrastructure and clouds.
    ("hvs.", TokenBody::Word),
    ("hvb.", TokenBody::Word),
    ("hvr.", TokenBody::Word),
    ("dop_v1_", TokenBody::Word),
    ("doo_v1_", TokenBody::Word),
    ("dor_v1_", TokenBody::Word),
    ("dckr_pat_", TokenBody::Word),
    ("dckr_oat_", TokenBody::Word),
    ("SWMTKN-1-", TokenBody::Word),
    ("tskey-", TokenBody::Word),
    ("pul-", TokenBody::Hex(40)),
    ("dp.pt.", TokenBody::Word),
    ("dp.st.", TokenBody::Wide),
    ("dp.ct.", TokenBody::Word),
    ("dp.sa.", TokenBody::Word),
    ("fm1_", TokenBody::Wide),
    ("fm2_", TokenBody::Wide),
    ("fo1_", TokenBody::Word),
    ("rnd_", TokenBody::Word),
    ("nfp_", TokenBody::Word),
    ("vcp_", TokenBody::Word),
    ("pscale_", TokenBody::Wide),
    ("sbp_", TokenBody::Hex(32)),
    ("sb_secret_", TokenBody::Word),
    ("dapi", TokenBody::Hex(32)),
    ("ory_at_", TokenBody::Wide),
    ("ory_rt_", TokenBody::Wide),
    ("AKCp", TokenBody::Word),
    ("LTAI", TokenBody::Word),
    ("AQVN", TokenBody::Word),
    ("1//0", TokenBody::Word),
    ("ops_eyJ", TokenBody::Wide),
    ("ATATT3x", TokenBody::Wide),
    ("ATCTT3x", TokenBody::Wide),
    ("ATBB", TokenBody::Word),
    ("dt0c01.", TokenBody::Wide),
    ("dt0s01.", TokenBody::Wide),
    // Monitoring.
    ("glsa_", TokenBody::Word),
    ("glc_", TokenBody::Wide),
    ("sntrys_", TokenBody::Wide),
    ("sntryu_", TokenBody::Word),
    ("NRAK-", TokenBody::Word),
    ("NRJS-", TokenBody::Word),
    ("NRII-", TokenBody::Word),
    ("phc_", TokenBody::Word),
    ("phx_", TokenBody::Word),
    // Shops, payment, mail and telephones.
    ("shpat_", TokenBody::Word),
    ("shpca_", TokenBody::Word),
    ("shppa_", TokenBody::Word),
    ("shpss_", TokenBody::Word),
    ("shpua_", TokenBody::Word),
    ("sq0atp-", TokenBody::Word),
    ("sq0csp-", TokenBody::Word),
    ("EAAA", TokenBody::Word),
    ("rzp_live_", TokenBody::Word),
    ("rzp_test_", TokenBody::Word),
    ("FLWSECK", TokenBody::Word),
    ("shippo_live_", TokenBody::Word),
    ("EZAK", TokenBody::Word),
    ("EZTK", TokenBody::Word),
    ("SG.", TokenBody::Wide),
    ("xkeysib-", TokenBody::Word),
    ("xsmtpsib-", TokenBody::Word),
    ("key-", TokenBody::Hex(32)),
    ("SK", TokenBody::Hex(32)),
    ("amzn.mws.", TokenBody::Word),
    ("amzn1.oa2-cs.v1.", TokenBody::Word),
    // Models.
    ("csk-", TokenBody::Word),
    ("tgp_v1_", TokenBody::Word),
    ("gsk_", TokenBody::Word),
    ("xai-", TokenBody::Word),
    ("pplx-", TokenBody::Word),
    ("nvapi-", TokenBody::Word),
    ("r8_", TokenBody::Word),
    ("lsv2_pt_", TokenBody::Word),
    ("lsv2_sk_", TokenBody::Word),
    ("tvly-", TokenBody::Word),
    ("e2b_", TokenBody::Word),
    ("sgp_", TokenBody::Word),
    ("jina_", TokenBody::Word),
    // Packages, builds and work.
    ("rubygems_", TokenBody::Word),
    ("cio", TokenBody::Word),
    ("oy2", TokenBody::Word),
    ("CLOJARS_", TokenBody::Word),
    ("bkua_", TokenBody::Word),
    ("CCIPAT_", TokenBody::Word),
    ("apify_api_", TokenBody::Word),
    ("lin_api_", TokenBody::Word),
    ("lin_oauth_", TokenBody::Word),
    ("ntn_", TokenBody::Word),
    ("secret_", TokenBody::Word),
    ("figd_", TokenBody::Word),
    ("PMAK-", TokenBody::Word),
    ("CFPAT-", TokenBody::Word),
    ("pat-na1-", TokenBody::Word),
    ("pat-eu1-", TokenBody::Word),
];

/// Shapes without a fixed prefix: Telegram, Discord (webhooks), Teams, Azure, Airtable, Braintree, Firebase,
/// Terraform.
const SHAPES: &str = concat!(
    r"|(?-u:\b)[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}",
    r"|(?-u:\b)mfa\.[A-Za-z0-9_-]{60,}",
    r"|discord(?:app)?\.com/api/webhooks/[0-9]+/([A-Za-z0-9_-]{40,})",
    r"|webhook\.office\.com/webhookb2/([A-Za-z0-9@/-]{40,})",
    r"|[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{30,}",
    r"|(?-u:\b)pat[A-Za-z0-9]{14}\.[a-f0-9]{64}",
    r"|access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}",
    r"|(?-u:\b)AAAA[A-Za-z0-9_-]{7}:[A-Za-z0-9_-]{100,}",
    r"|[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{50,}",
);

/// One pattern for all prefixes and shapes.
pub(crate) fn pattern() -> String {
    let row = |(prefix, body): &(&str, TokenBody)| {
        let prefix = regex::escape(prefix);
        match body {
            TokenBody::Word => format!("{prefix}[A-Za-z0-9_-]{{{BODY_FROM},}}"),
            TokenBody::Wide => format!("{prefix}[A-Za-z0-9_.+/=-]{{{BODY_FROM},}}"),
            TokenBody::Hex(from) => format!("{prefix}[a-f0-9]{{{from},}}"),
        }
    };
    let rows: Vec<String> = PREFIXES.iter().map(row).collect();
    format!(r"(?-u:\b|_)({}){SHAPES}", rows.join("|"))
}

/// A text without any of these holds no match of the pattern.
pub(crate) fn triggers() -> impl Iterator<Item = &'static str> {
    let shapes = [":AA", "mfa.", "/api/webhooks/", "/webhookb2/", "Q~", "access_token$", "AAAA", ".atlasv1.", "pat"];
    PREFIXES.iter().map(|(prefix, _)| *prefix).chain(shapes)
}

/// Words follow some of the prefixes in code and prose; a token has a long run without separators that is not a word.
pub(crate) fn is_token(found: &str) -> bool {
    found.split(['-', '_', '.', '/', ':', '$']).any(|run| {
        let has_digit = run.bytes().any(|byte| byte.is_ascii_digit());
        run.len() >= 12 && is_random(run) && (has_digit || run.bytes().any(|byte| byte.is_ascii_uppercase()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_after_a_prefix_are_not_tokens() {
        for word in [
            "jina_embeddings_v2_base_code",
            "secret_santa_list_of_2026",
            "key-value-store-for-tests",
            "rnd_seed_of_the_run_1",
        ] {
            assert!(!is_token(word), "{word}");
        }
        for token in ["hvs.CAESIJ3kq9vQ72mLw4T", "shpat_0123456789abcdef0123456789abcdef"] {
            assert!(is_token(token), "{token}");
        }
    }
}
