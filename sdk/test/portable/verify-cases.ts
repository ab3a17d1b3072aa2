/** `verifyAccessToken` without a service: claims, headers, algorithms, and keys that verify nothing (RFC 9068 §4, RFC 8725). */
import type { Algorithm } from '../../src/key-set.ts'
import { createKeySet, type VerifyOptions, verifyAccessToken } from '../../src/verify.ts'
import { type Case, outcomeOf, same } from './case.ts'
import { liveCases } from './live-cases.ts'
import { audience, base64url, claimsOf, encode, makeKey, now, type SigningKey, servedKeys } from './signing-key.ts'

const at = now.getTime() / 1000
const { issuer } = servedKeys([])

// biome-ignore format: this table is read by column
const claims: [string, object, object, string][] = [
  ['all claims of RFC 9068',            {},                             {},                                   'accepted'],
  ['an audience as a text',             {},                             { aud: audience },                    'accepted'],
  ['the type application/at+jwt',       { typ: 'application/at+jwt' },  {},                                   'accepted'],
  ['the type AT+JWT',                   { typ: 'AT+JWT' },              {},                                   'accepted'],
  ['the type JWT',                      { typ: 'JWT' },                 {},                                   'wrong_type'],
  ['the type at+jwt2',                  { typ: 'at+jwt2' },             {},                                   'wrong_type'],
  ['no type',                           { typ: undefined },             {},                                   'wrong_type'],
  ['a type that is a list',             { typ: ['at+jwt'] },            {},                                   'wrong_type'],
  ['no kid',                            { kid: undefined },             {},                                   'unknown_key'],
  ['an empty kid',                      { kid: '' },                    {},                                   'unknown_key'],
  ['a critical extension',              { crit: ['exp'] },              {},                                   'malformed'],
  ['an empty list of extensions',       { crit: [] },                   {},                                   'malformed'],
  ['an end in this very second',        {},                             { exp: at },                          'expired'],
  ['an end in the next second',         {},                             { exp: at + 1 },                      'accepted'],
  ['no end',                            {},                             { exp: undefined },                   'malformed'],
  ['an end that is a text',             {},                             { exp: `${at + 600}` },               'malformed'],
  ['an end that is null',               {},                             { exp: null },                        'malformed'],
  ['a beginning in the next second',    {},                             { nbf: at + 1 },                      'not_yet_valid'],
  ['a beginning in this second',        {},                             { nbf: at },                          'accepted'],
  ['a beginning that is a text',        {},                             { nbf: '0' },                         'malformed'],
  ['an issue time in the future',       {},                             { iat: at + 1 },                      'not_yet_valid'],
  ['no issue time',                     {},                             { iat: undefined },                   'malformed'],
  ['no subject',                        {},                             { sub: undefined },                   'malformed'],
  ['a subject that is a number',        {},                             { sub: 7 },                           'malformed'],
  ['no client',                         {},                             { client_id: undefined },             'malformed'],
  ['no id',                             {},                             { jti: undefined },                   'malformed'],
  ['no audience',                       {},                             { aud: undefined },                   'malformed'],
  ['an empty list of audiences',        {},                             { aud: [] },                          'wrong_audience'],
  ['an audience with an object',        {},                             { aud: [audience, {}] },              'malformed'],
  ['an issuer in a list',               {},                             { iss: [issuer] },                    'wrong_issuer'],
  ['no issuer',                         {},                             { iss: undefined },                   'wrong_issuer'],
  ['no scope',                          {},                             { scope: undefined },                 'accepted'],
  ['a scope that is a list',            {},                             { scope: ['openid'] },                'malformed'],
]
// biome-ignore format: this table is read by column
const organizations: [what: string, org_id: unknown, organization: string | undefined, code: string][] = [
  ['without an organization, where none is named',      undefined, undefined, 'accepted'],
  ['whose organization is null, where none is named',   null,      undefined, 'accepted'],
  ['of an organization, where none is named',           'org_1',   undefined, 'wrong_organization'],
  ['of the organization that is named',                 'org_1',   'org_1',   'accepted'],
  ['of another organization than the named one',        'org_2',   'org_1',   'wrong_organization'],
  ['whose organization begins with the named one',      'org_11',  'org_1',   'wrong_organization'],
  ['without an organization, where one is named',       undefined, 'org_1',   'wrong_organization'],
  ['of an organization, where any is accepted',         'org_1',   'any',     'accepted'],
  ['without an organization, where any is accepted',    undefined, 'any',     'accepted'],
  ['whose organization is a list',                      ['org_1'], 'org_1',   'malformed'],
  ['whose organization is a number',                    7,         'any',     'malformed'],
]
// biome-ignore format: this table is read by column
const unusable_keys: [string, object][] = [
  ['for encryption',          { use: 'enc' }],
  ['for another algorithm',   { alg: 'RS512' }],
  ['a shared secret',         { kty: 'oct', k: 'c2VjcmV0' }],
  ['without a modulus',       { n: undefined }],
  ['private',                 { d: 'BBBB', p: 'BBBB', q: 'BBBB', dp: 'BBBB', dq: 'BBBB', qi: 'BBBB' }],
  ['for making signatures',   { key_ops: ['sign'] }],
  ['a modulus of zeros',      { n: 'A'.repeat(342) }],
  ['a modulus of 1024 bits',  { n: '4'.repeat(171) }],
  ['a modulus of 16384 bits', { n: '4'.repeat(2_731) }],
  ['a modulus of a megabit',  { n: '4'.repeat(175_000) }],
  ['not base64url',           { n: '!'.repeat(342) }],
]
const not_an_object: Record<string, string> = {
  'a list': encode([]),
  null: base64url(new TextEncoder().encode('null')),
  'broken JSON': base64url(new TextEncoder().encode('{"iss":')),
  'bytes that are not UTF-8': base64url(new Uint8Array([0x7b, 0xff, 0x7d])),
}

const optionsFor = (keys: readonly Pick<SigningKey, 'jwk'>[], algorithms?: readonly Algorithm[]): VerifyOptions => ({
  keys: createKeySet({ ...servedKeys(keys), now: () => now }),
  issuer,
  audience,
  now: () => now,
  clock_tolerance_seconds: 0,
  ...(algorithms ? { algorithms } : {}),
})

export async function verifyCases(): Promise<Case[]> {
  const key = await makeKey('key-1')
  const own = optionsFor([key])
  const outcome = async (token: string, options = own) => outcomeOf(verifyAccessToken(token, options))

  return [
    ...claims.map(([what, header, change, code]) => ({
      title: `a signed token with ${what} is ${code}`,
      run: async () => same(await outcome(await key.sign(header, { ...claimsOf(issuer), ...change })), code),
    })),
    ...organizations.map(([what, org_id, organization, code]) => ({
      title: `a token ${what} is ${code}`,
      run: async () => same(await outcome(await key.sign({}, { ...claimsOf(issuer), org_id }), { ...own, organization }), code),
    })),
    ...liveCases(key, own),
    {
      title: 'the tolerance of clocks applies to the end and to the beginning',
      async run() {
        const expired = await key.sign({}, { ...claimsOf(issuer), exp: at - 4 })
        const early = await key.sign({}, { ...claimsOf(issuer), nbf: at + 5 })
        same(await outcome(expired, { ...own, clock_tolerance_seconds: 5 }), 'accepted')
        same(await outcome(early, { ...own, clock_tolerance_seconds: 5 }), 'accepted')
        same(await outcome(expired, { ...own, clock_tolerance_seconds: 3 }), 'expired')
        same(await outcome(early, { ...own, clock_tolerance_seconds: 3 }), 'not_yet_valid')
      },
    },
    ...Object.entries(not_an_object).map(([what, payload]) => ({
      title: `a token whose header or claims are ${what} is malformed`,
      async run() {
        const [head = '', body = '', signature = ''] = (await key.sign({}, claimsOf(issuer))).split('.')
        same(await outcome(`${payload}.${body}.${signature}`), 'malformed')
        same(await outcome(`${head}.${payload}.${signature}`), 'malformed')
      },
    })),
    {
      title: 'a signature in another spelling of the same bytes is malformed',
      async run() {
        const token = await key.sign({}, claimsOf(issuer))
        const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
        // Of the last digit of 256 bytes two bits count.
        const other = digits[digits.indexOf(token.slice(-1)) + 1]
        for (const spelling of [`${token.slice(0, -1)}${other}`, `${token}==`, `${token} `, `${token.slice(0, -9)}\n${token.slice(-9)}`])
          same(await outcome(spelling), 'malformed')
        same(await outcome(token), 'accepted')
      },
    },
    {
      title: 'a published key is found beside others with its kid, of which the first counts',
      async run() {
        const [twin, elliptic] = [await makeKey('key-1'), await makeKey('key-1', 'ES256')]
        const options = optionsFor([elliptic, key, twin], ['RS256', 'ES256'])
        same(await outcome(await key.sign({}, claimsOf(issuer)), options), 'accepted')
        same(await outcome(await elliptic.sign({}, claimsOf(issuer)), options), 'accepted')
        same(await outcome(await twin.sign({}, claimsOf(issuer)), options), 'bad_signature')
      },
    },
    {
      title: 'a refusal does not repeat what the token says',
      async run() {
        const token = await key.sign({ crit: ['"x\r\n'], '"x\r\n': 1 }, claimsOf(issuer))
        const message = await verifyAccessToken(token, own).catch(({ message }: Error) => message)
        same(message, 'The token has a critical extension.')
      },
    },
    ...(['RS256', 'PS256', 'ES256'] as const).map((alg) => ({
      title: `${alg} verifies when the options accept it, and only with a key that is made for it`,
      async run() {
        const [right, other] = [await makeKey('right', alg), await makeKey('other', alg)]
        const keys = [{ jwk: { ...right.jwk, alg: undefined } }, other]
        const token = await right.sign({}, claimsOf(issuer))
        const foreign = await right.sign({ kid: 'other' }, claimsOf(issuer))
        same(await outcome(token, optionsFor(keys, [alg])), 'accepted')
        same(await outcome(foreign, optionsFor(keys, [alg])), 'bad_signature')
        same(await outcome(token, optionsFor(keys, ['RS256', 'PS256', 'ES256'])), 'accepted')
        same(await outcome(token, optionsFor(keys, [])), 'wrong_algorithm')
      },
    })),
    ...unusable_keys.map(([what, change]) => ({
      title: `a published key that is ${what} verifies nothing`,
      async run() {
        const found = await outcome(await key.sign({}, claimsOf(issuer)), optionsFor([{ jwk: { ...key.jwk, ...change } }]))
        same(['unknown_key', 'keys_unavailable'].includes(found), true, found)
      },
    })),
  ]
}
