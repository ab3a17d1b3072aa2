import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { matchesPublished, matchesRegistered, redirectUriProblem } from './redirect-uris.ts'

const base_url = 'http://localhost:3000'
type Type = 'web' | 'spa' | 'native'
type Environment = 'test' | 'live'
const problem = (uri: string, application_type: Type = 'web', environment_type: Environment = 'live') =>
  redirectUriProblem(uri, { application_type, environment_type, base_url })

const types: Type[] = ['web', 'spa', 'native']
const environments: Environment[] = ['test', 'live']
/** Every application type in every environment type. */
const everywhere = types.flatMap((type) => environments.map((environment) => [type, environment] as const))

// biome-ignore format: a list to skim
const always = [
  'https://app.example.com/callback', 'https://app.example.com', 'https://app.example.com/', 'https://app.example.com:8443/cb', 'https://app.example.com:443/cb',
  'https://app.example.com/cb?tenant=1&x=%2F', 'https://xn--bcher-kva.example/cb', 'https://192.0.2.7/cb', 'https://[2001:db8::1]/cb', 'https://localhost/cb',
  "https://app.example.com/a;b=c/~user/(x)!$&'+,=:@", 'https://App.Example.com/Callback', 'http://localhost:3000/try/callback',
]
for (const uri of always) {
  test(`${uri} can be registered by every application type in every environment type`, () => {
    for (const [type, environment] of everywhere) assert.equal(problem(uri, type, environment), null)
  })
}

// biome-ignore format: a list to skim
const never = [
  '', ' ', '/', '/callback', 'callback', '//app.example.com/cb', '?x', 'app.example.com/cb', 'app.example.com:443', 'localhost:3000/cb',
  'https:', 'https:/', 'https://', 'https:///cb', 'https:cb', 'https:/app.example.com/cb', 'https://?x', 'https://:443/cb', 'https://app.example.com:/cb', 'https://app.example.com:99999/cb',
  'https://app.example.com/cb#', 'https://app.example.com/cb#x', 'https://app.example.com/cb?x#y', '#',
  'https://a@app.example.com/cb', 'https://a:b@app.example.com/cb', 'https://@app.example.com/cb', 'https://a@b@app.example.com/cb', 'https://app.example.com%40evil.test/cb',
  'https://*.example.com/cb', 'https://app.example.com/*', 'https://app.example.com/cb?*', 'https://app.example.com/%2a', 'https://*/cb', '*',
  'https://app.example.com\\@evil.test/cb', 'https:\\\\app.example.com\\cb', 'https://app.example.com/\\evil', 'https://app.example.com\\cb',
  ' https://app.example.com/cb', 'https://app.example.com/cb ', 'https://app.example.com/c b', 'https://app.example.com/cb\n', '\thttps://app.example.com/cb', 'ht\ntps://app.example.com/cb', 'https://app.example.com/\0',
  'https://bücher.example/cb', 'https://app.exаmple.com/cb', 'https://app。example.com/cb', 'https://app.example.com/ü', 'https://ａpp.example.com/cb', 'https://app.example.com\u200b/cb',
  'https://127.1/cb', 'https://0x7f000001/cb', 'https://2130706433/cb', 'https://0177.0.0.1/cb', 'https://%31%32%37.0.0.1/cb', 'https://[::ffff:127.0.0.1%25eth0]/cb', 'https://[0:0:0:0:0:0:0:1]/cb', 'https://[::1/cb',
  'https://app.example.com/%', 'https://app.example.com/%zz', 'https://app.example.com/%00', 'https://app.example.com/%0d%0aSet-Cookie:x', 'https://app.example.com/%7F',
  'https://app.example.com/<script>', 'https://app.example.com/"x"', 'https://app.example.com/{x}', 'https://app.example.com/a|b', 'https://app.example.com/^', 'https://app.example.com/`',
  'HTTPS://app.example.com/cb', 'Https://app.example.com/cb',
  'javascript:alert(1)', 'JaVaScRiPt:alert(1)', ' javascript:alert(1)', 'java\nscript:alert(1)', 'java\tscript:alert(1)', '\u0001javascript:alert(1)', 'javascript://app.example.com/%0aalert(1)', 'javascript:/x', 'java%73cript:alert(1)', 'javascript%3Aalert(1)', 'javascript&colon;alert(1)', 'ｊavascript:alert(1)', 'jav\0ascript:alert(1)',
  'data:text/html,<script>', 'DATA:text/html;base64,eA==', 'data:/x', 'data://x/y', 'file:///etc/passwd', 'FILE:///etc/passwd', 'vbscript:msgbox(1)', 'VbScRiPt:x', 'blob:https://app.example.com/x', 'about:blank', 'view-source:https://x', 'filesystem:https://x/y',
  'ftp://app.example.com/cb', 'ws://app.example.com/cb', 'wss://app.example.com/cb', 'mailto:a@b.test', 'intent://x/y', 'urn:ietf:wg:oauth:2.0:oob', 'myapp:/cb', 'myapp://cb', 'x:/y',
  'Com.Example.App:/cb', 'com.example.app:', 'com.example.app:cb', 'com.example.app:/cb#x', 'com.example.app://a@b/cb', 'com.example.app:/*', 'com.example.app:/ü', '.app:/cb', '1.app:/cb',
]
for (const uri of never) {
  test(`${JSON.stringify(uri)} cannot be registered by any application`, () => {
    for (const [type, environment] of everywhere)
      assert.equal(typeof problem(uri, type, environment), 'string', `${type} in ${environment}`)
  })
}

/** URIs that some combinations of application type and environment type can register. */
const sometimes: { uri: string; may: string[] }[] = [
  { uri: 'http://app.example.com/cb', may: ['web test', 'spa test', 'native test'] },
  { uri: 'http://localhost:8080/cb', may: ['web test', 'spa test', 'native test', 'native live'] },
  { uri: 'http://127.0.0.1/cb', may: ['web test', 'spa test', 'native test', 'native live'] },
  { uri: 'http://127.0.0.1:80/cb', may: ['web test', 'spa test', 'native test', 'native live'] },
  { uri: 'http://[::1]:51234/cb', may: ['web test', 'spa test', 'native test', 'native live'] },
  { uri: 'http://localhost/cb', may: ['web test', 'spa test', 'native test', 'native live'] },
  { uri: 'http://127.0.0.2/cb', may: ['web test', 'spa test', 'native test'] },
  { uri: 'http://127.0.0.1.evil.test/cb', may: ['web test', 'spa test', 'native test'] },
  { uri: 'http://localhost.evil.test/cb', may: ['web test', 'spa test', 'native test'] },
  { uri: 'http://localhost:30000/cb', may: ['web test', 'spa test', 'native test', 'native live'] },
  { uri: 'com.example.app:/cb', may: ['native test', 'native live'] },
  { uri: 'com.example.app://cb', may: ['native test', 'native live'] },
  { uri: 'com.example.app:///cb?x=1', may: ['native test', 'native live'] },
]
for (const { uri, may } of sometimes) {
  test(`${uri} can be registered by ${may.join(', ')} only`, () => {
    const allowed = everywhere.filter(([type, environment]) => problem(uri, type, environment) === null).map((pair) => pair.join(' '))
    assert.deepEqual(allowed.sort(), [...may].sort())
  })
}

test('in Live, an http URI of the service itself is compared by origin, not by prefix', () => {
  const service = (uri: string) =>
    redirectUriProblem(uri, { application_type: 'web', environment_type: 'live', base_url: 'http://id.example.com' })
  assert.equal(service('http://id.example.com/callback'), null)
  for (const uri of [
    'http://id.example.com.evil.test/cb',
    'http://id.example.com:8080/cb',
    'http://evil.test/http://id.example.com',
    'http://id.example.com@evil.test/',
  ]) {
    assert.equal(typeof service(uri), 'string', uri)
  }
})

/** Mutations that bypassed the validation of other servers, from their security advisories. */
const mutations: ((uri: string) => string)[] = [
  (uri) => `${uri}/`,
  (uri) => `${uri}//`,
  (uri) => `${uri}x`,
  (uri) => `${uri}/x`,
  (uri) => `${uri}/..`,
  (uri) => `${uri}/../callback`,
  (uri) => `${uri}/..;/x`,
  (uri) => `${uri}/%2e%2e/x`,
  (uri) => `${uri};x`,
  (uri) => `${uri}?`,
  (uri) => `${uri}?x=1`,
  (uri) => `${uri}&x=1`,
  (uri) => `${uri}#`,
  (uri) => `${uri}#x`,
  (uri) => `${uri}%00`,
  (uri) => `${uri}\0`,
  (uri) => `${uri}%20`,
  (uri) => `${uri} `,
  (uri) => ` ${uri}`,
  (uri) => `${uri}\n`,
  (uri) => `${uri}\r\nx`,
  (uri) => `\t${uri}`,
  (uri) => `${uri}*`,
  (uri) => `${uri}.evil.test`,
  (uri) => `${uri}@evil.test`,
  (uri) => `${uri}\\@evil.test`,
  (uri) => `${uri},${uri}`,
  (uri) => `${uri} ${uri}`,
  (uri) => uri.slice(0, -1),
  (uri) => uri.toUpperCase(),
  (uri) => uri.replace('callback', 'Callback'),
  (uri) => uri.replace('callback', 'c%61llback'),
  (uri) => uri.replace('/callback', '//callback'),
  (uri) => uri.replace('/callback', '/./callback'),
  (uri) => uri.replace('/callback', '/x/../callback'),
  (uri) => uri.replace('/callback', '\\callback'),
  (uri) => uri.replace('/callback', '%2fcallback'),
  (uri) => uri.replace('/callback', ''),
  (uri) => uri.replace('/callback', '.evil.test/callback'),
  (uri) => uri.replace('/callback', '@evil.test/callback'),
  (uri) => uri.replace('/callback', ':evil@evil.test/callback'),
  (uri) => uri.replace('/callback', './callback'),
  (uri) => uri.replace('/callback', ':/callback'),
  (uri) => uri.replace('/callback', ':0/callback'),
  (uri) => uri.replace('/callback', ':080/callback'),
  (uri) => uri.replace('/callback', ':65536/callback'),
  (uri) => uri.replace('/callback', ':+80/callback'),
  (uri) => uri.replace('/callback', ':8 0/callback'),
  (uri) => uri.replace('//', '//evil.test/'),
  (uri) => uri.replace('//', '//evil.test@'),
  (uri) => uri.replace('//', '//a@b@'),
  (uri) => uri.replace('//', '//evil.test\\@'),
  (uri) => uri.replace('//', '//evil.test#@'),
  (uri) => uri.replace('//', '//evil.'),
  (uri) => uri.replace('//', '///'),
  (uri) => uri.replace('//', '/'),
  (uri) => uri.replace(/^[a-z]+:/, ''),
  (uri) => uri.replace(/^[a-z]+:/, 'javascript:'),
  (uri) => uri.replace(/^http:/, 'HTTP:').replace(/^https:/, 'http:'),
  (uri) => uri.replace('127.0.0.1', '127.1'),
  (uri) => uri.replace('127.0.0.1', '2130706433'),
  (uri) => uri.replace('127.0.0.1', '127.0.0.2'),
  (uri) => uri.replace('127.0.0.1', 'localhost'),
  (uri) => uri.replace('127.0.0.1', '[::1]'),
  (uri) => uri.replace('[::1]', '127.0.0.1'),
  (uri) => uri.replace('[::1]', '[0:0:0:0:0:0:0:1]'),
  (uri) => uri.replace('[::1]', '::1'),
  (uri) => uri.replace('example', 'exаmple'),
]
const registered = ['https://app.example.com/callback', 'http://127.0.0.1/callback', 'http://[::1]/callback', 'http://localhost/callback']
for (const uri of registered) {
  test(`${uri} matches itself and none of ${mutations.length} mutations`, () => {
    for (const allow of [false, true]) {
      assert.ok(matchesRegistered([uri], uri, allow))
      for (const mutate of mutations) if (mutate(uri) !== uri) assert.ok(!matchesRegistered([uri], mutate(uri), allow), mutate(uri))
    }
    assert.ok(matchesPublished([uri], uri))
    for (const mutate of mutations) if (mutate(uri) !== uri) assert.ok(!matchesPublished([uri], mutate(uri)), mutate(uri))
  })
}

const ports: { registered: string; sent: string; matches: boolean }[] = [
  { registered: 'http://127.0.0.1/callback', sent: 'http://127.0.0.1:51234/callback', matches: true },
  { registered: 'http://127.0.0.1:1/callback', sent: 'http://127.0.0.1:65535/callback', matches: true },
  { registered: 'http://127.0.0.1:1/callback', sent: 'http://127.0.0.1/callback', matches: true },
  { registered: 'http://[::1]/callback?x=1', sent: 'http://[::1]:8080/callback?x=1', matches: true },
  { registered: 'http://127.0.0.1', sent: 'http://127.0.0.1:8080', matches: true },
  { registered: 'http://127.0.0.1/callback', sent: 'http://127.0.0.1:51234/callback/', matches: false },
  { registered: 'http://127.0.0.1/callback', sent: 'http://127.0.0.1:51234/callback?x', matches: false },
  { registered: 'http://127.0.0.1/callback', sent: 'http://127.0.0.1:51234/callback\n', matches: false },
  { registered: 'http://127.0.0.1/callback', sent: 'https://127.0.0.1:51234/callback', matches: false },
  { registered: 'https://127.0.0.1/callback', sent: 'https://127.0.0.1:51234/callback', matches: false },
  { registered: 'http://localhost/callback', sent: 'http://localhost:51234/callback', matches: false },
  { registered: 'http://127.0.0.2/callback', sent: 'http://127.0.0.2:51234/callback', matches: false },
  { registered: 'http://app.example.com/callback', sent: 'http://app.example.com:51234/callback', matches: false },
  { registered: 'https://app.example.com/callback', sent: 'https://app.example.com:51234/callback', matches: false },
]
for (const { registered, sent, matches } of ports) {
  test(`with allow_loopback_port, ${JSON.stringify(sent)} ${matches ? 'matches' : 'does not match'} the registered ${registered}`, () => {
    assert.equal(matchesRegistered([registered], sent, true), matches)
    assert.equal(matchesRegistered([registered], sent, false), false)
    assert.equal(matchesPublished([registered], sent), matches || sent.startsWith('http://localhost'))
  })
}

test('without allow_loopback_port, only an identical URI matches', () => {
  const near = fc.tuple(fc.constantFrom(...registered), fc.nat(), fc.string({ maxLength: 2 })).map(([uri, random, inserted]) => {
    const at = random % (uri.length + 1)
    return uri.slice(0, at) + inserted + uri.slice(at + (random % 2))
  })
  const property = fc.property(fc.oneof(near, fc.webUrl(), fc.string()), (sent) => {
    assert.equal(
      matchesRegistered(registered, sent, false),
      registered.some((uri) => uri === sent),
    )
  })
  fc.assert(property, { numRuns: 1_000 })
})

test('with allow_loopback_port, a URI that matches has the registered host and path', () => {
  const edit = fc.tuple(
    fc.constantFrom('http://127.0.0.1/callback', 'http://[::1]/callback'),
    fc.nat(40),
    fc.constantFrom(':', '@', '/', '\\', '#', '?', ':8080', '.', '%', '1'),
  )
  const property = fc.property(edit, ([uri, at, inserted]) => {
    const sent = uri.slice(0, at) + inserted + uri.slice(at)
    if (!matchesRegistered([uri], sent, true)) return
    assert.deepEqual([new URL(sent).hostname, new URL(sent).pathname], [new URL(uri).hostname, new URL(uri).pathname])
  })
  fc.assert(property, { numRuns: 1_000 })
})

test('a URI that can be registered is visible ASCII without user info and fragment, and parses to the host as written', () => {
  const odd = fc.string({ unit: fc.constantFrom(...'https:/.\\@#?%*[]01axA\u00e9 \n'), maxLength: 24 }).map((text) => `https://${text}`)
  const property = fc.property(
    fc.oneof(odd, fc.webUrl({ withQueryParameters: true }), fc.string()),
    fc.constantFrom(...everywhere),
    (uri, [type, environment]) => {
      if (problem(uri, type, environment) !== null) return
      const url = new URL(uri)
      assert.deepEqual([url.username, url.password, url.hash], ['', '', ''])
      assert.match(uri, /^[\x21-\x7E]+$/)
      assert.ok(uri.toLowerCase().startsWith(`${url.protocol}//${url.hostname}`) || url.protocol.includes('.'))
    },
  )
  fc.assert(property, { numRuns: 2_000 })
})
