import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MailForbidden, MailTimeout, reasonOfFailure, SmtpUtf8Missing } from './mail-failure.ts'

const withCode = (code: string) => Object.assign(new Error(code), { code })

// biome-ignore format: this table is read by column
const reasons: [stage: Parameters<typeof reasonOfFailure>[0]['stage'], cause: unknown, reason: string][] = [
  ['dns',       new Error('no address'),                              'dns'],
  ['dns',       new MailForbidden('an address of this machine'),      'forbidden'],
  ['connect',   withCode('ECONNREFUSED'),                             'refused'],
  ['connect',   withCode('ETIMEDOUT'),                                'timeout'],
  ['connect',   withCode('ENETUNREACH'),                              'unreachable'],
  ['greeting',  new MailTimeout('too long'),                          'timeout'],
  ['greeting',  new Error('closed'),                                  'closed'],
  ['tls',       new Error('a certificate of another name'),           'tls'],
  ['auth',      Object.assign(new Error(), { response: '535 No' }),   'auth'],
  ['recipient', new SmtpUtf8Missing(),                                'no_smtputf8'],
  ['recipient', Object.assign(new Error(), { response: '550 No' }),   'rejected'],
  ['data',      Object.assign(new Error(), { response: '451 Wait' }), 'rejected'],
  ['data',      undefined,                                            'closed'],
]
for (const [stage, cause, reason] of reasons)
  test(`a mail that failed at ${stage} by ${String(cause)} has the reason ${reason}`, () =>
    assert.equal(reasonOfFailure({ stage, cause }), reason))
