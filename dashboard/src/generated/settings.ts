// Generated from contract/src/settings.ts and settings-words.ts by `npm run docs`.

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
  /** What to do in Live where only Test has a value. */
  advice: string | null
  /** The type of environment that has the field, if not both. */
  only: 'test' | 'live' | null
  class: 'travels' | 'owned' | 'never'
  kind: 'seconds' | 'number' | 'switch' | 'choice' | 'text' | 'set' | 'lines'
  default: Value
  min: number | null
  max: number | null
  choices: readonly { value: string; label: string }[] | null
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
        "kind": "switch",
        "default": true,
        "min": null,
        "max": null,
        "choices": null
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
        "kind": "switch",
        "default": false,
        "min": null,
        "max": null,
        "choices": null
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
        "kind": "switch",
        "default": false,
        "min": null,
        "max": null,
        "choices": null
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
        "kind": "switch",
        "default": false,
        "min": null,
        "max": null,
        "choices": null
      },
      {
        "path": "sign_up.mode",
        "group": "sign_up",
        "name": "mode",
        "label": "New accounts",
        "affects": "People without an account.",
        "advice": null,
        "only": null,
        "class": "travels",
        "kind": "choice",
        "default": "open",
        "min": null,
        "max": null,
        "choices": [
          {
            "value": "open",
            "label": "Anyone may sign up"
          },
          {
            "value": "closed",
            "label": "Only the API creates them"
          }
        ]
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
        "kind": "choice",
        "default": "off",
        "min": null,
        "max": null,
        "choices": [
          {
            "value": "off",
            "label": "In the sign-up form, may stay empty"
          },
          {
            "value": "optional",
            "label": "Of every new person, may stay empty"
          },
          {
            "value": "required",
            "label": "Of everyone without one"
          }
        ]
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
        "kind": "choice",
        "default": "off",
        "min": null,
        "max": null,
        "choices": [
          {
            "value": "off",
            "label": "Off"
          },
          {
            "value": "optional",
            "label": "Optional"
          },
          {
            "value": "required",
            "label": "Required"
          }
        ]
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
        "kind": "switch",
        "default": true,
        "min": null,
        "max": null,
        "choices": null
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
        "kind": "number",
        "default": 12,
        "min": 8,
        "max": 128,
        "choices": null
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
        "kind": "switch",
        "default": true,
        "min": null,
        "max": null,
        "choices": null
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
        "kind": "number",
        "default": 10,
        "min": 3,
        "max": 100,
        "choices": null
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
        "kind": "seconds",
        "default": 900,
        "min": 30,
        "max": 86400,
        "choices": null
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
        "kind": "seconds",
        "default": 3600,
        "min": 60,
        "max": 86400,
        "choices": null
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
        "kind": "seconds",
        "default": 3600,
        "min": 60,
        "max": 86400,
        "choices": null
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
        "kind": "seconds",
        "default": 60,
        "min": 10,
        "max": 600,
        "choices": null
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
        "kind": "seconds",
        "default": 1209600,
        "min": 3600,
        "max": 31536000,
        "choices": null
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
        "kind": "seconds",
        "default": 7776000,
        "min": 3600,
        "max": 63072000,
        "choices": null
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
        "kind": "seconds",
        "default": 0,
        "min": 0,
        "max": 60,
        "choices": null
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
        "kind": "text",
        "default": "jwt",
        "min": null,
        "max": null,
        "choices": [
          {
            "value": "jwt",
            "label": "JWT"
          },
          {
            "value": "opaque",
            "label": "Opaque"
          }
        ]
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
        "kind": "choice",
        "default": "full",
        "min": null,
        "max": null,
        "choices": [
          {
            "value": "full",
            "label": "Full"
          },
          {
            "value": "minimal",
            "label": "Minimal"
          }
        ]
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
        "kind": "seconds",
        "default": 86400,
        "min": 300,
        "max": 2592000,
        "choices": null
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
        "kind": "seconds",
        "default": 2592000,
        "min": 3600,
        "max": 31536000,
        "choices": null
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
        "kind": "choice",
        "default": "none",
        "min": null,
        "max": null,
        "choices": [
          {
            "value": "none",
            "label": "Nothing"
          },
          {
            "value": "email",
            "label": "The verified address"
          }
        ]
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
        "kind": "choice",
        "default": "none",
        "min": null,
        "max": null,
        "choices": [
          {
            "value": "none",
            "label": "Nothing"
          },
          {
            "value": "email",
            "label": "The verified address"
          }
        ]
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
        "kind": "set",
        "default": [],
        "min": null,
        "max": null,
        "choices": [
          {
            "value": "profile",
            "label": "Name and picture"
          },
          {
            "value": "email",
            "label": "Email address"
          },
          {
            "value": "phone",
            "label": "Phone number"
          },
          {
            "value": "offline_access",
            "label": "Access while the person is away"
          }
        ]
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
        "kind": "lines",
        "default": [],
        "min": null,
        "max": null,
        "choices": null
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
        "kind": "choice",
        "default": "capture",
        "min": null,
        "max": null,
        "choices": [
          {
            "value": "none",
            "label": "None"
          },
          {
            "value": "smtp",
            "label": "Mail server"
          },
          {
            "value": "capture",
            "label": "Captured"
          }
        ]
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
        "kind": "text",
        "default": null,
        "min": null,
        "max": null,
        "choices": null
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
        "kind": "text",
        "default": null,
        "min": null,
        "max": null,
        "choices": null
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
        "kind": "number",
        "default": 587,
        "min": 1,
        "max": 65535,
        "choices": null
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
        "kind": "choice",
        "default": "starttls",
        "min": null,
        "max": null,
        "choices": [
          {
            "value": "starttls",
            "label": "STARTTLS"
          },
          {
            "value": "implicit",
            "label": "Implicit"
          },
          {
            "value": "none",
            "label": "None"
          }
        ]
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
        "kind": "text",
        "default": null,
        "min": null,
        "max": null,
        "choices": null
      },
      {
        "path": "email.smtp.password",
        "group": "email",
        "name": "smtp.password",
        "label": "Password",
        "affects": "Every mail that is sent from then on.",
        "advice": null,
        "only": null,
        "class": "never",
        "kind": "text",
        "default": null,
        "min": null,
        "max": null,
        "choices": null
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
        "kind": "text",
        "default": null,
        "min": null,
        "max": null,
        "choices": null
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
        "kind": "text",
        "default": null,
        "min": null,
        "max": null,
        "choices": null
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
        "kind": "text",
        "default": null,
        "min": null,
        "max": null,
        "choices": null
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
        "kind": "text",
        "default": null,
        "min": null,
        "max": null,
        "choices": null
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
        "kind": "text",
        "default": null,
        "min": null,
        "max": null,
        "choices": null
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
        "kind": "text",
        "default": null,
        "min": null,
        "max": null,
        "choices": null
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
        "kind": "text",
        "default": null,
        "min": null,
        "max": null,
        "choices": null
      }
    ]
  }
]
