import assert from 'node:assert/strict'
import { test } from 'node:test'
import { native, spa, web } from '../../test/support/example-clients.ts'
import { readCodeChallenge, readMaxAge, readPrompt, readScope, readSignedInSince, refuseTooWide, unknownScopes } from './requested.ts'

const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
const legacy = { ...web, require_pkce: false }

const challenges: { why: string; challenge?: string; method?: string; client?: typeof web }[] = [
  { why: 'the method is missing, which would mean plain', challenge },
  { why: 'the method is missing, even where PKCE is not required', challenge, client: legacy },
  { why: 'the method is plain', challenge, method: 'plain' },
  { why: 'the method is plain, even where PKCE is not required', challenge, method: 'plain', client: legacy },
  { why: 'the method is in lower case', challenge, method: 's256' },
  { why: 'the method is unknown', challenge, method: 'S512' },
  { why: 'a method is sent without challenge', method: 'S256', client: legacy },
  { why: 'the challenge has 42 characters', challenge: challenge.slice(1), method: 'S256' },
  { why: 'the challenge has 44 characters', challenge: `${challenge}A`, method: 'S256' },
  { why: 'the challenge is padded', challenge: `${challenge}=`, method: 'S256' },
  { why: 'the challenge is base64, not base64url', challenge: challenge.replace('-', '+'), method: 'S256' },
  { why: 'the challenge ends in a line break', challenge: `${challenge}\n`, method: 'S256' },
  { why: 'a web application with require_pkce sends no challenge' },
  { why: 'a spa sends no challenge', client: { ...spa, require_pkce: false } },
  { why: 'a native application sends no challenge', client: { ...native, require_pkce: false } },
]
for (const { why, challenge, method, client = web } of challenges) {
  test(`PKCE is refused with invalid_request when ${why}`, () => {
    assert.throws(() => readCodeChallenge(challenge, method, 'n', client), { name: 'OAuthError', code: 'invalid_request' })
  })
}

test('an S256 challenge is kept, even where PKCE is not required', () => {
  assert.equal(readCodeChallenge(challenge, 'S256', undefined, web), challenge)
  assert.equal(readCodeChallenge(challenge, 'S256', undefined, legacy), challenge)
  assert.equal(readCodeChallenge(undefined, undefined, undefined, legacy), undefined)
})

const types = ['web', 'spa', 'native'] as const
const methods = ['none', 'client_secret', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const
const either = [true, false] as const

/** Pairs that are not a valid challenge. Each is refused, even if the application may leave PKCE out. */
const broken: [challenge: string | undefined, method: string | undefined][] = [
  [challenge, undefined],
  [challenge, 'plain'],
  [challenge.slice(1), 'S256'],
  [undefined, 'S256'],
  [undefined, 'plain'],
]

for (const application_type of types)
  for (const token_endpoint_auth_method of methods)
    test(`a ${application_type} application with ${token_endpoint_auth_method} leaves PKCE out only where it is confidential and its fields let it`, () => {
      for (const require_pkce of either)
        for (const nonce_replaces_pkce of either)
          for (const nonce of ['n', undefined]) {
            const client = { ...web, application_type, token_endpoint_auth_method, require_pkce, nonce_replaces_pkce }
            const read = (sent: string | undefined, method: string | undefined) => () => readCodeChallenge(sent, method, nonce, client)
            const about = JSON.stringify({ require_pkce, nonce_replaces_pkce, nonce })
            assert.equal(read(challenge, 'S256')(), challenge, about)
            for (const [sent, method] of broken)
              assert.throws(read(sent, method), { code: 'invalid_request' }, `${about} ${sent} ${method}`)
            const is_confidential = application_type === 'web' && token_endpoint_auth_method !== 'none'
            const may_be_missing = is_confidential && (!require_pkce || (nonce_replaces_pkce && nonce !== undefined))
            if (may_be_missing) assert.equal(read(undefined, undefined)(), undefined, about)
            else assert.throws(read(undefined, undefined), { code: 'invalid_request' }, about)
          }
    })

const orders = { identifier: 'https://orders.example.com', scopes: ['orders:read', 'orders:write'] }
const lenient = { ...web, unknown_scopes: 'ignore' as const, allowed_scopes: ['openid', 'email', 'phone', 'orders:read'] }
const scope_policy = { disabled_scopes: ['phone'], scopes_elsewhere: ['stock:read'] }

// biome-ignore format: this table is read by column
const scopes: [why: string, scope: string, granted: string | 'refused', change?: { client?: object; policy?: object }][] = [
  ['an unknown name is left out',                        'openid groups email',              'openid email'],
  ['several unknown names are left out',                 'groups openid roles offline',      'openid'],
  ['what is left keeps its order',                       'email x openid y orders:read',     'email openid orders:read'],
  ['a name in another case is unknown',                  'openid EMAIL',                     'openid'],
  ['a disabled name is refused',                         'openid phone',                     'refused'],
  ['a disabled name is refused beside an unknown one',   'openid groups phone',              'refused'],
  ['a name that is not allowed is refused',              'openid profile',                   'refused'],
  ['a name of a resource that is not allowed is refused', 'openid orders:write',             'refused'],
  ['a name of a resource that is not named is refused',  'openid stock:read',                'refused'],
  ['nothing is left',                                    'groups',                           'refused'],
  ['nothing is left but not openid',                     'groups email',                     'refused'],
  ['nothing was asked for',                              '',                                 'refused'],
  ['the application refuses unknown names',              'openid groups',                    'refused', { client: { unknown_scopes: 'reject' } }],
  ['an application with a claim of roles may ask for groups', 'openid groups',                 'openid groups', { client: { roles_claim: 'roles', unknown_scopes: 'reject' } }],
  ['no look-up says what is unknown',                    'openid groups',                    'refused', { policy: { scopes_elsewhere: undefined } }],
  ['an unknown name is allowed by mistake',              'openid groups',                    'openid',  { client: { allowed_scopes: ['openid', 'groups'] } }],
  ['an unknown name is disabled, too',                   'openid groups',                    'openid',  { policy: { disabled_scopes: ['groups'] } }],
]
/** RFC 6749 §3.3: none of these is a scope, whatever the application ignores. */
const words_without_meaning = [
  '"x"',
  'a"b',
  'a\\b',
  '\\',
  '"',
  'grüße',
  '€',
  '\u{1f600}',
  'a\tb',
  '\topenid',
  'a\nb',
  'a\rb',
  'a\u00a0b',
  'a\u3000b',
  'a\u0000b',
  'a\u007fb',
]
for (const word of words_without_meaning)
  for (const unknown_scopes of ['ignore', 'reject'] as const)
    test(`the word ${JSON.stringify(word)} cannot be a scope, with unknown_scopes ${unknown_scopes}`, () => {
      for (const scope of [`openid ${word}`, `${word} openid`, `openid groups ${word} email`, `openid  ${word}`])
        assert.throws(() => readScope(scope, { ...lenient, unknown_scopes }, scope_policy, [orders]), {
          name: 'OAuthError',
          code: 'invalid_scope',
        })
      assert.deepEqual(unknownScopes(`openid groups ${word}`, lenient, []), ['groups'], 'it is not looked up')
    })
test('several spaces count as one', () => {
  assert.equal(readScope('  openid   email ', lenient, scope_policy, [orders]), 'openid email')
})

for (const [why, scope, granted, { client, policy } = {}] of scopes)
  test(`with unknown_scopes a request is ${granted === 'refused' ? 'refused' : `granted ${granted}`} when ${why}`, () => {
    const read = () => readScope(scope, { ...lenient, ...client }, { ...scope_policy, ...policy }, [orders])
    if (granted === 'refused') assert.throws(read, { name: 'OAuthError', code: 'invalid_scope' })
    else assert.equal(read(), granted)
  })

test('unknown scopes are those of neither OpenID Connect nor a requested resource server', () => {
  assert.deepEqual(unknownScopes('openid groups orders:read stock:read groups', lenient, [orders]), ['groups', 'stock:read'])
  assert.deepEqual(unknownScopes(undefined, lenient, []), [])
})

test('groups of a resource server is a scope like any other', () => {
  const groups = { identifier: 'https://groups.example.com', scopes: ['groups'] }
  const client = { ...lenient, roles_claim: 'roles' }
  assert.throws(() => readScope('openid groups', client, scope_policy, [groups]), { name: 'OAuthError', code: 'invalid_scope' })
  assert.deepEqual(unknownScopes('openid groups roles', client, []), ['roles'])
})

const widths: [rule: string, length: number, client: string | null, server: string | null, code: string | null, data?: object][] = [
  ['a request of the longest width', 10_000, null, null, null],
  ['a wider one', 10_001, null, null, 'invalid_target'],
  ['a request of the longest width with roles', 6_500, 'groups', 'roles', null],
  ['a wider one where the application has a claim of roles', 6_501, 'groups', null, 'invalid_scope'],
  ['a wider one where a resource server has a claim of roles', 6_501, null, 'roles', 'invalid_scope'],
  ['a wider one where the application learns data', 6_501, null, null, 'invalid_scope', { of_client: true }],
  ['a wider one where a resource server asks for data', 6_501, null, null, 'invalid_scope', { of_server: true }],
  ['a request of the longest width with data', 6_500, null, null, null, { of_client: true, of_server: true }],
  ['one that is too wide even without roles', 10_001, 'groups', 'roles', 'invalid_target'],
]
for (const [rule, length, of_client, of_server, code, data] of widths)
  test(`${rule} is ${code ?? 'accepted'}`, () => {
    const carries = { of_client: false, of_server: false, ...data }
    const own = { identifier: 'x'.repeat(length - 'openid'.length), scopes: [] }
    const resource = { ...own, roles_claim: of_server, data_claims: carries.of_server }
    const judge = () => refuseTooWide([resource], 'openid', { roles_claim: of_client, data_claims: carries.of_client })
    if (code === null) judge()
    else assert.throws(judge, { name: 'OAuthError', code })
  })

const prompts: [string | undefined, string[] | 'refused'][] = [
  [undefined, []],
  ['none', ['none']],
  ['login consent', ['login', 'consent']],
  ['select_account  select_account', ['select_account']],
  ['create', ['create']],
  ['none login', 'refused'],
  ['consent none', 'refused'],
  ['None', 'refused'],
  ['login,consent', 'refused'],
  ['login nonsense', 'refused'],
]
for (const [prompt, expected] of prompts) {
  test(`prompt ${prompt ?? 'not sent'} is ${JSON.stringify(expected)}`, () => {
    if (expected === 'refused') assert.throws(() => readPrompt(prompt), { code: 'invalid_request' })
    else assert.deepEqual(readPrompt(prompt), expected)
  })
}

const ages: [string | undefined, number | undefined | 'refused'][] = [
  [undefined, undefined],
  ['0', 0],
  ['3600', 3_600],
  ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
  ['-1', 'refused'],
  ['+1', 'refused'],
  ['1.5', 'refused'],
  ['1e3', 'refused'],
  [' 1', 'refused'],
  ['0x10', 'refused'],
  ['١', 'refused'],
]
for (const [max_age, expected] of ages) {
  test(`max_age ${max_age?.slice(0, 20) ?? 'not sent'} is ${expected}`, () => {
    if (expected === 'refused') assert.throws(() => readMaxAge(max_age), { code: 'invalid_request' })
    else assert.equal(readMaxAge(max_age), expected)
  })
}

test('signed_in_since is a number of milliseconds; any other text is ignored', () => {
  assert.deepEqual(readSignedInSince('1795210833000'), new Date(1_795_210_833_000))
  for (const text of [undefined, '', 'x', '-1', '1.5', '1e3', ' 1', '9'.repeat(16)]) assert.equal(readSignedInSince(text), undefined)
})
