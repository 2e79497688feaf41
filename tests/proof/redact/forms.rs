//! Forms in which a secret was once missed, or a harmless text was masked. `@` marks the secret.

use stepback::redact::{MaskOptions, Masker};

use super::laws::{masker, one};
use crate::tests::corpus::{Dice, base64};

const MIXED: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

fn password() -> String {
    let mut dice = Dice(31);
    format!("{}9{}72{}4T", dice.letters(MIXED, 2), dice.letters(MIXED, 2), dice.letters(MIXED, 3))
}

fn token() -> String {
    format!("ghp_{}7", Dice(32).letters(MIXED, 35))
}

/// Reports the forms that fail, never the secret.
fn assert_hidden(forms: &[&str], secret: &str) {
    let is_json = |text: &str| serde_json::from_str::<serde_json::Value>(text).is_ok();
    let is_fine = |form: &&&str| {
        let output = one(&form.replace('@', secret));
        !output.contains(secret)
            && output.contains("REDACTED-")
            && is_json(form) == is_json(&output)
            && one(&output) == output
    };
    let failed: Vec<&&str> = forms.iter().filter(|form| !is_fine(form)).collect();
    assert!(failed.is_empty(), "{failed:?}");
}

#[test]
fn colours_hide_nothing() {
    let forms = [
        "\u{1b}[32m@\u{1b}[0m",
        "word\u{1b}[32m@\u{1b}[0mword",
        r"\x1b[32m@\x1b[0m",
        r"\033[1m@",
        "key_@",
        r#"{"text":"\u001b[32m@\u001b[0m"}"#,
        r#"{"text":"a\\u001b[32m@\\u001b[0m"}"#,
        r#"{"text":"\\x1b[32m@\\x1b[0m"}"#,
    ];
    assert_hidden(&forms, &token());
    let forms = [
        "DB_PASSWORD=\u{1b}[32m@",
        "\u{1b}[36mDB_PASSWORD\u{1b}[0m=@",
        "{\u{1b}[34m\"password\"\u{1b}[0m: \u{1b}[32m\"@\"\u{1b}[0m}",
        r#"{"text":"\u001b[36mDB_PASSWORD\u001b[0m=@ "}"#,
    ];
    assert_hidden(&forms, &password());
    // The text around it stays, including the colours.
    let output = one(&format!("a \u{1b}[32m{}\u{1b}[0m b", token()));
    assert_eq!(output, "a \u{1b}[32mREDACTED-github-token-1-32to63ch\u{1b}[0m b");
}

#[test]
fn torn_and_broken_values_are_hidden() {
    let forms = [
        "{\"a\": 1, \"password\": \"@\n... 312 more lines",
        "{\"a\":1}\n{\"a\":2,\"password\":\"@\n{\"a\":3}\n",
        "see \"password\":\n  \"@\"",
        "password=\"@\nsecond\"",
        "db:\n  password:\n    @\n",
        "Authorization: Bearer\n @",
    ];
    assert_hidden(&forms, &password());
}

#[test]
fn no_part_of_a_secret_stays() {
    let forms = [
        "postgres://app:S3cr3t@Horse@db/x".replace("Horse", "%"),
        "postgres://u:p/%@h".to_owned(),
        "postgres://u:p#%@h".to_owned(),
    ];
    for form in forms {
        let secret = password();
        assert!(!one(&form.replace('%', &secret)).contains(&secret), "{form}");
    }
    let forms = [
        "DB_PASSWORD=ab12,@",
        "x\nexport DB_PASSWORD=ab12;@ y",
        "run DB_PASSWORD=ab12&@",
        "DB_PASSWORD=ab12|@",
        "DB_PASSWORD=ab12'@",
        "DB_PASSWORD=(@",
        r#"PASSWORD="ab12\"@""#,
        r#"curl -d '{"password":"ab\"@"}'"#,
        r"DB_PASSWORD=ab12\n@",
        r"DB_PASSWORD=ab12\t@",
        r#"{"text":"DB_PASSWORD=ab12\\n@"}"#,
        r#"Cookie: a="x"; sid=@"#,
        r#"Authorization: Digest username="bob", response="@""#,
        "GET https://x/y?token=ab'@",
    ];
    assert_hidden(&forms, &password());
}

#[test]
fn only_placeholders_are_taken_for_placeholders() {
    assert_hidden(&[r#"{"password":"<@>"}"#, r#"{"password":"{{@"}"#, r#"{"password":"${@"}"#], &password());
    assert_hidden(&[r#"{"password":"@"}"#, "DB_PASSWORD=@"], "$ecretP4ssw0rd");
}

#[test]
fn names_next_to_values_and_above_them_count() {
    let forms = [
        r#"{"env":[{"name":"DB_PASSWORD","value":"@"}]}"#,
        r#"{"env":[{"value":"@","name":"DB_PASSWORD"}]}"#,
        r#"{"headers":[{"name":"Authorization","value":"@"}]}"#,
        r#"{"headers":[{"key":"x-api-key","value":"@"}]}"#,
        r#"[["X-Api-Key","@"]]"#,
        r#"{"rawHeaders":["Host","x","Authorization","@","Accept","*"]}"#,
        r#"{"cookies":[{"name":"sid","value":"@","path":"/"}]}"#,
        r#"{"cookies":{"sessionid":"@"}}"#,
        r#"{"secrets":{"db":"@"}}"#,
        r#"{"secrets":{"prod":{"db":"@"}}}"#,
        r#"{"credentials":{"user":"x","key":"@"}}"#,
        r#"{"password":{"plain":"@"}}"#,
        r#"{"api_keys":["@"]}"#,
        r#"{"passwords":["@"]}"#,
        r#"{"tokens":["@"]}"#,
        r#"{"argv":["curl","-u","bob:@"]}"#,
        r#"{"db_pass":"@"}"#,
        r#"{"stripe_key":"@"}"#,
        r#"{"X-Auth-Key":"@"}"#,
        "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=@;y=1",
        "curl -s -u bob:@ https://x",
        "sshpass -p '@' ssh x",
        "<password>@</password>",
        "machine x login bob password @",
        "CREATE USER x IDENTIFIED BY '@'",
        r#"Config { password: Some("@") }"#,
        "{'password': b'@'}",
    ];
    assert_hidden(&forms, &password());
}

#[test]
fn secrets_are_found_in_base64_at_any_offset() {
    let wide: Vec<u8> = format!("run {} now", token()).bytes().flat_map(|byte| [byte, 0]).collect();
    let spelled = [
        format!("tmp/{}", base64(format!("see {} there", token()).as_bytes(), 0, false)),
        format!("powershell -EncodedCommand {}", base64(&wide, 0, false)),
        base64(format!("\u{1b}[32m{}", token()).as_bytes(), 0, false),
    ];
    for (number, text) in spelled.iter().enumerate() {
        assert!(one(text) != *text, "form {number}");
    }
    assert_hidden(&["a%ff=x%20@"], &token());
    let inside = base64(password().as_bytes(), 0, false);
    assert_hidden(&[&format!(r#"{{"password":"{inside}","note":"@"}}"#)], &password());
}

#[test]
fn harmless_values_stay() {
    for text in [
        "PWD=/srv/project\nOLDPWD=/srv\ncd /srv/project",
        r#"{"pwd":"/Users/me/project","path":"/Users/me/project/x"}"#,
        r#"{"credentials":"same-origin","eos_token":"</s>","max_token":4096,"usage":{"tokens":12,"prompt_tokens":4096}}"#,
        r#"{"token":{"type":"string","description":"A token of 8 letters"},"tokens":["the","cat","sat2"]}"#,
        r#"{"required":["password","email"],"session_id":"0b9d2f4e-11aa","query_key":"abc12345"}"#,
        r#"{"argv":["docker","run","-u","1000:1000"],"env":[{"name":"HOME","value":"/srv/x1234567"}]}"#,
        "plain \u{1b}[32mgreen\u{1b}[0m text",
    ] {
        assert_eq!(one(text), text);
    }
}

#[test]
fn words_and_identifiers_are_masked_only_under_a_sensitive_name() {
    for value in ["turn-4e1b", "edit_file", "src/dates.rs", "function"] {
        let output = one(&format!(r#"{{"token":"{value}","other":"{value}","text":"see {value} there"}}"#));
        assert!(!output.contains(&format!(r#""token":"{value}""#)), "{output}");
        assert!(output.contains(&format!(r#""other":"{value}","text":"see {value} there""#)), "{output}");
    }
}

/// Names and keywords of the format are protected against passwords, not against the user's patterns.
#[test]
fn matches_of_the_users_patterns_are_masked_everywhere() {
    let options = MaskOptions { patterns: vec!["acme".to_owned(), "77123".to_owned()], ..MaskOptions::default() };
    let mut own = Masker::new(&options).expect("patterns");
    let text = r#"{"kind":"acme","acme":{"acme_corp":1},"n":771234,"text":"acme","role":"user"}"#;
    own.look("x", text.as_bytes());
    let output = String::from_utf8_lossy(&own.apply("x", text.as_bytes())).into_owned();
    assert!(!output.contains("acme") && !output.contains("77123") && output.contains(r#""role":"user""#), "{output}");
    assert!(serde_json::from_str::<serde_json::Value>(&output).is_ok());
    assert_eq!(masker().apply("x", text.as_bytes()).as_ref(), text.as_bytes());
}

/// A password is masked everywhere, even if it is short or a word; values of other names may be any word.
#[test]
fn a_password_is_masked_everywhere_and_a_token_that_is_a_word_is_not() {
    for (found, elsewhere) in [
        (r#"{"db":{"password":"hunter2"}}"#, "hunter2"),
        ("mysql --password swordfish -u root", "swordfish"),
        ("CLIENT_SECRET=opensesame", "opensesame"),
        ("postgres://app:swordfish@db.example/x", "swordfish"),
    ] {
        let mut masker = masker();
        let text = format!("it said {elsewhere} again");
        [found, text.as_str()].iter().for_each(|text| masker.look("a text", text.as_bytes()));
        let masked = masker.apply("a text", text.as_bytes()).into_owned();
        assert!(!String::from_utf8_lossy(&masked).contains(elsewhere), "{found}");
    }
    let mut masker = masker();
    masker.look("a text", br#"{"token":"edit_file","session_key":"turn-4e1b","pwd":"/srv/project"}"#);
    let text = b"turn-4e1b: edit_file in /srv/project";
    assert_eq!(&*masker.apply("a text", text), text);
}
