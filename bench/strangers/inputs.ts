/**
 * The inputs of strangers: what can be sent to each public route, as a table, and combinations that a generator with a fixed seed makes of
 * places, names, shapes and lengths. `turn` differs at each request, so no answer is one that was kept.
 */
import { authorization } from '../provider.ts'
import type { Form, Strangers } from './ground.ts'

/** A part of a request that is added to the route's own. */
export interface Sent {
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** The last segment of a path that has a parameter. */
  readonly last?: string
}

export type Input = (turn: number) => Sent
export type Inputs = Readonly<Record<string, Input>>

const form_type = { 'content-type': 'application/x-www-form-urlencoded' }
const most_of_head = 28_000
const most_of_body = 1_040_000
const upTo = (length: number, piece: string | ((n: number) => string)) => {
  let text = ''
  for (let n = 0; text.length < length; n++) text += typeof piece === 'string' ? piece : piece(n)
  return text.slice(0, length)
}
const base64url = (text: string) => Buffer.from(text).toString('base64url')
const jwt = (header: object, payload: object, signature = 'AAAA') =>
  `${base64url(JSON.stringify(header))}.${base64url(JSON.stringify(payload))}.${signature}`
const times = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n))

/** Synonyms of the search, in an order that changes with each turn. */
const synonyms =
  'login mfa social delete ci scale staging callback lockout monitor email token session passkey webhook proxy production'.split(' ')
const twisted = (turn: number, words: readonly string[]) =>
  words.toSorted((a, b) => ((turn * 31 + a.length * 7 + a.charCodeAt(0)) % 17) - ((turn * 31 + b.length * 7 + b.charCodeAt(0)) % 17))
const marks = upTo(most_of_head / 6, '\u0301\u0316')

// biome-ignore format: this table is read by column
export const of_every_route: Inputs = {
  'nothing special':                            () => ({}),
  '28 kB of Accept':                            () => ({ headers: { accept: upTo(most_of_head, (n) => `text/t${n};q=0.${n % 10},`) } }),
  '28 kB of Accept without a type':             () => ({ headers: { accept: upTo(most_of_head, ';q=,') } }),
  '28 kB of Accept-Encoding':                   () => ({ headers: { 'accept-encoding': upTo(most_of_head, (n) => `c${n};q=0.${n % 10},`) } }),
  '28 kB of Accept-Language':                   () => ({ headers: { 'accept-language': upTo(most_of_head, (n) => `x${n % 9}-DE;q=0.${n % 10},`) } }),
  '28 kB of If-None-Match':                     () => ({ headers: { 'if-none-match': upTo(most_of_head, (n) => `W/"${n}",`) } }),
  'a Cookie of 4,000 pairs':                    () => ({ headers: { cookie: upTo(most_of_head, (n) => `a${n}=b;`) } }),
  '28 kB of one cookie':                        (turn) => ({ headers: { cookie: `__Host-ostiary_session=${turn}${upTo(most_of_head, '%41"')}` } }),
  'a Bearer token of 28 kB':                    (turn) => ({ headers: { authorization: `Bearer ${turn}.${upTo(most_of_head, 'a.b')}` } }),
  'a Bearer JWT of nested brackets':            () => ({ headers: { authorization: `Bearer ${base64url('['.repeat(20_000))}.a.a` } }),
  '64 parameters':                              (turn) => ({ query: times(64, (n) => `a${n}=${turn}`).join('&') }),
  '9,000 parameters':                           () => ({ query: upTo(most_of_head, 'a&') }),
  'one parameter of 28 kB':                     (turn) => ({ query: `q=${turn}${'a'.repeat(most_of_head)}` }),
  '28 kB of percent signs':                     (turn) => ({ query: `q=${turn}${upTo(most_of_head, '%E2%82%AC')}` }),
  '190 header fields':                          () => ({ headers: Object.fromEntries(times(190, (n) => [`x-a${n}`, 'b'.repeat(100)])) }),
  '28 kB of X-Forwarded-For':                   () => ({ headers: { 'x-forwarded-for': upTo(most_of_head, (n) => `2001:db8::${n.toString(16)},`).replace(/,[^,]*$/, '') } }),
  '28 kB of traceparent and tracestate':        () => ({ headers: { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, tracestate: upTo(most_of_head, (n) => `a${n}=b,`) } }),
}

// biome-ignore format: this table is read by column
const of_every_form: Inputs = {
  'half a million parameters':                  () => ({ headers: form_type, body: 'a&'.repeat(most_of_body / 2) }),
  'a value of 1 MiB':                           (turn) => ({ headers: form_type, body: `client_id=${turn}${'a'.repeat(most_of_body)}` }),
  '1 MiB of percent signs':                     (turn) => ({ headers: form_type, body: `client_id=${turn}${upTo(most_of_body, '%CC%81')}` }),
  '1 MiB of one repeated name':                 () => ({ headers: form_type, body: upTo(most_of_body, 'scope=a&') }),
  'more than 1 MiB':                            () => ({ headers: form_type, body: 'a'.repeat(1_200_000) }),
  '64 parameters in the form':                  (turn) => ({ headers: form_type, body: times(64, (n) => `a${n}=${turn}`).join('&') }),
  'JSON instead of a form':                     () => ({ headers: { 'content-type': 'application/json' }, body: '['.repeat(60_000) }),
}

/** The requests to the API without a key, or with one that does not exist. */
export function ofEveryCall({ publishable_key }: Strangers): Inputs {
  const keyed = (kind: string) => (turn: number) => ({ headers: { 'x-api-key': `${kind}_test_${String(turn).padStart(43, 'a')}` } })
  return {
    'an unknown secret key': (turn) => ({ headers: { 'x-api-key': likeness(publishable_key.replace('publishable', 'secret'), turn) } }),
    'an unknown publishable key': (turn) => ({
      headers: { 'x-api-key': likeness(publishable_key, turn), origin: 'https://app.example.com' },
    }),
    'the publishable key': () => ({ headers: { 'x-api-key': publishable_key, origin: 'https://app.example.com' } }),
    'a key in no form': keyed('key'),
    'a key of 28 kB': (turn) => ({ headers: { 'x-api-key': `${turn}${'a'.repeat(most_of_head)}` } }),
    'a JWT of nobody': (turn) => ({
      headers: {
        authorization: `Bearer ${jwt({ alg: 'RS256', kid: `k${turn}`, typ: 'at+jwt' }, { iss: 'http://localhost', sub: `${turn}` })}`,
      },
    }),
    'a JSON body of 1 MiB': () => ({ headers: { 'content-type': 'application/json' }, body: '['.repeat(most_of_body) }),
  }
}

/** Another key of the same form. */
const likeness = (key: string, turn: number) => key.slice(0, -8) + String(turn).padStart(8, '0')

const withForm =
  ({ cookie, hidden }: Form, fields: (turn: number) => Record<string, string>): Input =>
  (turn) => ({
    headers: { ...form_type, cookie },
    body: new URLSearchParams({ ...hidden, ...fields(turn), turn: `${turn}` }).toString(),
  })

/** The requests to the forms of hosted pages with the token and the cookies of such a page. */
function ofHostedForm({ forms, provider_id }: Strangers, name: string): Inputs {
  const form = name === 'signUp' ? forms['sign-up'] : name === 'forgotPassword' ? forms['forgot-password'] : forms['sign-in']
  const nobody = (turn: number) => `nobody${turn}@example.com`
  const password = 'a wrong but long sentence'
  return {
    ...of_every_form,
    'a form of a page': withForm(form, (turn) => ({
      email: nobody(turn),
      password,
      name: 'Ada',
      method: 'password',
      provider: provider_id,
    })),
    'a form of a page for a known person': withForm(form, () => ({ email: 'person0@example.com', password, method: 'password' })),
    'an emailed code for nobody': withForm(form, (turn) => ({ email: nobody(turn), method: 'email_code' })),
    'a form with 60 kB of combining marks': withForm(form, (turn) => ({
      email: `${turn}${marks}@example.com`,
      password: marks,
      method: 'password',
      code: marks,
      token: marks,
    })),
    'a form with a name of 60 kB': withForm(form, (turn) => ({
      email: nobody(turn),
      password,
      name: 'é'.repeat(30_000),
      method: 'password',
    })),
    'a form with a request of 20,000 parameters': withForm(form, () => ({ request: 'a&'.repeat(20_000) })),
    'a form with a request of percent signs': withForm(form, () => ({
      request: times(64, (n) => `a${n}=${upTo(300, '%5B')}%5`).join('&'),
    })),
    'a form with an unknown token': withForm(form, (turn) => ({ token: String(turn).padStart(43, 'a'), code: '123456' })),
    'a form with a passkey of 60 kB': withForm(form, () => ({ credential: '{"a":'.repeat(12_000), passkey: '{"a":'.repeat(12_000) })),
  }
}

function ofAuthorization({ seeded }: Strangers): Record<string, (turn: number) => string> {
  const ask = (extra: (turn: number) => Record<string, string>) => (turn: number) =>
    authorization(seeded, extra(turn)).path.split('?')[1] ?? ''
  return {
    'a sign-in page': ask(() => ({})),
    'a sign-up page': ask(() => ({ prompt: 'create' })),
    '20 unknown scopes': ask((turn) => ({ scope: `openid ${times(20, (n) => `x${turn}-${n}`).join(' ')}` })),
    '2,000 unknown scopes': ask((turn) => ({ scope: `openid ${times(2_000, (n) => `${turn}x${n}`).join(' ')}` })),
    '20 scopes of resource servers': ask((turn) => ({ scope: `openid ${times(20, (n) => `read-${(turn * 20 + n) % 1_000}`).join(' ')}` })),
    'an unknown resource': ask((turn) => ({ resource: `https://api-${turn}.example.org` })),
    'a known resource': ask((turn) => ({ resource: `https://api-${turn % 1_000}.example.com` })),
    '500 unknown resources': (turn) =>
      `${ask(() => ({}))(turn)}&${times(500, (n) => `resource=https://${turn}-${n}.example.org`).join('&')}`,
    'claims of 900 members': ask(() => ({ claims: `{"userinfo":{${times(900, (n) => `"c${n}":null`).join(',')}}}` })),
    'claims with 5,000 brackets': ask(() => ({ claims: '['.repeat(5_000) })),
    '2,000 languages': ask(() => ({ ui_locales: times(2_000, (n) => `x${n % 9}-DE-${n}`).join(' ') })),
    '5,000 acr_values': ask(() => ({ acr_values: times(5_000, (n) => `${n}`).join(' ') })),
    'a hint of 20 kB': ask((turn) => ({
      id_token_hint: jwt({ alg: 'RS256', kid: `k${turn}` }, { iss: seeded.issuer, sub: 'a'.repeat(10_000) }),
    })),
    'a request object of 20 kB': ask((turn) => ({ request: jwt({ alg: 'none' }, { a: `${turn}${'b'.repeat(10_000)}` }, '') })),
    'a state of 20 kB': ask((turn) => ({ state: `${turn}${'s'.repeat(20_000)}` })),
    'a nonce of 20 kB': ask((turn) => ({ nonce: `${turn}${'s'.repeat(20_000)}` })),
    'a login hint of combining marks': ask((turn) => ({ login_hint: `${turn}${marks.slice(0, 3_000)}@example.com` })),
    'an unknown redirect URI': ask((turn) => ({ redirect_uri: `https://app.example.com/callback${turn}` })),
    'a redirect URI of 20 kB': ask((turn) => ({ redirect_uri: `https://app.example.com/${turn}${'a'.repeat(20_000)}` })),
    'an unknown client': ask((turn) => ({ client_id: `app_01m7wwr5ftevtv5yxb4${String(turn).padStart(7, '0')}` })),
    'a client id that is an address': ask((turn) => ({ client_id: `https://client-${turn}.example.com/metadata.json` })),
    'every prompt': ask(() => ({ prompt: 'login consent select_account create none' })),
  }
}

/** The inputs of single routes, by the name of the route in the contract's table. */
export function ofRoute(strangers: Strangers, name: string): Inputs {
  const { seeded, forms, provider_id } = strangers
  const { client_id } = seeded.client
  const post =
    (fields: (turn: number) => Record<string, string>): Input =>
    (turn) => ({
      headers: form_type,
      body: new URLSearchParams(fields(turn)).toString(),
    })
  const authenticated: Input = (turn) => ({
    headers: { ...form_type, authorization: `Basic ${Buffer.from(`${client_id}:wrong${turn}`).toString('base64')}` },
    body: 'grant_type=refresh_token&refresh_token=a',
  })
  const of_clients: Inputs = {
    ...of_every_form,
    'an unknown client': post((turn) => ({
      grant_type: 'authorization_code',
      client_id: `app_01m7wwr5ftevtv5yxb4${String(turn).padStart(7, '0')}`,
      client_secret: 'guessed',
    })),
    'a wrong secret': authenticated,
    'a wrong secret of 500 kB': post((turn) => ({
      grant_type: 'authorization_code',
      client_id,
      client_secret: `${turn}${'a'.repeat(500_000)}`,
    })),
    'a mebibyte of brackets as an assertion': post(() => ({
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: `a.${base64url('['.repeat(700_000))}.a`,
    })),
    'an assertion of nobody': post((turn) => ({
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: jwt({ alg: 'RS256' }, { iss: client_id, sub: client_id, jti: `${turn}` }),
      grant_type: 'authorization_code',
    })),
    'an unknown refresh token': post((turn) => ({
      grant_type: 'refresh_token',
      client_id,
      refresh_token: `${turn}`.padStart(60, 'a'),
      token: `${turn}`.padStart(60, 'a'),
    })),
  }
  const asked = ofAuthorization(strangers)
  switch (name) {
    case 'documentSearch':
      return {
        'twelve words with synonyms': (turn) => ({ query: `q=${twisted(turn, synonyms).slice(0, 12).join('+')}+${turn}` }),
        '100 characters of synonyms': (turn) => ({ query: `q=${`${turn}+${twisted(turn, synonyms).join('+')}`.slice(0, 100)}` }),
        'the same as a page': (turn) => ({
          headers: { accept: 'text/html' },
          query: `q=${twisted(turn, synonyms).slice(0, 12).join('+')}+${turn}`,
        }),
        'mistyped words': (turn) => ({
          query: `q=${turn}+authentciation+redircet+passwrod+certifcate+promtoion+enviroment+applicaton+resorce`,
        }),
        'beginnings of words': (turn) => ({ query: `q=${turn}+auth+appl+conf+envi+reso+sess+toke+webh+prov+pass+data+proj` }),
        'words of every section': (turn) => ({
          query: `q=${turn}+environment+application+user+key+request+token+session+answer+name+test+live+service`,
        }),
        '28 kB of synonyms': (turn) => ({ query: `q=${turn}+${upTo(most_of_head, synonyms.join('+'))}` }),
        phrases: (turn) => ({ query: `q=${turn}+sign+a+a+a+in+log+a+a+a+out+sign+a+a+up+two+factor+magic+link+go+to+live` }),
      }
    case 'authorize':
      return Object.fromEntries(Object.entries(asked).map(([title, query]) => [title, (turn: number) => ({ query: query(turn) })]))
    case 'authorizeByPost':
      return {
        ...of_every_form,
        ...Object.fromEntries(
          Object.entries(asked).map(([title, query]) => [title, (turn: number) => ({ headers: form_type, body: query(turn) })]),
        ),
      }
    case 'token':
    case 'revoke':
      return of_clients
    case 'demoOrders':
    case 'deleteDemoOrder':
    case 'userinfo':
    case 'userinfoByPost':
      return {
        ...(name === 'userinfoByPost' ? of_every_form : {}),
        'a JWT with an unknown key': (turn) => ({
          headers: { authorization: `Bearer ${jwt({ alg: 'RS256', kid: `k${turn}`, typ: 'at+jwt' }, { iss: seeded.issuer, sub: 'a' })}` },
        }),
        'a JWT with a wrong signature': (turn) => ({
          headers: {
            authorization: `Bearer ${jwt({ alg: 'RS256', typ: 'at+jwt' }, { iss: seeded.issuer, sub: `${turn}` }, 'A'.repeat(342))}`,
          },
        }),
        'an opaque token of nobody': (turn) => ({ headers: { authorization: `Bearer ${String(turn).padStart(43, 'a')}` } }),
      }
    case 'logout':
    case 'logoutByPost': {
      const fields: Record<string, (turn: number) => Record<string, string>> = {
        'a hint of nobody': (turn) => ({ id_token_hint: jwt({ alg: 'RS256', kid: `k${turn}` }, { iss: seeded.issuer, aud: client_id }) }),
        'a hint of 20 kB': (turn) => ({
          id_token_hint: jwt({ alg: 'RS256' }, { iss: seeded.issuer, aud: 'a'.repeat(14_000), jti: turn }, 'A'.repeat(342)),
        }),
        'an unknown address to return to': (turn) => ({
          client_id,
          post_logout_redirect_uri: `https://app.example.com/${turn}`,
          state: 's'.repeat(10_000),
        }),
      }
      const by_post = name === 'logoutByPost'
      return {
        ...(by_post ? of_every_form : {}),
        ...Object.fromEntries(
          Object.entries(fields).map(([title, make]) => [
            title,
            by_post ? post(make) : (turn: number) => ({ query: new URLSearchParams(make(turn)).toString() }),
          ]),
        ),
      }
    }
    case 'providerLogout':
      return {
        ...of_every_form,
        'a logout token of strangers': post((turn) => ({
          logout_token: jwt(
            { alg: 'RS256', kid: `k${turn}`, typ: 'logout+jwt' },
            {
              iss: 'http://127.0.0.1',
              aud: 'bench',
              jti: `${turn}`,
              sub: 'a',
              events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
              iat: Math.floor(Date.now() / 1000),
            },
            'A'.repeat(342),
          ),
        })),
      }
    case 'callback':
    case 'signedOut':
      return {
        'an unknown state': (turn) => ({
          query: `state=${String(turn).padStart(43, 'a')}&code=a`,
          headers: { cookie: forms['sign-in'].cookie },
        }),
      }
    case 'callbackByPost':
      return { ...of_every_form, 'an unknown state': post((turn) => ({ state: String(turn).padStart(43, 'a'), code: 'a' })) }
    case 'federate':
      return { ...ofHostedForm(strangers, name), 'a provider': withForm(forms['sign-in'], () => ({ provider: provider_id })) }
    case 'showForgotPassword':
    case 'showCodePage':
    case 'showInvitationCode':
    case 'showNewPasswordPage':
    case 'showSecondFactorPage':
    case 'openEnrolmentCode':
    case 'openEnrolTotp':
    case 'openEnrolPasskey':
    case 'showRecoveryCodes':
      return Object.fromEntries(
        Object.entries(asked).map(([title, query]) => [
          title,
          (turn: number) => ({ query: query(turn), headers: { cookie: forms['sign-in'].cookie } }),
        ]),
      )
    case 'showAccount':
    case 'leadFromIssuer':
    case 'leadFromRoot':
    case 'leadToPasswordChange':
      return {
        'an action of the account page': (turn) => ({ query: `action=change_password&id=${turn}` }),
        'an action of 20 kB': (turn) => ({ query: `action=${turn}${upTo(20_000, 'change_')}` }),
        '2,000 languages': (turn) => ({ query: `ui_locales=${times(2_000, (n) => `x${n % 9}-DE-${turn}`).join('+')}` }),
      }
    case 'showOwnOrganization':
      return {
        'a search': (turn) => ({ query: `q=${turn}`, headers: { cookie: forms['sign-in'].cookie } }),
        'a search of 20 kB, and a member': (turn) => ({ query: `q=${turn}${upTo(20_000, '%C3%A4')}&member=usr_${turn}` }),
        'a name of 28 kB': (turn) => ({ last: `${turn}${'a'.repeat(most_of_head)}` }),
      }
    case 'setup':
      return { 'an unknown token': (turn) => ({ query: `token=${String(turn).padStart(43, 'a')}` }) }
    case 'dashboardSignIn':
      return {
        'a place to return to': (turn) => ({ query: `return_to=/dashboard/${turn}&max_age=60` }),
        'a place of 20 kB to return to': (turn) => ({ query: `return_to=/dashboard/${turn}${upTo(20_000, 'a/')}` }),
        'a login hint of combining marks': (turn) => ({
          query: `login_hint=${encodeURIComponent(turn + marks.slice(0, 1_500))}@example.com`,
        }),
      }
    case 'dashboardCallback':
    case 'tryCallback':
      return {
        'an unknown state': (turn) => ({ query: `state=${String(turn).padStart(16, 'a')}.${'b'.repeat(43)}&code=a` }),
        'a code of 20 kB': (turn) => ({ query: `state=${String(turn).padStart(16, 'a')}.${'b'.repeat(43)}&code=${'a'.repeat(20_000)}` }),
      }
    case 'dashboardPreview':
      return { 'a preview of nobody': (turn) => ({ query: `show=${base64url(`${turn}`.padEnd(3_000, '{'))}.${'a'.repeat(43)}` }) }
    case 'dashboardSession':
    case 'dashboardApi':
      return {
        'a session of nobody': (turn) => ({
          headers: { cookie: `ostiary_dashboard=${String(turn).padStart(43, 'a')}`, 'x-ostiary-dashboard': '1' },
        }),
      }
    case 'discovery':
    case 'authorizationServer':
    case 'ownServer':
    case 'jwks':
    case 'protectedResource':
      return { 'from an application in a browser': (turn) => ({ headers: { origin: `https://${turn}.example.com` } }) }
    case 'readyz':
      return { 'whether writes work': () => ({ query: 'writes=1' }) }
    case 'start':
    case 'demo':
    case 'dashboard':
    case 'documents':
    case 'reference':
    case 'errorIndex':
      return { 'as a page': () => ({ headers: { accept: 'text/html' } }), Markdown: () => ({ headers: { accept: 'text/markdown' } }) }
    case 'favicon':
    case 'healthz':
    case 'listApplicationTemplates':
    case 'configurationSchema':
    case 'forPrograms':
      return { gzip: () => ({ headers: { 'accept-encoding': 'gzip' } }), br: () => ({ headers: { 'accept-encoding': 'br' } }) }
    case 'showLink':
    case 'showInvitation':
      return {
        'an unknown token': (turn) => ({ query: `token=${String(turn).padStart(43, 'a')}` }),
        'a token of 28 kB': (turn) => ({ query: `token=${turn}${'a'.repeat(most_of_head)}` }),
      }
    case 'createFirst':
      return of_every_form
    case 'openapi':
    case 'document':
    case 'guide':
    case 'settingsPage':
    case 'example':
    case 'decision':
    case 'operatorExample':
    case 'referenceGroup':
    case 'errorPage':
    case 'sdkPackage':
    case 'getApplicationTemplate':
      return {
        'a name that is missing': (turn) => ({ last: `missing-${turn}` }),
        'a name of 28 kB': (turn) => ({ last: `${turn}${'a'.repeat(most_of_head)}.md` }),
        'a name of percent signs': (turn) => ({ last: `${turn}${upTo(15_000, '%E2%82%AC')}` }),
        gzip: () => ({ headers: { 'accept-encoding': 'gzip' } }),
        br: () => ({ headers: { 'accept-encoding': 'br' } }),
        Markdown: () => ({ headers: { accept: 'text/markdown' } }),
      }
    default:
      return {}
  }
}

/** Whether a route takes forms of hosted pages. */
export const ofForms = (strangers: Strangers, name: string): Inputs => ofHostedForm(strangers, name)

/** A generator with a seed (mulberry32), so that each run tries the same. */
function seededRandom(seed: number) {
  let state = seed >>> 0
  return (below: number) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const pieces = [
  'a',
  '%CC%81',
  '%',
  'a.',
  '[',
  '{"a":',
  ',',
  ';q=0.1,',
  '"',
  ' a',
  'W/"a",',
  '%F0%9F%98%80',
  '-',
  '../',
  'a=b;',
  '+',
  '\\',
  '0',
  "'",
  '<',
]
const names = [
  'client_id',
  'scope',
  'resource',
  'state',
  'redirect_uri',
  'claims',
  'ui_locales',
  'login_hint',
  'id_token_hint',
  'token',
  'q',
  'email',
  'password',
  'code',
  'prompt',
  'acr_values',
  'cursor',
  'limit',
  'return_to',
]
const fields = [
  'accept',
  'accept-language',
  'accept-encoding',
  'cookie',
  'authorization',
  'x-api-key',
  'x-forwarded-for',
  'origin',
  'referer',
  'user-agent',
  'if-none-match',
  'x-request-id',
  'traceparent',
  'content-type',
  'x-tenant-id',
  'idempotency-key',
  'sec-fetch-site',
  'range',
]
const lengths = [100, 1_000, 7_000, most_of_head]
const repeats = [1, 8, 64, 500]

/** Combinations for a route: a place, a name, a shape, a length and a number of repeats each. */
export function combinationsOf(name: string, { takes_body, count }: { takes_body: boolean; count: number }): Inputs {
  const random = seededRandom([...name].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), 42))
  const one = <T>(all: readonly T[]): T => all[random(all.length)] as T // as: the index is below the length
  return Object.fromEntries(
    times(count, () => {
      const [piece, length, repeat, parameter, field] = [one(pieces), one(lengths), one(repeats), one(names), one(fields)]
      const in_body = takes_body && random(2) === 0
      const value = upTo(Math.max(1, Math.floor((in_body ? length * 36 : length) / repeat)), piece)
      const place = in_body ? 'form' : one(['query', 'header'] as const)
      if (place === 'header') return [`${field} of ${length} times ${piece}`, (): Sent => ({ headers: { [field]: upTo(length, piece) } })]
      const text = times(repeat, () => `${parameter}=${encodeURIComponent(value).slice(0, value.length)}`).join('&')
      const title = `${repeat} × ${parameter} of ${value.length} times ${piece}, ${place}`
      return [
        title,
        (turn: number): Sent =>
          in_body ? { headers: form_type, body: `${text}&turn=${turn}` } : { query: `${text.slice(0, most_of_head)}&turn=${turn}` },
      ]
    }),
  )
}
