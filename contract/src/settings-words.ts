/**
 * The settings in words: what each field is called, what it does, and what a change of it means. The dashboard, the API reference, the
 * command line and `docs/settings.md` read them here. Ranges, defaults and classes are in `settings.ts`.
 */
import type { SwitchedMethod } from './sign-in-methods.ts'

export interface SettingWords {
  /** The name of the field for people. A duration is in seconds. */
  readonly label: string
  /** Describes the field in sentences. Range and default follow it wherever it is shown. */
  readonly help: string
  /** Who notices a change, and when. */
  readonly affects: string
  /** Says what a lower value ends, and when; for durations of objects that exist. */
  readonly lowered?: string
  /** The advice for Live where only Test has a value; for fields that belong to their environment. */
  readonly advice?: string
  /** The words for each choice. */
  readonly choices?: Readonly<Record<string, string>>
  /** The type of environment that has the field, if not both. */
  readonly only?: 'test' | 'live'
}

export interface SettingsGroupWords {
  readonly title: string
  /** Each field by its path in the document. */
  readonly fields: Readonly<Record<string, SettingWords>>
}

const next_tokens = 'Tokens that are issued from then on. Those already issued keep their time.'
const each_visitor = 'Every person who opens a hosted page.'
const sign_in_page = 'Every person who signs in: the page offers it, or no longer does. Nobody is signed out.'
const new_passwords = 'People who set a new password. Those they have stay valid.'
const next_mail = 'Every mail that is sent from then on.'
const formats = { jwt: 'JWT', opaque: 'Opaque' }
const stand_ins = { none: 'Nothing', email: 'The verified address' }
const keepTheirTime = (issued: string) => `It ends nothing now: ${issued} keep their time.`

const of_sign_in = {
  'sign_in.password': { label: 'Password', help: 'People can sign in with a password.', affects: sign_in_page },
  'sign_in.email_code': {
    label: 'Emailed code',
    help: 'People can sign in with a code by mail. It needs mail.',
    affects: sign_in_page,
  },
  'sign_in.passkey': { label: 'Passkey', help: 'People can sign in with a passkey.', affects: sign_in_page },
  'sign_in.passkey_shared_host': {
    label: 'Passkeys of the shared host',
    help: 'Passkeys may belong to the host that all environments of the service share. A passkey can never move to another host.',
    affects: sign_in_page,
    advice: 'Live only',
    only: 'live',
  },
} satisfies Record<`sign_in.${SwitchedMethod | 'passkey_shared_host'}`, SettingWords>

export const settings_words: readonly SettingsGroupWords[] = [
  {
    title: 'Sign-in',
    fields: {
      ...of_sign_in,
      'sign_up.mode': {
        label: 'New accounts',
        help: 'By whom accounts are created. People themselves (`open`), people whose accounts wait until a backend or an administrator approves them (`approval`, which needs mail), or the API alone (`closed`). An account that waits can do nothing and ends after 30 days. Accounts of the API and of invitations never wait.',
        affects: 'People without an account. People who wait go on waiting, whatever is chosen.',
        choices: { open: 'Anyone may sign up', approval: 'Each waits for an approval', closed: 'Only the API creates them' },
      },
      'sign_up.allowed_domains': {
        label: 'Domains that may sign up',
        help: 'If there are any, only addresses of these domains can sign up. Nor can others become the new address of an account. A domain is written as `example.com`, or `*.example.com` for all below it and not itself. Accounts of the API and of invitations may have any.',
        affects: 'People who sign up or change their address. Accounts that exist stay.',
      },
      'sign_up.blocked_domains': {
        label: 'Domains that may not sign up',
        help: 'Addresses of these domains cannot sign up, even if they are allowed above. Nor can they become the new address of an account.',
        affects: 'People who sign up or change their address. Accounts that exist stay.',
      },
      'sign_up.name': {
        label: 'Name of a person',
        help: 'When people are asked for their name. With `off` the sign-up form alone asks for a name, which can stay empty. `optional` also asks where an account begins without the form: by an emailed code, or at a provider that sent no name. `required` takes no account without a name, and asks everyone who has none once. A name that is asked for has 1 to 100 characters.',
        affects: 'People who sign up. “Required” also asks people without a name, at the next sign-in.',
        choices: {
          off: 'In the sign-up form, may stay empty',
          optional: 'Of every new person, may stay empty',
          required: 'Of everyone without one',
        },
      },
      'users.deletion_grace_days': {
        label: 'Days in which a deletion can be undone',
        help: 'For how many days a deleted account can be restored. It is closed at first: the person is signed out everywhere, and the address stays taken. A backend, an administrator or the person can restore it; then it is erased. `0` erases at once.',
        affects: 'Accounts that are deleted from then on. Those that are closed keep their day.',
      },
      'mfa.mode': {
        label: 'Second factor',
        help: 'Whether a second factor is `off`, `optional` or `required`. What a person enrolled is asked for in every mode.',
        affects: 'Every person, at the next sign-in. “Required” asks those without one to enrol.',
        choices: { off: 'Off', optional: 'Optional', required: 'Required' },
      },
      'mfa.totp': {
        label: 'Authenticator app',
        help: 'People can enrol an authenticator app (TOTP).',
        affects: 'People who want to enrol one. Enrolled ones stay.',
      },
      'mfa.remember_days': {
        label: 'Days without the second factor',
        help: 'How long a person may choose not to be asked for the second factor in a browser; 0 for never. A recovery code does not count, and a request that asks for a fresh sign-in or a level, and a sensitive change, ask all the same. The root environment has none.',
        affects: 'People with a second factor, from the next one that they use on.',
        lowered: 'It counts at once: browsers that were trusted for longer are asked again.',
      },
      'passkeys.automatic': {
        label: 'Passkeys by themselves',
        help: 'After a sign-in with a password, a browser that can do so creates a passkey without a question. The account needs a verified address. The passkey is a way in, but not a second factor until a sign-in has used it. The person is mailed and can remove it. It has no effect where passkeys are off, and is refused where a second factor is required.',
        affects: 'People who sign in with a password, from the next sign-in on. Passkeys that were created stay.',
      },
      'notices.new_sign_in': {
        label: 'Mail about a new browser',
        help: 'A person gets a mail about a sign-in from a browser that is new to the account. The first sign-in of a person needs none, and an hour has at most one. It needs mail.',
        affects: 'People who sign in from another browser, from the next sign-in on.',
      },
    },
  },
  {
    title: 'Passwords and lockout',
    fields: {
      'password.min_length': { label: 'Minimum length', help: 'The least number of characters of a new password.', affects: new_passwords },
      'password.reject_common': {
        label: 'Refuse common passwords',
        help: 'Common passwords are refused, and names and addresses of the person.',
        affects: new_passwords,
      },
      'lockout.max_attempts': {
        label: 'Wrong attempts until lockout',
        help: 'This many wrong passwords in a row lock an account.',
        affects: 'People who mistype, from the next attempt.',
      },
      'lockout.duration_seconds': {
        label: 'Lockout',
        help: 'How long an account stays locked.',
        affects: 'Accounts that are locked from then on.',
        lowered: keepTheirTime('accounts that are locked'),
      },
    },
  },
  {
    title: 'Tokens',
    fields: {
      'tokens.access_token_ttl_seconds': {
        label: 'Access token',
        help: 'The lifetime of an access token.',
        affects: next_tokens,
        lowered: keepTheirTime('tokens that are issued'),
      },
      'tokens.id_token_ttl_seconds': {
        label: 'ID token',
        help: 'The lifetime of an ID token.',
        affects: next_tokens,
        lowered: keepTheirTime('tokens that are issued'),
      },
      'tokens.authorization_code_ttl_seconds': {
        label: 'Authorization code',
        help: 'The lifetime of an authorization code.',
        affects: 'Sign-ins from then on.',
        lowered: keepTheirTime('codes that are issued'),
      },
      'tokens.refresh_token_idle_ttl_seconds': {
        label: 'Refresh token unused',
        help: 'A refresh token ends after this time without use.',
        affects: 'Each grant, from its next refresh.',
        lowered: 'Refresh tokens keep their time until their next use. Those that follow end sooner when they are unused.',
      },
      'tokens.refresh_token_absolute_ttl_seconds': {
        label: 'Refresh in all',
        help: 'How long a grant can be refreshed in all, not below the time without use.',
        affects: 'Each grant, from its next refresh.',
        lowered: 'Grants that are older than this end at their next refresh, and the person signs in again.',
      },
      'tokens.refresh_retry_window_seconds': {
        label: 'Retry window of refresh',
        help: 'How long a refresh can be repeated. After a lost answer it gets the same answer.',
        affects: 'Applications that repeat a refresh after a lost answer.',
        lowered: 'A repeat that comes later than this ends the grant, since it could be a stolen token.',
      },
      'tokens.access_token_format': {
        label: 'Format of access tokens',
        help: 'The format of access tokens without a resource server: `jwt` or `opaque`.',
        affects: 'Every program that reads access tokens, from the next token on.',
        choices: formats,
      },
      'tokens.id_token_claims': {
        label: 'Claims in the ID token',
        help: 'The claims in the ID token. `full` puts those of all scopes into it; `minimal` leaves them to UserInfo.',
        affects: 'Every application that reads claims from ID tokens, from the next one on.',
        choices: { full: 'Full', minimal: 'Minimal' },
      },
    },
  },
  {
    title: 'Sessions',
    fields: {
      'sessions.idle_ttl_seconds': {
        label: 'Session unused',
        help: 'A session ends after this time without use.',
        affects: 'People who are signed in, from their next visit.',
        lowered: 'Sessions keep their time until the next visit. After that they end sooner when they are unused.',
      },
      'sessions.absolute_ttl_seconds': {
        label: 'Session in all',
        help: 'How long a session lasts at most, not below the time without use.',
        affects: 'Sessions that begin from then on.',
        lowered: keepTheirTime('sessions that have begun'),
      },
    },
  },
  {
    title: 'Names for products',
    fields: {
      'claims.preferred_username': {
        label: 'User name of people without one',
        help: 'What `preferred_username` holds for a person who has no user name. Nothing (`none`), or the verified address (`email`). A user name that the API set wins.',
        affects:
          'Applications with the scope profile, from the next token on. A product that keys its accounts by it takes a changed address for another person.',
        choices: stand_ins,
      },
      'claims.name': {
        label: 'Name of people without one',
        help: 'What `name` holds for a person who has no name. Nothing (`none`), or the verified address (`email`). A name that a person or the API set wins.',
        affects: 'Applications with the scope profile, from the next token on.',
        choices: stand_ins,
      },
    },
  },
  {
    title: 'Scopes and browsers',
    fields: {
      'scopes.disabled': {
        label: 'Scopes that no application can request',
        help: 'Scopes of OpenID Connect that are refused.',
        choices: {
          profile: 'Name and picture',
          email: 'Email address',
          phone: 'Phone number',
          offline_access: 'Access while the person is away',
        },
        affects: 'Applications that request these scopes: they are refused at once.',
      },
      'cors.allowed_origins': {
        label: 'Origins that may call the token endpoints',
        help: 'Origins whose scripts can call the token endpoints. Those of spa applications can anyway. An origin is written as `https://app.example.com`.',
        affects: 'Scripts of these origins, at once.',
        advice: 'Add the origins of Live',
      },
    },
  },
  {
    title: 'Agents and other programs',
    fields: {
      'oauth.openid_optional': {
        label: 'Requests without openid',
        help: 'A request that names a resource server may leave out the scope `openid`. Its access token is for the resource server alone, and there is no ID token.',
        affects: 'Applications that send no `openid`, or no scope: they are no longer refused. All others get what they got before.',
      },
      'oauth.metadata_clients': {
        label: 'Connect by address',
        help: 'Clients that nobody registered, by the URL of a document about themselves. None (`off`), those whose URL an administrator has approved (`listed`), or every one (`any`). They only reach resource servers with `allow_metadata_clients`, and people are asked each time.',
        affects: 'Programs that people connect, such as agents. A stricter value ends at once what it no longer admits.',
        advice: 'Choose who may connect in Live',
        choices: { off: 'Off', listed: 'Approved addresses', any: 'Every address' },
      },
    },
  },
  {
    title: 'Mail',
    fields: {
      'email.delivery': {
        label: 'Delivery',
        help: '`smtp` sends mail, `capture` keeps it for the inbox (Test only), `none` sends nothing.',
        affects: next_mail,
        advice: 'Set a mail server in Live',
        choices: { none: 'None', smtp: 'Mail server', capture: 'Captured' },
      },
      'email.from': {
        label: 'Sender',
        help: 'The sender of mail: an address, or `Name <address>`. Required with `smtp`.',
        affects: next_mail,
        advice: 'Needed before mail can leave',
      },
      'email.smtp.host': {
        label: 'Mail server',
        help: 'The name or the address of the mail server.',
        affects: next_mail,
        advice: 'Set a mail server in Live',
      },
      'email.smtp.port': { label: 'Port', help: 'The port of the mail server.', affects: next_mail, advice: 'Part of the mail server' },
      'email.smtp.tls': {
        label: 'Encryption',
        help: '`starttls` is required, not opportunistic; `implicit` is TLS from the start; `none` only reaches an allowed network.',
        affects: next_mail,
        advice: 'Part of the mail server',
        choices: { starttls: 'STARTTLS', implicit: 'Implicit', none: 'None' },
      },
      'email.smtp.username': {
        label: 'User name',
        help: 'The user name at the mail server; `null` for none.',
        affects: next_mail,
        advice: 'Part of the mail server',
      },
      'email.smtp.password': { label: 'Password', help: 'The password at the mail server. It is write-only.', affects: next_mail },
    },
  },
  {
    title: 'Look and links',
    fields: {
      'branding.display_name': {
        label: 'Name on the pages',
        help: 'The name on the hosted pages; `null` uses the name of the project.',
        affects: each_visitor,
      },
      'branding.logo_url': {
        label: 'Logo',
        help: 'The https address of the image on the hosted pages; `null` for none.',
        affects: each_visitor,
        advice: 'Add the address of the logo in Live',
      },
      'branding.primary_color': {
        label: 'Colour',
        help: 'The colour of buttons as `#rrggbb`; `null` for the default.',
        affects: each_visitor,
      },
      'links.terms_url': {
        label: 'Terms',
        help: 'The terms of service, linked on the hosted pages; `null` for none.',
        affects: each_visitor,
        advice: 'Add the address of the terms in Live',
      },
      'links.privacy_url': {
        label: 'Privacy',
        help: 'The privacy policy, linked on the hosted pages; `null` for none.',
        affects: each_visitor,
        advice: 'Add the address of the privacy policy in Live',
      },
      'links.support_url': {
        label: 'Support',
        help: 'Where people get help, linked on the hosted pages; `null` for none.',
        affects: each_visitor,
        advice: 'Add the address of your support in Live',
      },
    },
  },
  {
    title: 'Test only',
    fields: {
      'test.fixed_code': {
        label: 'Fixed code',
        help: 'Six digits that replace emailed codes; `null` for real codes.',
        affects: 'Everybody who gets a code in this Test environment.',
        only: 'test',
      },
    },
  },
]

const by_path = new Map(settings_words.flatMap(({ fields }) => Object.entries(fields)))

/** The words of a field. @throws TypeError for a field without words */
export function wordsOf(path: string): SettingWords {
  const words = by_path.get(path)
  if (!words) throw new TypeError(`The setting ${path} has no words in settings-words.ts.`)
  return words
}
