//! Secrets in realistic places, and ordinary texts that look similar and must stay.
//!
//! `@` is where the generated part of a secret is, so no whole token is in this file.

use super::corpus::Dice;

const MIXED: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const HEX: &str = "0123456789abcdef";

/// The generated part.
#[derive(Clone, Copy)]
pub(super) enum Part {
    /// A password of letters and digits.
    Password,
    /// A number of letters and digits.
    Mixed(usize),
    Hex(usize),
    Upper(usize),
    /// A user name and a password in base64.
    Login,
    /// Several lines of base64.
    Lines,
    /// A token with an invisible character in the middle; neither half may stay.
    Split(char),
}

use Part::{Hex, Lines, Login, Mixed, Password, Split, Upper};

pub(super) const SECRETS: [(&str, Part); 141] = [
    // Assignments in shells, settings and code.
    ("export DB_PASSWORD=@", Password),
    ("PASS=@ ./deploy.sh", Password),
    ("DB_PW=@", Password),
    ("PW=@", Password),
    ("DB_PASS=@ make", Password),
    ("PGPASSWORD=@ psql -h db app", Password),
    ("MYSQL_PWD=@ mysqldump app", Password),
    ("REDISCLI_AUTH=@ redis-cli ping", Mixed(20)),
    ("DB_PASSWORD_PROD=@", Password),
    ("API_KEY_2=@", Mixed(24)),
    ("APP_KEY=base64:@=", Mixed(43)),
    ("SECRET_KEY_BASE=@", Hex(128)),
    ("set API_TOKEN=@", Mixed(30)),
    ("setx API_TOKEN @", Mixed(30)),
    ("setx API_TOKEN \"@\" /M", Mixed(30)),
    ("setenv API_TOKEN @", Mixed(30)),
    ("set -gx API_TOKEN @", Mixed(30)),
    ("$env:API_TOKEN = \"@\"", Mixed(30)),
    ("ENV API_TOKEN @", Mixed(30)),
    ("os.environ[\"API_TOKEN\"] = \"@\"", Password),
    ("os.environ['API_TOKEN'] = '@'", Password),
    ("ENV['API_TOKEN'] = '@'", Password),
    ("process.env.API_TOKEN = '@';", Password),
    ("os.Setenv(\"API_TOKEN\", \"@\")", Password),
    ("System.setProperty(\"db.password\", \"@\");", Password),
    ("define('DB_PASSWORD', '@');", Password),
    ("define( \"AUTH_KEY\", \"@\" );", Mixed(40)),
    ("putenv(\"API_TOKEN=@\");", Mixed(30)),
    ("const apiKey = \"@\";", Mixed(32)),
    ("let client_secret = `@`;", Mixed(32)),
    ("password: \"@\"", Password),
    ("password: @", Password),
    (":password => \"@\",", Password),
    ("if token == \"@\" {", Password),
    ("spring.datasource.password=@", Password),
    ("Server=db;Database=app;User Id=sa;Password=@;", Password),
    ("Driver={ODBC};UID=sa;PWD=@;", Password),
    ("AccountName=x;AccountKey=@==;EndpointSuffix=core.windows.net", Mixed(86)),
    ("requirepass @", Password),
    ("aws configure set aws_secret_access_key @", Mixed(40)),
    ("aws_secret_access_key = @", Mixed(40)),
    ("[Interface]\nPrivateKey = @=\n", Mixed(43)),
    ("PresharedKey = @=", Mixed(43)),
    ("npm config set //registry.example/:_authToken @", Mixed(36)),
    ("//registry.example/:_authToken=@", Mixed(36)),
    ("_auth=@", Login),
    ("//registry.example/:_auth=@", Login),
    ("//registry.example/:_password=@", Mixed(20)),
    ("TOKEN_FOR_CI=@", Mixed(30)),
    ("weather_key: @", Mixed(32)),
    ("X-Api-Key: @", Mixed(32)),
    ("PRIVATE-TOKEN: @", Mixed(20)),
    ("Authorization: token @", Mixed(40)),
    ("<password>@</password>", Password),
    ("<entry key=\"db.password\">@</entry>", Password),
    ("<add key=\"Password\" value=\"@\" />", Password),
    ("Config { password: Some(\"@\") }", Password),
    ("mvn deploy -Drepo.password=@", Password),
    ("--from-literal=password=@", Password),
    // Names and values side by side.
    ("{\"name\":\"DB_PASSWORD\",\"value\":\"@\"}", Password),
    ("{\"value\":\"@\",\"name\":\"DB_PASSWORD\"}", Password),
    ("env:\n- name: DB_PASSWORD\n  value: \"@\"\n", Password),
    ("env:\n- name: DB_PASSWORD\n  value: @\n", Password),
    ("env:\n- value: @\n  name: DB_PASSWORD\n", Password),
    ("cut {\"name\":\"DB_PASSWORD\",\"value\":\"@\"", Password),
    ("cut {\"value\":\"@\",\"name\":\"DB_PASSWORD\"", Password),
    ("{\"ParameterKey\":\"DbPassword\",\"ParameterValue\":\"@\"}", Password),
    // Credentials of tools.
    ("{\"auths\":{\"registry.example\":{\"auth\":\"@\"}}}", Login),
    ("{\"auths\":{\"registry.example\":{\"identitytoken\":\"@\"}}}", Mixed(40)),
    ("cut {\"auths\":{\"registry.example\":{\"auth\":\"@\"", Login),
    (
        "{\"type\":\"service_account\",\"private_key\":\"-----BEGIN PRIVATE KEY-----\\n@\\n-----END PRIVATE KEY-----\\n\"}",
        Mixed(64),
    ),
    ("db.example:5432:app:bob:@", Password),
    ("*:*:*:bob:@", Password),
    ("localhost:5432:app:bob:@\n", Password),
    ("machine api.example login bob password @", Password),
    ("root:$6$saltsalt$@:19000:0:99999:7:::", Mixed(86)),
    ("bob:$apr1$saltsalt$@", Mixed(22)),
    ("$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHQ$@", Mixed(43)),
    // Options of clients.
    ("docker login -u bob -p @ registry.example", Password),
    ("docker login registry.example --username bob --password @", Password),
    ("podman login -p '@' -u bob quay.example", Password),
    ("helm registry login -u bob -p @ oci.example", Password),
    ("az login --service-principal -u app -p @ --tenant t", Password),
    ("mysql -u root -p@ app", Password),
    ("mysqldump -h db -uroot -p'@' app > dump.sql", Password),
    ("redis-cli -h cache -a @ ping", Password),
    ("redis-cli --pass @ ping", Password),
    ("mongosh db.example -u bob -p @", Password),
    ("sqlcmd -S db -U sa -P @ -Q 'select 1'", Password),
    ("ldapsearch -x -D cn=admin -w @ -b dc=example", Password),
    ("smbclient //host/share -U bob%@", Password),
    ("sshpass -p @ ssh bob@host", Password),
    ("sshpass -p'@' ssh bob@host", Password),
    ("curl -u bob:@ https://api.example", Password),
    ("curl -ubob:@ https://api.example", Password),
    ("curl -b 'sid=@' https://api.example", Mixed(26)),
    ("curl --cookie \"JSESSIONID=@\" https://api.example", Mixed(32)),
    ("curl -H 'X-Auth-Token: @' https://api.example", Mixed(32)),
    ("http -a bob:@ https://api.example", Password),
    ("wget --user=bob --password=@ https://files.example/x", Password),
    ("openssl enc -aes-256-cbc -pass pass:@ -in a -out b", Password),
    ("keytool -list -storepass @ -keystore k.jks", Password),
    ("sqlplus scott/@@orcl", Password),
    ("htpasswd -b .htpasswd bob @", Password),
    ("7z a -p@ out.7z in", Password),
    ("zip -P @ out.zip in", Password),
    ("plink -pw @ bob@host", Password),
    ("vault login @", Mixed(26)),
    ("{\"argv\":[\"mysql\",\"-uroot\",\"-p@\",\"app\"]}", Password),
    ("{\"argv\":[\"redis-cli\",\"-a\",\"@\"]}", Password),
    ("{\"argv\":[\"/usr/bin/docker\",\"login\",\"-p\",\"@\"]}", Password),
    // Addresses.
    ("bob:@@tcp(db.example:3306)/app?parseTime=true", Password),
    ("bob:@@unix(/run/mysqld.sock)/app", Password),
    ("postgres://bob:@@db.example/app", Password),
    ("amqps://bob:@@mq.example:5671/%2f", Password),
    ("jdbc:oracle:thin:scott/@@db:1521/x", Password),
    ("bob:@@db.example:5432/app", Password),
    ("https://b.s3.amazonaws.com/k?AWSAccessKeyId=x&Expires=1&Signature=@%3D", Mixed(27)),
    ("https://b.s3.amazonaws.com/k?X-Amz-Expires=1&X-Amz-Signature=@", Hex(64)),
    ("https://a.blob.core.windows.net/c?sv=2022&sp=r&sig=@%3D", Mixed(43)),
    ("AWS4-HMAC-SHA256 SignedHeaders=host, Signature=@", Hex(64)),
    // Tokens that are known by their shape.
    ("see hvs.@ there", Mixed(90)),
    ("see glsa_@_5a3f9c1e there", Mixed(32)),
    ("see shpat_@ there", Hex(32)),
    ("see gho_@ there", Mixed(36)),
    ("see xoxp-1234567890-@ there", Mixed(24)),
    ("see sk-proj-@ there", Mixed(48)),
    ("see dckr_pat_@ there", Mixed(27)),
    ("see lin_api_@ there", Mixed(40)),
    ("see 1234567890:AA@ there", Mixed(33)),
    ("see MTA@.GabcDE.zyxwvutsrqponmlkjihgfedcba0 there", Mixed(21)),
    ("https://discord.com/api/webhooks/1234567890/@", Mixed(68)),
    ("see AGE-SECRET-KEY-1@ there", Upper(58)),
    ("see abc8Q~@ there", Mixed(34)),
    ("see SG.abcdefghij0123456789XY.@ there", Mixed(43)),
    ("see ya29.@ there", Mixed(60)),
    ("PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nPrivate-Lines: 3\n@\nPrivate-MAC: 0123456789abcdef\n", Lines),
    ("-----BEGIN OPENSSH PRIVATE KEY-----\n@\n-----END OPENSSH PRIVATE KEY-----\n", Lines),
    ("see ghp_@ there", Split('\u{200b}')),
    ("see ghp_@ there", Split('\u{2060}')),
    ("see ghp_@ there", Split('\u{ad}')),
];

/// Texts with a secret each, and the parts of it that must not be left.
pub(super) fn secrets(dice: &mut Dice) -> Vec<(String, Vec<String>)> {
    SECRETS.iter().map(|(form, part)| filled(form, *part, dice)).collect()
}

fn filled(form: &str, part: Part, dice: &mut Dice) -> (String, Vec<String>) {
    // Every kind has a digit, a capital and a small letter, as generated secrets have.
    let mixed =
        |dice: &mut Dice, count: usize| format!("{}7Kq{}", dice.letters(MIXED, 3), dice.letters(MIXED, count - 6));
    let (secret, parts) = match part {
        Password => alone(mixed(dice, 12)),
        Mixed(count) => alone(mixed(dice, count)),
        Hex(count) => alone(format!("9f{}", dice.letters(HEX, count - 2))),
        Upper(count) => alone(dice.letters(UPPER, count)),
        Login => alone(super::corpus::base64(format!("bob:{}", mixed(dice, 14)).as_bytes(), 0, false)),
        Lines => {
            let lines: Vec<String> = (0..3).map(|_| mixed(dice, 64)).collect();
            (lines.join("\n"), lines)
        }
        Split(sign) => {
            let halves = vec![mixed(dice, 18), mixed(dice, 18)];
            (halves.join(&sign.to_string()), halves)
        }
    };
    // The first `@` is the secret's; others belong to the address.
    (form.replacen('@', &secret, 1), parts)
}

fn alone(secret: String) -> (String, Vec<String>) {
    (secret.clone(), vec![secret])
}

/// Texts without a secret. They stay byte by byte.
pub(super) const ORDINARY: [&str; 84] = [
    "password: optional",
    "the token count is 4096",
    "token budget: 8192",
    "PASS: tests/foo_test.rs",
    "PASS module::test_1 (0.02s)",
    "pass=12 fail=0 skip=3",
    "PASS=0",
    "a git commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "id 0b9d2f4e-11aa-4c3d-9e5f-0123456789ab",
    "call_id=toolu_01A09q90qw90lq917835lq9",
    "call-4 turn-4e1b step-12",
    "version 1.2.3-beta.4+build.567",
    "max_tokens=4096 input_tokens: 12",
    "let token = tokenizer.next();",
    "fn check(password: &str, token: String) -> bool",
    "f(password=password, token=self.token)",
    "password = input(\"Enter your password: \")",
    "token = os.environ[\"API_TOKEN\"]",
    "token = os.getenv(\"API_TOKEN\")",
    "const key = keys[0];",
    "cache_key: \"user-profile-v2-8f3a9c\"",
    "{\"primary_key\":\"id\",\"sort_key\":\"created_at\"}",
    "{\"key\":\"ArrowDown\",\"value\":\"next\"}",
    "{\"name\":\"HOME\",\"value\":\"/srv/bob\"}",
    "{\"required\":[\"password\",\"email\"]}",
    "{\"token\":{\"type\":\"string\",\"description\":\"The token of the user\"}}",
    "{\"token_hash\":\"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\"}",
    "{\"idempotency_key\":\"0b9d2f4e-11aa-4c3d-9e5f-0123456789ab\"}",
    "{\"content_hash\":\"blake3:af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262\"}",
    "{\"author\":\"Bob Miller\",\"authored_at\":\"2026-01-02T03:04:05Z\"}",
    "{\"secret_name\":\"prod-db-credentials-v2\"}",
    "{\"auth\":\"none\"}",
    "{\"auth\":{\"type\":\"oauth2\"}}",
    "docker run -p 8080:80 -u 1000:1000 nginx:1.25",
    "docker login --password-stdin registry.example",
    "docker compose -p myproject up",
    "mysql -u root -p app",
    "mkdir -p src/redact/rules",
    "ssh -p 2222 bob@host.example",
    "curl -b cookies.txt -o out.html https://example.com",
    "curl -u $USER:$PASS https://api.example",
    "grep -a token src/main.rs",
    "redis-cli -a $REDIS_PASSWORD ping",
    "psql -h localhost -p 5432 -U bob app",
    "zip -r out.zip src",
    "src/main.rs:12:5: error: unused variable `token`",
    "src/main.rs:1234:let:x:y1",
    "http://localhost:8080/@scope/pkg",
    "git@github.com:rust-lang/rust.git",
    "ssh://git@github.com/a/b",
    "mail bob@example.com:25",
    "npm install react@18.2.0 left-pad@1.3.0",
    "https://example.com/search?q=token&page=2",
    "https://example.com/a?key=value&sort=asc",
    "design=flat&assign=none",
    "export TOKEN=$(cat token.txt)",
    "export API_KEY=${API_KEY:?missing}",
    "DB_PASSWORD=",
    "api_key: <your-key>",
    "PASSWORD={{ vault_password }}",
    "os.environ[\"HOME\"] = \"/srv/bob\"",
    "define('WP_DEBUG', false);",
    "setx PATH C:\\tools",
    "getenv(\"API_TOKEN\", \"\")",
    "the passphrase field; a token of thanks; bearer certificates",
    "Authorization: required",
    "jina_embeddings_v2_base_code",
    "secret_santa_list_of_2026",
    "sk-learn-with-a-very-long-name-indeed",
    "xai-grok-beta and csk-models",
    "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYI\n-----END PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----",
    "AGE-PUBLIC age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p",
    "ssh-ed25519 public key of bob",
    "$1 costs $5 or $6$ more",
    "zero\u{200b}width and soft\u{ad}hyphen words stay",
    "\u{26a0}\u{fe0f} warning: token limit reached",
    "12:34:56 build 1234567890 finished",
    "key: value, keys: [a, b], keyboard: qwerty",
    "monkey=1 turkey=2 passage=3 compass=north bypass=true",
    "tokenizer.json vocab_size=32000 eos_token=</s>",
    "secretary: Ann, credential helper: store",
    "2026-11-17T12:00:00Z host app[1234]: session opened for user bob",
];
