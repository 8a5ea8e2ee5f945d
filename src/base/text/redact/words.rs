//! The words by which [`super::names`] knows what a name stands for, separated by white space.

use std::{collections::HashSet, sync::LazyLock};

/// Words that are looked up.
pub type Words = LazyLock<HashSet<&'static str>>;

/// Secrets wherever they stand in a name.
pub static ALWAYS: Words = LazyLock::new(|| {
    set(
        "password passwords passwd passphrase passcode secret secrets credential credentials creds apikey apikeys \
     authorization cookie cookies jwt phpsessid jsessionid",
    )
});

/// Words written together that end like this.
pub static ENDINGS: Words = LazyLock::new(|| {
    set(
        "password passwd passphrase apikey secretkey privatekey accesskey clientsecret accesstoken authtoken \
     refreshtoken sessiontoken csrftoken xsrftoken apitoken bottoken stripetoken githubtoken idtoken",
    )
});

/// What makes a following `key` a secret.
pub static KEYS: Words = LazyLock::new(|| {
    set(
        "api access private secret signing encryption decryption master auth account storage license ssh service \
     application shared session client consumer deploy admin root webhook hmac aes rsa gpg pgp subscription \
     integration cookie jwt crypto",
    )
});

/// What makes a following `KEY` harmless even in a variable of the environment.
pub static HARMLESS_KEYS: Words = LazyLock::new(|| {
    set(
        "public publishable primary foreign sort hot cache partition idempotency routing registry compose hash group \
     order lookup row column dict meta modifier arrow escape enter function any object unique composite range shard \
     host config translation message",
    )
});

/// What makes a following `token` or `tokens` a matter of counting, paging or parsing.
pub static HARMLESS_TOKENS: Words = LazyLock::new(|| {
    set(
        "max min num total input output prompt completion cached cache reasoning thinking next page continuation sync \
     pad eos bos unk mask sep stop special unexpected expected cancel cancellation first last previous prev peek \
     current start end per sub lexer syntax",
    )
});

/// What makes the plural a list of secrets instead of a number.
pub static TOKEN_LISTS: Words =
    LazyLock::new(|| set("access auth refresh api session oauth bearer personal"));

/// What makes a following `pass` a password instead of a pass of a renderer, compiler or test.
pub static PASSES: Words = LazyLock::new(|| {
    set(
        "db database smtp mail email user admin root mysql postgres pg redis ftp sftp proxy ssh ldap rabbitmq mongo \
     keystore key login account auth basic http imap vnc sudo docker registry",
    )
});

/// What makes a following `pwd` a working directory.
pub static DIRECTORIES: Words =
    LazyLock::new(|| set("old initial start orig original saved prev previous current"));

/// A name that ends like this tells something about a secret, not the secret.
pub static DESCRIBES: Words = LazyLock::new(|| {
    set(
        "age alg algorithm at attempts banner bits budget button by class cmd command component consent cost count \
     counts created css date description dir directory disabled domain element enabled endpoint env error errors \
     expiration expire expired expires expiry failures field fields file files folder form format go header headers \
     helper hint host html id ids idx in index input invalid java js json kind label len length lexer limit limits \
     link list lock log manager max md message method min missing mode msg name names offset page param parser path \
     pattern per placeholder policy port pos position prefix present price prompt provider py range rate rb regex \
     required reset retries rotation rs rules samesite scheme scope scopes screen selector sh size sock socket \
     source span state status store strength suffix test tests time timeout timestamp title toml tree ts ttl txt \
     type types updated uri url usage valid var variable version view yaml yml",
    )
});

/// Parameters that are secret in a URL or a form, though their names mean little elsewhere.
pub static IN_QUERIES: Words = LazyLock::new(|| set("key code sig signature hmac auth pass pwd"));

fn set(words: &'static str) -> HashSet<&'static str> {
    words.split_whitespace().collect()
}
