// Generated from contract/src/settings.ts and settings-words.ts by `npm run docs`.
import type { Look } from './objects.ts'

export type Value = string | number | boolean | null | readonly string[]

/** A field of the settings: what it is called, what a change of it means, its range, and what happens to it on the way to Live. */
export interface Setting {
  /** The path in the document. */
  path: string
  group: string
  name: string
  label: string
  /** Who notices a change, and when. */
  affects: string
  /** The advice for Live where only Test has a value. */
  advice: string | null
  /** The type of environment that has the field, if not both. */
  only: 'test' | 'live' | null
  class: 'travels' | 'owned' | 'secret'
  look: Look
  default: Value
  min: number | null
  max: number | null
}

export const settings_groups: readonly { title: string; fields: readonly Setting[] }[] = [
  {
    "title": "Sign-in",
    "fields": [
      {
        "path": "sign_in.password",
        "group": "sign_in",
        "name": "password",
        "label": "Password",
        "affects": "Every person who signs in: the page offers it, or no longer does. Nobody is signed out.",
        "advice": null,
        "only": null,
        "class": "travels",
        "look": "switch",
        "default": true,
        "min": null,
        "max": null
      },
      {
        "path": "sign_in.email_code",
        "group": "sign_in",
        "name": "email_code",
        "label": "Emailed code",
        "affects": "Every person who signs in: the page offers it, or no longer does. Nobody is signed out.",
        "advice": null,
        "only": null,
        "class": "travels",
        "look": "switch",
        "default": false,
        "min": null,
        "max": null
      },
      {
        "path": "sign_in.passkey",
        "group": "sign_in",
        "name": "passkey",
        "label": "Passkey",
        "affects": "Every person who signs in: the page offers it, or no longer does. Nobody is signed out.",
        "advice": null,
        "only": null,
        "class": "travels",
        "look": "switch",
        "default": false,
        "min": null,
        "max": null
      },
      {
        "path": "sign_in.passkey_shared_host",
        "group": "sign_in",
        "name": "passkey_shared_host",
        "label": "Passkeys of the shared host",
        "affects": "Every person who signs in: the page offers it, or no longer does. Nobody is signed out.",
        "advice": "Live only",
        "only": "live",
        "class": "owned",
        "look": "switch",
        "default": false,
        "min": null,
        "max": null
      },
      {
        "path": "sign_up.mode",
        "group": "sign_up",
        "name": "mode",
        "label": "New accounts",
        "affects": "People without an account. People who wait go on waiting, whatever is chosen.",
        "advice": null,
        "only": null,
        "class": "travels",
        "look": {
          "open": "Anyone may sign up",
          "approval": "Each waits for an approval",
          "closed": "Only the API creates them"
        },
        "default": "open",
        "min": null,
        "max": null
      },
      {
        "path": "sign_up.allowed_domains",
        "group": "sign_up",
        "name": "allowed_domains",
        "label": "Domains that may sign up",
        "affects": "People who sign up or change their address. Accounts that exist stay.",
        "advice": null,
        "only": null,
        "class": "travels",
        "look": "list",
        "default": [],
        "min": null,
        "max": null
      },
      {
        "path": "sign_up.blocked_domains",
        "group": "sign_up",
        "name": "blocked_domains",
        "label": "Domains that may not sign up",
        "affects": "People who sign up or change their address. Accounts that exist stay.",
        "advice": null,
        "only": null,
        "class": "travels",
        "look": "list",
        "default": [],
        "min": null,
        "max": null
      },
      {
        "path": "sign_up.name",
        "group": "sign_up",
        "name": "name",
        "label": "Name of a person",
        "affects": "People who sign up. “Required” also asks people without a name, at the next sign-in.",
        "advice": null,
        "only": null,
        "class": "travels",
        "look": {
          "off": "In the sign-up form, may stay empty",
          "optional": "Of every new person, may stay empty",
          "required": "Of everyone without one"
        },
        "default": "off",
        "min": null,
        "max": null
      },
      {
        "path": "users.deletion_grace_days",
        "group": "users",
        "name": "deletion_grace_days",
        "label": "Days in which a deletion can be undone",
        "affects": "Accounts that are deleted from then on. Those that are closed keep their day.",
        "advice": null,
        "only": null,
        "class": "travels",
        "look": "number",
        "default": 0,
        "min": 0,
        "max": 30
      },
      {
        "path": "mfa.mode",
        "group": "mfa",
        "name": "mode",
        "label": "Second factor",
        "affects": "Every person, at the next sign-in. “Required” asks those without one to enrol.",
        "advice": null,
        "only": null,
        "class": "travels",
        "look": {
          "off": "Off",
          "optional": "Optional",
          "required": "Required"
        },
        "default": "off",
        "min": null,
        "max": null
      },
      {
        "path": "mfa.totp",
        "group": "mfa",
        "name": "totp",
        "label": "Authenticator app",
        "affects": "People who want to enrol one. Enrolled ones stay.",
        "advice": null,
        "only": null,
        "class": "travels",
        "look": "switch",
        "default": true,
        "min": null,
        "max": null
      },
      {
        "path": "mfa.remember_days",
        "group": "mfa",
        "name": "remember_days",
        "label": "Days without the second factor",
        "affects": "People with a second factor, from the next one that they use on.",
        "advice": null,
        "only": null,
        "class": "travels",
        "look": "number",
        "default": 0,
        "min": 0,
        "max": 90
      },
      {
        "path": "passkeys.automatic",
        "group": "passkeys",
        "name": "automatic",
        "label": "Passkeys by themselves",
        "affects": "People who sign in with a password, from the next sign-in on. Passkeys that were created stay.",
        "advice": null,
        "only": null,
        "class": "travels",
        "look": "switch",
        "default": false,
        "min": null,
        "max": null
      },
      {
        "path": "notices.new_sign_in",
        "group": "notices",
        "name": "new_sign_in",
        "label": "Mail about a new browser",
        "affects": "People who sign in from another browser, from the next sign-in on.",
        "advice": null,
        "only": null,
        "class": "travels",
        "look": "switch",
        "default": true,
        "min": null,
        "max": null
      }
    ]
  },
  {
    "title": "Passwords and lockout",
    "fields": [
      {
        "path": "password.min_length",
        "group": "password",
        "name": "min_length",
        "label": "Minimum length",
        "affects": "People who set a new password. Those they have stay valid.",
        "advice": null,
        "only": null,
        "class": "travels",
        "look": "number",
        "default": 12,
        "min": 8,
        "max": 128
      },
      {
        "path": "password.reject_common",
        "group": "password",
        "name": "reject_common",
        "label": "Refuse common passwords",
        "affects": "People who set a new password. Those they have stay valid.",
        "advice": null,
        "only": null,
        "class": "travels",
        "look": "switch",
        "default": true,
        "min": null,
        "max": null
      },
      {
        "path": "lockout.max_attempts",
        "group": "lockout",
        "name": "max_attempts",
        "label": "Wrong attempts until lockout",
        "affects": "People who mistype, from the next attempt.",
        "advice": null,
        "only": null,
        "class": "travels",
        "look": "number",
        "default": 10,
        "min": 3,
        "max": 100
      },
      {
        "path": "lockout.duration_seconds",
        "group": "lockout",
        "name": "duration_seconds",
        "label": "Lockout",
        "affects": "Accounts that are locked from then on.",
        "advice": null,
        "only": null,
        "class": "travels",
        "look": "seconds",
        "default": 900,
        "min": 30,
        "max": 86400
      }
    ]
  },
  {
    "title": "Tokens",
    "fields": [
      {
        "path": "tokens.access_token_ttl_seconds",
        "group": "tokens",
        "name": "access_token_ttl_seconds",
        "label": "Access token",
        "affects": "Tokens that are issued from then on. Those already issued keep their time.",
        "advice": null,
        "only": null,
        "class": "travels",
        "look": "seconds",
        "default": 3600,
        "min": 60,
        "max": 86400
      },
      {
        "path": "tokens.id_token_ttl_seconds",
        "group": "tokens",
        "name": "id_token_ttl_seconds",
        "label": "ID token",
        "affects": "Tokens that are issued from then on. Those already issued keep their time.",
        "advice": null,
        "only": null,
        "class": "travels",
        "look": "seconds",
        "default": 3600,
        "min": 60,
        "max": 86400
      },
      {
        "path": "tokens.authorization_code_ttl_seconds",
        "group": "tokens",
        "name": "authorization_code_ttl_seconds",
        "label": "Authorization code",
        "affects": "Sign-ins from then on.",
        "advice": null,
        "only": null,
        "class": "travels",
        "look": "seconds",
        "default": 60,
        "min": 10,
        "max": 600
      },
      {
        "path": "tokens.refresh_token_idle_ttl_seconds",
        "group": "tokens",
        "name": "refresh_token_idle_ttl_seconds",
        "label": "Refresh token unused",
        "affects": "Each grant, from its next refresh.",
        "advice": null,
        "only": null,
        "class": "travels",
        "look": "seconds",
        "default": 1209600,
        "min": 3600,
        "max": 31536000
      },
      {
        "path": "tokens.refresh_token_absolute_ttl_seconds",
        "group": "tokens",
        "name": "refresh_token_absolute_ttl_seconds",
        "label": "Refresh in all",
        "affects": "Each grant, from its next refresh.",
        "advice": null,
        "only": null,
        "class": "travels",
        "look": "seconds",
        "default": 7776000,
        "min": 3600,
        "max": 63072000
      },
      {
        "path": "tokens.refresh_retry_window_seconds",
        "group": "tokens",
        "name": "refresh_retry_window_seconds",
        "label": "Retry window of refresh",
        "affects": "Applications that repeat a refresh after a lost answer.",
        "advice": null,
        "only": null,
        "class": "travels",
        "look": "seconds",
        "default": 0,
        "min": 0,
        "max": 60
      },
      {
        "path": "tokens.access_token_format",
        "group": "tokens",
        "name": "access_token_format",
        "label": "Format of access tokens",
        "affects": "Every program that reads access tokens, from the next token on.",
        "advice": null,
        "only": null,
        "class": "travels",
        "look": {
          "jwt": "JWT",
          "opaque": "Opaque"
        },
        "default": "jwt",
        "min": null,
        "max": null
      },
      {
        "path": "tokens.id_token_claims",
        "group": "tokens",
        "name": "id_token_claims",
        "label": "Claims in the ID token",
        "affects": "Every application that reads claims from ID tokens, from the next one on.",
        "advice": null,
        "only": null,
        "class": "travels",
        "look": {
          "full": "Full",
          "minimal": "Minimal"
        },
        "default": "full",
        "min": null,
        "max": null
      }
    ]
  },
  {
    "title": "Sessions",
    "fields": [
      {
        "path": "sessions.idle_ttl_seconds",
        "group": "sessions",
        "name": "idle_ttl_seconds",
        "label": "Session unused",
        "affects": "People who are signed in, from their next visit.",
        "advice": null,
        "only": null,
        "class": "travels",
        "look": "seconds",
        "default": 86400,
        "min": 300,
        "max": 2592000
      },
      {
        "path": "sessions.absolute_ttl_seconds",
        "group": "sessions",
        "name": "absolute_ttl_seconds",
        "label": "Session in all",
        "affects": "Sessions that begin from then on.",
        "advice": null,
        "only": null,
        "class": "travels",
        "look": "seconds",
        "default": 2592000,
        "min": 3600,
        "max": 31536000
      }
    ]
  },
  {
    "title": "Names for products",
    "fields": [
      {
        "path": "claims.preferred_username",
        "group": "claims",
        "name": "preferred_username",
        "label": "User name of people without one",
        "affects": "Applications with the scope profile, from the next token on. A product that keys its accounts by it takes a changed address for another person.",
        "advice": null,
        "only": null,
        "class": "travels",
        "look": {
          "none": "Nothing",
          "email": "The verified address"
        },
        "default": "none",
        "min": null,
        "max": null
      },
      {
        "path": "claims.name",
        "group": "claims",
        "name": "name",
        "label": "Name of people without one",
        "affects": "Applications with the scope profile, from the next token on.",
        "advice": null,
        "only": null,
        "class": "travels",
        "look": {
          "none": "Nothing",
          "email": "The verified address"
        },
        "default": "none",
        "min": null,
        "max": null
      }
    ]
  },
  {
    "title": "Scopes and browsers",
    "fields": [
      {
        "path": "scopes.disabled",
        "group": "scopes",
        "name": "disabled",
        "label": "Scopes that no application can request",
        "affects": "Applications that request these scopes: they are refused at once.",
        "advice": null,
        "only": null,
        "class": "travels",
        "look": {
          "profile": "Name and picture",
          "email": "Email address",
          "phone": "Phone number",
          "offline_access": "Access while the person is away"
        },
        "default": [],
        "min": null,
        "max": null
      },
      {
        "path": "cors.allowed_origins",
        "group": "cors",
        "name": "allowed_origins",
        "label": "Origins that may call the token endpoints",
        "affects": "Scripts of these origins, at once.",
        "advice": "Add the origins of Live",
        "only": null,
        "class": "owned",
        "look": "list",
        "default": [],
        "min": null,
        "max": null
      }
    ]
  },
  {
    "title": "Agents and other programs",
    "fields": [
      {
        "path": "oauth.openid_optional",
        "group": "oauth",
        "name": "openid_optional",
        "label": "Requests without openid",
        "affects": "Applications that send no `openid`, or no scope: they are no longer refused. All others get what they got before.",
        "advice": null,
        "only": null,
        "class": "travels",
        "look": "switch",
        "default": false,
        "min": null,
        "max": null
      },
      {
        "path": "oauth.metadata_clients",
        "group": "oauth",
        "name": "metadata_clients",
        "label": "Connect by address",
        "affects": "Programs that people connect, such as agents. A stricter value ends at once what it no longer admits.",
        "advice": "Choose who may connect in Live",
        "only": null,
        "class": "owned",
        "look": {
          "off": "Off",
          "listed": "Approved addresses",
          "any": "Every address"
        },
        "default": "off",
        "min": null,
        "max": null
      }
    ]
  },
  {
    "title": "Mail",
    "fields": [
      {
        "path": "email.delivery",
        "group": "email",
        "name": "delivery",
        "label": "Delivery",
        "affects": "Every mail that is sent from then on.",
        "advice": "Set a mail server in Live",
        "only": null,
        "class": "owned",
        "look": {
          "none": "None",
          "smtp": "Mail server",
          "capture": "Captured"
        },
        "default": "capture",
        "min": null,
        "max": null
      },
      {
        "path": "email.from",
        "group": "email",
        "name": "from",
        "label": "Sender",
        "affects": "Every mail that is sent from then on.",
        "advice": "Needed before mail can leave",
        "only": null,
        "class": "owned",
        "look": "text",
        "default": null,
        "min": null,
        "max": null
      },
      {
        "path": "email.smtp.host",
        "group": "email",
        "name": "smtp.host",
        "label": "Mail server",
        "affects": "Every mail that is sent from then on.",
        "advice": "Set a mail server in Live",
        "only": null,
        "class": "owned",
        "look": "text",
        "default": null,
        "min": null,
        "max": null
      },
      {
        "path": "email.smtp.port",
        "group": "email",
        "name": "smtp.port",
        "label": "Port",
        "affects": "Every mail that is sent from then on.",
        "advice": "Part of the mail server",
        "only": null,
        "class": "owned",
        "look": "number",
        "default": 587,
        "min": 1,
        "max": 65535
      },
      {
        "path": "email.smtp.tls",
        "group": "email",
        "name": "smtp.tls",
        "label": "Encryption",
        "affects": "Every mail that is sent from then on.",
        "advice": "Part of the mail server",
        "only": null,
        "class": "owned",
        "look": {
          "starttls": "STARTTLS",
          "implicit": "Implicit",
          "none": "None"
        },
        "default": "starttls",
        "min": null,
        "max": null
      },
      {
        "path": "email.smtp.username",
        "group": "email",
        "name": "smtp.username",
        "label": "User name",
        "affects": "Every mail that is sent from then on.",
        "advice": "Part of the mail server",
        "only": null,
        "class": "owned",
        "look": "text",
        "default": null,
        "min": null,
        "max": null
      },
      {
        "path": "email.smtp.password",
        "group": "email",
        "name": "smtp.password",
        "label": "Password",
        "affects": "Every mail that is sent from then on.",
        "advice": null,
        "only": null,
        "class": "secret",
        "look": "text",
        "default": null,
        "min": null,
        "max": null
      }
    ]
  },
  {
    "title": "Look and links",
    "fields": [
      {
        "path": "branding.display_name",
        "group": "branding",
        "name": "display_name",
        "label": "Name on the pages",
        "affects": "Every person who opens a hosted page.",
        "advice": null,
        "only": null,
        "class": "travels",
        "look": "text",
        "default": null,
        "min": null,
        "max": null
      },
      {
        "path": "branding.logo_url",
        "group": "branding",
        "name": "logo_url",
        "label": "Logo",
        "affects": "Every person who opens a hosted page.",
        "advice": "Add the address of the logo in Live",
        "only": null,
        "class": "owned",
        "look": "text",
        "default": null,
        "min": null,
        "max": null
      },
      {
        "path": "branding.primary_color",
        "group": "branding",
        "name": "primary_color",
        "label": "Colour",
        "affects": "Every person who opens a hosted page.",
        "advice": null,
        "only": null,
        "class": "travels",
        "look": "text",
        "default": null,
        "min": null,
        "max": null
      },
      {
        "path": "links.terms_url",
        "group": "links",
        "name": "terms_url",
        "label": "Terms",
        "affects": "Every person who opens a hosted page.",
        "advice": "Add the address of the terms in Live",
        "only": null,
        "class": "owned",
        "look": "text",
        "default": null,
        "min": null,
        "max": null
      },
      {
        "path": "links.privacy_url",
        "group": "links",
        "name": "privacy_url",
        "label": "Privacy",
        "affects": "Every person who opens a hosted page.",
        "advice": "Add the address of the privacy policy in Live",
        "only": null,
        "class": "owned",
        "look": "text",
        "default": null,
        "min": null,
        "max": null
      },
      {
        "path": "links.support_url",
        "group": "links",
        "name": "support_url",
        "label": "Support",
        "affects": "Every person who opens a hosted page.",
        "advice": "Add the address of your support in Live",
        "only": null,
        "class": "owned",
        "look": "text",
        "default": null,
        "min": null,
        "max": null
      }
    ]
  },
  {
    "title": "Test only",
    "fields": [
      {
        "path": "test.fixed_code",
        "group": "test",
        "name": "fixed_code",
        "label": "Fixed code",
        "affects": "Everybody who gets a code in this Test environment.",
        "advice": null,
        "only": "test",
        "class": "owned",
        "look": "text",
        "default": null,
        "min": null,
        "max": null
      }
    ]
  }
]
