/** Every kind of event, in words. The type makes the table complete. */
import type { EventKind } from '@ostiary/sdk'

// biome-ignore format: this table is read by column
export const eventWords: Record<EventKind, string> = {
  'user.created':               'A user was created',
  'user.updated':               'A user was changed',
  'user.deleted':               'A user was deleted',
  'user.blocked':               'A user was blocked',
  'user.unblocked':             'A user was unblocked',
  'user.email_verified':        'A user verified an email',
  'user.method_added':          'A user got another way to sign in',
  'session.created':            'A session began',
  'session.ended':              'A session ended',
  'sign_in.succeeded':          'A sign-in succeeded',
  'sign_in.failed':             'A sign-in failed',
  'mfa.enrolled':               'A second factor was enrolled',
  'mfa.removed':                'A second factor was removed',
  'consent.granted':            'A person gave consent',
  'consent.revoked':            'A consent was revoked',
  'token.reuse_detected':       'A spent token was used again',
  'application.created':        'An application was created',
  'application.updated':        'An application was changed',
  'application.deleted':        'An application was deleted',
  'application.secret_rotated': 'A client secret was rotated',
  'resource_server.created':    'A resource server was created',
  'resource_server.updated':    'A resource server was changed',
  'resource_server.deleted':    'A resource server was deleted',
  'provider.created':           'A provider was created',
  'provider.updated':           'A provider was changed',
  'provider.deleted':           'A provider was deleted',
  'environment.settings_updated': 'The settings were changed',
  'promotion.applied':          'A promotion was applied',
  'promotion.reverted':         'A promotion was reverted',
  'auth_key.created':           'A key was created',
  'auth_key.rotated':           'A key was rotated',
  'auth_key.revoked':           'A key was revoked',
  'mail.sent':                  'A mail was sent',
  'mail.failed':                'A mail could not be sent',
  'signing_key.rotated':        'A signing key was rotated',
  'webhook.disabled':           'A webhook was switched off by the service',
  'test.ping':                  'A test event',
}

export const eventKinds = Object.entries(eventWords).map(([kind, text]) => ({ kind: kind as EventKind, text })) // as: the keys of the table

/** The kinds by the word before their dot. */
export const kindGroups = [...Map.groupBy(eventKinds, ({ kind }) => kind.split('.')[0] ?? kind)]
