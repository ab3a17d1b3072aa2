// Generated from contract/src/settings-words.ts by `npm run docs`. The overview needs no help, so this is a file of its own.

/** Describes each setting, and the effect of a lower value. */
export const settings_help: Readonly<Record<string, { help: string; lowered: string | null }>> = {
  "sign_in.password": {
    "help": "People can sign in with a password.",
    "lowered": null
  },
  "sign_in.email_code": {
    "help": "People can sign in with a code by mail. It needs mail.",
    "lowered": null
  },
  "sign_in.passkey": {
    "help": "People can sign in with a passkey.",
    "lowered": null
  },
  "sign_in.passkey_shared_host": {
    "help": "Passkeys may belong to the host that all environments of the service share. A passkey can never move to another host.",
    "lowered": null
  },
  "sign_up.mode": {
    "help": "By whom accounts are created. People themselves (`open`), people whose accounts wait until a backend or an administrator approves them (`approval`, which needs mail), or the API alone (`closed`). An account that waits can do nothing and ends after 30 days. Accounts of the API and of invitations never wait.",
    "lowered": null
  },
  "sign_up.allowed_domains": {
    "help": "If there are any, only addresses of these domains can sign up. Nor can others become the new address of an account. A domain is written as `example.com`, or `*.example.com` for all below it and not itself. Accounts of the API and of invitations may have any.",
    "lowered": null
  },
  "sign_up.blocked_domains": {
    "help": "Addresses of these domains cannot sign up, even if they are allowed above. Nor can they become the new address of an account.",
    "lowered": null
  },
  "sign_up.name": {
    "help": "When people are asked for their name. With `off` the sign-up form alone asks for a name, which can stay empty. `optional` also asks where an account begins without the form: by an emailed code, or at a provider that sent no name. `required` takes no account without a name, and asks everyone who has none once. A name that is asked for has 1 to 100 characters.",
    "lowered": null
  },
  "users.deletion_grace_days": {
    "help": "For how many days a deleted account can be restored. It is closed at first: the person is signed out everywhere, and the address stays taken. A backend, an administrator or the person can restore it; then it is erased. `0` erases at once.",
    "lowered": null
  },
  "mfa.mode": {
    "help": "Whether a second factor is `off`, `optional` or `required`. What a person enrolled is asked for in every mode.",
    "lowered": null
  },
  "mfa.totp": {
    "help": "People can enrol an authenticator app (TOTP).",
    "lowered": null
  },
  "mfa.remember_days": {
    "help": "How long a person may choose not to be asked for the second factor in a browser; 0 for never. A recovery code does not count, and a request that asks for a fresh sign-in or a level, and a sensitive change, ask all the same. The root environment has none.",
    "lowered": "It counts at once: browsers that were trusted for longer are asked again."
  },
  "passkeys.automatic": {
    "help": "After a sign-in with a password, a browser that can do so creates a passkey without a question. The account needs a verified address. The passkey is a way in, but not a second factor until a sign-in has used it. The person is mailed and can remove it. It has no effect where passkeys are off, and is refused where a second factor is required.",
    "lowered": null
  },
  "notices.new_sign_in": {
    "help": "A person gets a mail about a sign-in from a browser that is new to the account. The first sign-in of a person needs none, and an hour has at most one. It needs mail.",
    "lowered": null
  },
  "password.min_length": {
    "help": "The least number of characters of a new password.",
    "lowered": null
  },
  "password.reject_common": {
    "help": "Common passwords are refused, and names and addresses of the person.",
    "lowered": null
  },
  "lockout.max_attempts": {
    "help": "This many wrong passwords in a row lock an account.",
    "lowered": null
  },
  "lockout.duration_seconds": {
    "help": "How long an account stays locked.",
    "lowered": "It ends nothing now: accounts that are locked keep their time."
  },
  "tokens.access_token_ttl_seconds": {
    "help": "The lifetime of an access token.",
    "lowered": "It ends nothing now: tokens that are issued keep their time."
  },
  "tokens.id_token_ttl_seconds": {
    "help": "The lifetime of an ID token.",
    "lowered": "It ends nothing now: tokens that are issued keep their time."
  },
  "tokens.authorization_code_ttl_seconds": {
    "help": "The lifetime of an authorization code.",
    "lowered": "It ends nothing now: codes that are issued keep their time."
  },
  "tokens.refresh_token_idle_ttl_seconds": {
    "help": "A refresh token ends after this time without use.",
    "lowered": "Refresh tokens keep their time until their next use. Those that follow end sooner when they are unused."
  },
  "tokens.refresh_token_absolute_ttl_seconds": {
    "help": "How long a grant can be refreshed in all, not below the time without use.",
    "lowered": "Grants that are older than this end at their next refresh, and the person signs in again."
  },
  "tokens.refresh_retry_window_seconds": {
    "help": "How long a refresh can be repeated. After a lost answer it gets the same answer.",
    "lowered": "A repeat that comes later than this ends the grant, since it could be a stolen token."
  },
  "tokens.access_token_format": {
    "help": "The format of access tokens without a resource server: `jwt` or `opaque`.",
    "lowered": null
  },
  "tokens.id_token_claims": {
    "help": "The claims in the ID token. `full` puts those of all scopes into it; `minimal` leaves them to UserInfo.",
    "lowered": null
  },
  "sessions.idle_ttl_seconds": {
    "help": "A session ends after this time without use.",
    "lowered": "Sessions keep their time until the next visit. After that they end sooner when they are unused."
  },
  "sessions.absolute_ttl_seconds": {
    "help": "How long a session lasts at most, not below the time without use.",
    "lowered": "It ends nothing now: sessions that have begun keep their time."
  },
  "claims.preferred_username": {
    "help": "What `preferred_username` holds for a person who has no user name. Nothing (`none`), or the verified address (`email`). A user name that the API set wins.",
    "lowered": null
  },
  "claims.name": {
    "help": "What `name` holds for a person who has no name. Nothing (`none`), or the verified address (`email`). A name that a person or the API set wins.",
    "lowered": null
  },
  "scopes.disabled": {
    "help": "Scopes of OpenID Connect that are refused.",
    "lowered": null
  },
  "cors.allowed_origins": {
    "help": "Origins whose scripts can call the token endpoints. Those of spa applications can anyway. An origin is written as `https://app.example.com`.",
    "lowered": null
  },
  "oauth.openid_optional": {
    "help": "A request that names a resource server may leave out the scope `openid`. Its access token is for the resource server alone, and there is no ID token.",
    "lowered": null
  },
  "oauth.metadata_clients": {
    "help": "Clients that nobody registered, by the URL of a document about themselves. None (`off`), those whose URL an administrator has approved (`listed`), or every one (`any`). They only reach resource servers with `allow_metadata_clients`, and people are asked each time.",
    "lowered": null
  },
  "email.delivery": {
    "help": "`smtp` sends mail, `capture` keeps it for the inbox (Test only), `none` sends nothing.",
    "lowered": null
  },
  "email.from": {
    "help": "The sender of mail: an address, or `Name <address>`. Required with `smtp`.",
    "lowered": null
  },
  "email.smtp.host": {
    "help": "The name or the address of the mail server.",
    "lowered": null
  },
  "email.smtp.port": {
    "help": "The port of the mail server.",
    "lowered": null
  },
  "email.smtp.tls": {
    "help": "`starttls` is required, not opportunistic; `implicit` is TLS from the start; `none` only reaches an allowed network.",
    "lowered": null
  },
  "email.smtp.username": {
    "help": "The user name at the mail server; `null` for none.",
    "lowered": null
  },
  "email.smtp.password": {
    "help": "The password at the mail server. It is write-only.",
    "lowered": null
  },
  "branding.display_name": {
    "help": "The name on the hosted pages; `null` uses the name of the project.",
    "lowered": null
  },
  "branding.logo_url": {
    "help": "The https address of the image on the hosted pages; `null` for none.",
    "lowered": null
  },
  "branding.primary_color": {
    "help": "The colour of buttons as `#rrggbb`; `null` for the default.",
    "lowered": null
  },
  "links.terms_url": {
    "help": "The terms of service, linked on the hosted pages; `null` for none.",
    "lowered": null
  },
  "links.privacy_url": {
    "help": "The privacy policy, linked on the hosted pages; `null` for none.",
    "lowered": null
  },
  "links.support_url": {
    "help": "Where people get help, linked on the hosted pages; `null` for none.",
    "lowered": null
  },
  "test.fixed_code": {
    "help": "Six digits that replace emailed codes; `null` for real codes.",
    "lowered": null
  }
}
