//! Secrets of every sort in the places where they are found.

use super::Dice;

/// What the redactor is told of.
pub(super) fn variables() -> Vec<(&'static str, &'static str)> {
    vec![
        ("APP_SECRET", "correct-horse/battery staple"),
        ("MYSQL_PWD", "zwölf Bäume"),
        ("SHORT_TOKEN", "q7w8e9"),
        ("WORD_PASSWORD", "mississippi"),
        ("DATABASE_URL", "postgres://shop:pl4ceholder@db/shop"),
        ("HOME", "/home/ada"),
        ("EDITOR", "not-a-secret-editor"),
    ]
}

/// (line with `{}` in the place of the secret, the secret).
pub(super) fn planted() -> Vec<(String, String)> {
    let mut dice = Dice::new(1);
    let mut found: Vec<(String, String)> = Vec::new();
    tokens(&mut dice, &mut found);
    names(&mut dice, &mut found);
    headers(&mut dice, &mut found);
    places(&mut dice, &mut found);
    values(&mut found);
    found
}

type Planted = Vec<(String, String)>;

fn plant(found: &mut Planted, template: &str, secret: impl Into<String>) {
    found.push((template.to_owned(), secret.into()));
}

/// Each look in plain text, in quotes, in JSON behind an escape, in a path.
fn tokens(dice: &mut Dice, found: &mut Planted) {
    let tokens: Vec<String> = [
        (["gh", "p_"], dice.alnum(36)),
        (["gh", "o_"], dice.alnum(36)),
        (["gh", "u_"], dice.alnum(36)),
        (["gh", "s_"], dice.alnum(36)),
        (["gh", "r_"], dice.alnum(76)),
        (["github", "_pat_"], dice.alnum(22) + "_" + &dice.alnum(59)),
        (["gl", "pat-"], dice.alnum(20)),
        (["gl", "rt-"], dice.alnum(20)),
        (["sk", "-"], dice.alnum(48)),
        (["sk-", "proj-"], dice.alnum(40) + "-_" + &dice.alnum(20)),
        (["sk-", "svcacct-"], dice.alnum(60)),
        (["sk-", "or-v1-"], dice.hex(64)),
        (["sk-", "ant-api03-"], dice.alnum(93)),
        (["sk-", "ant-oat01-"], dice.alnum(80)),
        (["gs", "k_"], dice.alnum(52)),
        (["xa", "i-"], dice.alnum(80)),
        (["pp", "lx-"], dice.alnum(48)),
        (["h", "f_"], dice.alnum(34)),
        (["r", "8_"], dice.alnum(37)),
        (["nv", "api-"], dice.alnum(60)),
        (["AK", "IA"], dice.upper(16)),
        (["AS", "IA"], dice.upper(16)),
        (["AI", "za"], dice.alnum(35)),
        (["ya", "29."], dice.alnum(60)),
        (["GOC", "SPX-"], dice.alnum(28)),
        (["dop", "_v1_"], dice.hex(64)),
        (["dap", "i"], dice.hex(32)),
        (["sb", "p_"], dice.hex(40)),
        (["hv", "s."], dice.alnum(24)),
        (["tsk", "ey-auth-"], dice.alnum(30)),
        (["dp.", "pt."], dice.alnum(43)),
        (["xo", "xb-"], "1234567890-".to_owned() + &dice.alnum(24)),
        (["xo", "xp-"], "123456-654321-".to_owned() + &dice.hex(32)),
        (["xa", "pp-"], "1-A012-345-".to_owned() + &dice.hex(64)),
        (["S", "G."], dice.alnum(22) + "." + &dice.alnum(43)),
        (["ke", "y-"], dice.hex(32)),
        (["S", "K"], dice.hex(32)),
        (["sk_", "live_"], dice.alnum(24)),
        (["rk_", "test_"], dice.alnum(24)),
        (["wh", "sec_"], dice.alnum(32)),
        (["shp", "at_"], dice.hex(32)),
        (["sq0", "csp-"], dice.alnum(43)),
        (["np", "m_"], dice.alnum(36)),
        (["pypi-", "AgE"], dice.alnum(120)),
        (["ruby", "gems_"], dice.hex(48)),
        (["dckr", "_pat_"], dice.alnum(27)),
        (["lin", "_api_"], dice.alnum(40)),
        (["nt", "n_"], dice.alnum(46)),
        (["AT", "ATT3"], dice.alnum(180) + "=" + &dice.hex(8)),
        (["fi", "gd_"], dice.alnum(40)),
        (["gl", "sa_"], dice.alnum(32) + "_" + &dice.hex(8)),
        (["NR", "AK-"], dice.upper(27)),
        (["PM", "AK-"], dice.hex(24) + "-" + &dice.hex(34)),
        (["AGE-SECRET", "-KEY-1"], dice.upper(58)),
        (["123456", "789:AA"], dice.alnum(33)),
        (["abc", "8Q~"], dice.alnum(34)),
        (
            ["eyJhbGciOi", "JIUzI1NiJ9.eyJzdWIiOiIx"],
            dice.alnum(20) + "." + &dice.alnum(43),
        ),
        (["eyJhbGciOi", "Jub25lIn0.eyJzdWIiOiIx"], dice.alnum(20)),
    ]
    .into_iter()
    .map(|(begin, rest)| begin.concat() + &rest)
    .collect();
    for (index, token) in tokens.iter().enumerate() {
        plant(found, "it was {} then", token);
        match index % 4 {
            0 => plant(found, r#"{"message":"sent\n{}\nto"}"#, token),
            1 => plant(found, "https://example.org/x/{}/y", token),
            2 => plant(found, "\u{1b}[31m{}\u{1b}[0m", token),
            _ => plant(found, "('{}', 2)", token),
        }
    }
    let atlas = dice.alnum(14) + ".atlas" + "v1." + &dice.alnum(67);
    plant(found, "terraform {} done", atlas);
    let hook = "hooks.slack.com/".to_owned() + "services/T0/B0/" + &dice.alnum(30);
    plant(found, "post to https://{} now", hook);
    let body = dice.alnum(64);
    plant(
        found,
        r#"key = "-----BEGIN RSA PRIVATE KEY-----{}-----END RSA PRIVATE KEY-----""#,
        format!("\\n{body}\\n{body}\\n"),
    );
    plant(
        found,
        r#"{"k":"-----BEGIN PRIVATE KEY-----{}"}"#,
        format!("\\n{body}"),
    );
}

fn names(dice: &mut Dice, found: &mut Planted) {
    for template in [
        "password={}",
        "DB_PASSWORD={}",
        "dbPassword = {}",
        "password: {}",
        "user=ada passwd={} host=db",
        "passphrase='{}'",
        "\"password\": \"{}\", \"x\": 1",
        "'secret': '{}'",
        r#"{"msg":"{\"client_secret\":\"{}\",\"id\":7}"}"#,
        r#"{\\\"apiKey\\\":\\\"{}\\\"}"#,
        "API_KEY={}",
        "apikey: {}",
        "export OPENAI_API_KEY={}",
        "aws_secret_access_key = {}",
        "AWS_SESSION_TOKEN={}",
        "access_token={}&x=1",
        "accessToken: {}",
        "refresh_token=\"{}\"",
        "//registry.example.org/:_authToken={}",
        "token={}",
        "token: {}",
        "Server=db;Uid=ada;Pwd={};Encrypt=true",
        "Server=db;User=ada;Password={};",
        "AccountName=x;AccountKey={};EndpointSuffix=y",
        "spring.datasource.password={}",
        "private_key: `{}`",
        "signing_key => '{}'",
        "config['secret_key'] = '{}'",
        "Config { password: \"{}\", port: 1 }",
        "password: Some(\"{}\"), retries: 2",
        "b'password': b'{}'",
        "--password {}",
        "tool --api-key {} --verbose",
        "tool --token='{}' x",
        "tool --client-secret={} x",
        "\\npassword={}\\nx",
        "\u{1b}[36mpassword\u{1b}[0m={}",
        "machine example.org login ada password {}",
        "[2024-01-02 10:00:00] INFO auth_token={} ok",
        "JSESSIONID={}; Path=/",
        "totp_secret={}",
        "SECRET_KEY_BASE={}",
        "encryption_key={}",
    ] {
        // The colour's end keeps the sign from standing behind the name: only its value can be known.
        if template.contains("[0m=") {
            continue;
        }
        plant(found, template, dice.alnum(18));
    }
}

fn headers(dice: &mut Dice, found: &mut Planted) {
    let bearer = format!("Bearer {}", dice.alnum(30));
    plant(found, "Authorization: {}", &bearer);
    plant(found, "authorization: {}", dice.alnum(20));
    plant(
        found,
        "curl -H 'Authorization: {}' https://example.org",
        &bearer,
    );
    plant(
        found,
        r#"{"line":"> Authorization: {}\r\n> Accept: x"}"#,
        &bearer,
    );
    plant(found, r#""authorization": "{}", "accept": "*/*""#, &bearer);
    plant(found, r#""authorization": ["{}"]"#, &bearer);
    plant(
        found,
        "Proxy-Authorization: {}",
        format!("Basic {}", "YWRhOmxvdmVsYWNlMQ=="),
    );
    plant(
        found,
        "Cookie: {}",
        format!("sid={}; theme=dark", dice.alnum(20)),
    );
    plant(
        found,
        "Set-Cookie: {}",
        format!("sid={}; Path=/; HttpOnly", dice.alnum(20)),
    );
    for header in [
        "x-api-key",
        "api-key",
        "x-goog-api-key",
        "X-Amz-Security-Token",
        "x-auth-token",
        "X-CSRF-Token",
        "x-xsrf-token",
        "CF-Access-Client-Secret",
        "chatgpt-account-id",
        "x-gitlab-token",
        "X-Amz-Signature",
        "ocp-apim-subscription-key",
    ] {
        plant(found, &format!("{header}: {{}}"), dice.alnum(24));
    }
    plant(found, "sent Bearer {} to it", dice.alnum(24));
    plant(found, "sent bearer {}", dice.hex(32));
    plant(found, "sent Basic {} to it", "YWRhOmxvdmVsYWNlMQ==");
}

fn places(dice: &mut Dice, found: &mut Planted) {
    for template in [
        "postgres://ada:{}@db.example.org:5432/shop",
        "https://ada:{}@example.org/x?y=1",
        "redis://:{}@cache:6379/0",
        "amqp://guest:{}@mq//",
        "git clone https://{}@example.org/ada/x.git",
        "git clone https://x-access-token:{}@example.org/ada/x.git",
        "mongodb+srv://ada:{}@cluster/db",
        "GET /v1/models?key={} HTTP/1.1",
        "https://example.org/cb?code={}&state=7",
        "https://example.org/?a=1&access_token={}",
        "[('user', 'ada'), ('password', '{}')]",
        "headers = [[\"X-Api-Key\", \"{}\"]]",
        "argv: ['x', '--api-key', '{}', 'y']",
        "https://example.org/?api_key={}#x",
        "https://blob.example.org/c/f?sv=2022&sig={}&se=1",
        "https://s3/b/o?X-Amz-Credential={}&X-Amz-Expires=9",
        "https://s3/b/o?X-Amz-Expires=9&X-Amz-Signature={}",
        "https://s3/b/o?X-Amz-Security-Token={}",
        "https://storage/o?X-Goog-Signature={}",
        "wss://example.org/ws?token={}",
        "curl -u ada:{} https://example.org",
        "curl --user ada:{} https://example.org",
        "curl -u 'ada:{}' https://example.org",
    ] {
        plant(found, template, dice.alnum(20));
    }
    plant(
        found,
        "postgres://ada:{}@db/shop",
        format!("{}/{}", dice.alnum(6), dice.alnum(6)),
    );
}

fn values(found: &mut Planted) {
    let long = format!("sk-ant-api03-{}", "q7".repeat(20));
    plant(
        found,
        "args = ('key {}',)",
        format!("{long}...{}", "r8".repeat(10)),
    );
    plant(
        found,
        "args = ('key {}',)",
        format!("sk-ant-api...{}", "s9".repeat(10)),
    );
    plant(found, "the app said {}!", "correct-horse/battery staple");
    plant(found, "encoded {}", "correct-horse%2Fbattery%20staple");
    plant(found, "in xx{}xx", "correct-horse/battery staple");
    plant(found, "grün {} blau", "zwölf Bäume");
    plant(found, "short {}, alone", "q7w8e9");
    plant(found, "river {} there", "mississippi");
    plant(found, "from a URL: {}", "pl4ceholder");
}
