/** `ostiary pull` into a file that a person wrote: only what differs is changed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settingsInDocument } from '@ostiary/contract/configuration.ts'
import { documentDefaults } from '@ostiary/contract/objects/objects.ts'
import { rangeOf } from '@ostiary/contract/settings-sentences.ts'
import { areEqual } from '@ostiary/server/domain/configuration/equal.ts'
import fc from 'fast-check'
import { fileText, orderedDocument, ShownDocument } from './document.ts'
import { mergedText } from './merge.ts'
import { readYaml } from './yaml-read.ts'
import { blockLines } from './yaml-write.ts'

type Json = Record<string, unknown>

/** The settings of Live with all their defaults, and some other values. */
function settings(changed: Readonly<Record<string, unknown>> = {}): Json {
  const all: Json = {}
  for (const { path, type } of settingsInDocument('live')) {
    if (path.startsWith('email.smtp.')) continue
    const [name = '', ...groups] = path.split('.').reverse()
    let group = all
    for (const each of groups.reverse()) {
      if (!(each in group)) group[each] = {}
      group = group[each] as Json // as: a group of settings
    }
    group[name] = path in changed ? changed[path] : rangeOf(type).default
  }
  ;(all.email as Json).smtp = changed['email.smtp'] ?? null
  return all
}

const web = (fields: Json = {}): Json => ({
  application_type: 'web',
  name: 'Shop',
  redirect_uris: ['https://a.test'],
  ...documentDefaults('application', { application_type: 'web' }),
  ...fields,
})
const google = (fields: Json = {}): Json => ({
  type: 'google',
  client_id: '123.apps',
  ...documentDefaults('provider', { type: 'google' }),
  client_secret: `\${OSTIARY_SECRET_PROVIDERS_GOOGLE_CLIENT_SECRET}`,
  private_key: null,
  ...fields,
})
const document = (parts: Json = {}): ShownDocument =>
  ShownDocument.parse({
    version: 1,
    environment: 'live',
    settings: settings(),
    resource_servers: {},
    roles: {},
    applications: {},
    providers: {},
    webhooks: {},
    ...parts,
  })

function merged(text: string, shown: ShownDocument): string {
  const result = mergedText(text, orderedDocument(shown), 'live')
  assert.ok('text' in result, `the place at ${'offset' in result ? result.offset : ''} is changed`)
  return result.text
}

/** The lines that one text has and the other has not. */
function differences(before: string, after: string): string[] {
  const [a, b] = [before.split('\n'), after.split('\n')]
  return [
    ...a.filter((line) => !b.includes(line)).map((line) => `-${line}`),
    ...b.filter((line) => !a.includes(line)).map((line) => `+${line}`),
  ]
}

const commented = `# yaml-language-server: $schema=https://id.example.com/schemas/configuration-1.json
# The configuration of our shop. Ask Ada before a change.

version: 1
environment: live

settings:
  password: {min_length: 14}   # by the policy of 2026
  tokens:
    # An hour is enough.
    access_token_ttl_seconds: 1800

applications:
  # The shop itself
  shop:
    application_type: web
    name: 'Shop'          # shown to people
    redirect_uris:
      - https://a.test    # the main one
      - "https://b.test"  # the second one

  # For the back office
  office: {application_type: web, name: Office, redirect_uris: [https://o.test, https://p.test]}

providers:
  google:
    type: google
    client_id: 123.apps
    client_secret: "\${OSTIARY_SECRET_GOOGLE}"
# The end.
`
const of_commented = (parts: Json = {}) =>
  document({
    settings: settings({ 'password.min_length': 14, 'tokens.access_token_ttl_seconds': 1800 }),
    applications: {
      office: web({ name: 'Office', redirect_uris: ['https://o.test', 'https://p.test'] }),
      shop: web({ redirect_uris: ['https://a.test', 'https://b.test'] }),
    },
    providers: { google: google() },
    ...parts,
  })
const apps = (shop: Json, office: Json = {}) => ({
  applications: {
    office: web({ name: 'Office', redirect_uris: ['https://o.test', 'https://p.test'], ...office }),
    shop: web({ redirect_uris: ['https://a.test', 'https://b.test'], ...shop }),
  },
})
const set = (changed: Json) => ({ settings: settings({ 'password.min_length': 14, 'tokens.access_token_ttl_seconds': 1800, ...changed }) })

// biome-ignore format: this table is read by column
const changes: [why: string, parts: Json, differences: string[]][] = [
  ['nothing',                          {}, []],
  ['another order of addresses',       apps({ redirect_uris: ['https://b.test', 'https://a.test'] }), []],
  ['a name',                           apps({ name: 'Store' }), [`-    name: 'Shop'          # shown to people`, '+    name: Store          # shown to people']],
  ['a name in brackets',               apps({}, { name: 'Back, office' }),
    ['-  office: {application_type: web, name: Office, redirect_uris: [https://o.test, https://p.test]}', '+  office: {application_type: web, name: "Back, office", redirect_uris: [https://o.test, https://p.test]}']],
  ['an address more',                  apps({ redirect_uris: ['https://c.test', 'https://b.test', 'https://a.test'] }), ['+      - https://c.test']],
  ['an address less',                  apps({ redirect_uris: ['https://a.test'] }), ['-      - "https://b.test"  # the second one']],
  ['an address for another',           apps({ redirect_uris: ['https://b.test', 'https://c.test'] }), ['-      - https://a.test    # the main one', '+      - https://c.test']],
  ['addresses in brackets',            apps({}, { redirect_uris: ['https://p.test', 'https://q.test'] }),
    ['-  office: {application_type: web, name: Office, redirect_uris: [https://o.test, https://p.test]}', '+  office: {application_type: web, name: Office, redirect_uris: [https://p.test, https://q.test]}']],
  ['a field that it left out',         apps({ consent: 'ask' }), ['+    consent: ask']],
  ['a field in brackets',              apps({}, { disabled: true }),
    ['-  office: {application_type: web, name: Office, redirect_uris: [https://o.test, https://p.test]}', '+  office: {application_type: web, name: Office, redirect_uris: [https://o.test, https://p.test], disabled: true}']],
  ['a list that it left out',          apps({ allowed_scopes: ['openid'] }), ['+    allowed_scopes:', '+      - openid']],
  ['a setting',                        set({ 'password.min_length': 16 }), ['-  password: {min_length: 14}   # by the policy of 2026', '+  password: {min_length: 16}   # by the policy of 2026']],
  ['a setting that is its default',    set({ 'password.min_length': 12 }), ['-  password: {min_length: 14}   # by the policy of 2026', '+  password: {min_length: 12}   # by the policy of 2026']],
  ['a setting in a group',             set({ 'password.reject_common': false }), ['-  password: {min_length: 14}   # by the policy of 2026', '+  password: {min_length: 14, reject_common: false}   # by the policy of 2026']],
  ['a setting of another group',       set({ 'mfa.mode': 'required' }), ['+  mfa:', '+    mode: required']],
  ['a mail server',                    set({ 'email.smtp': { host: 'mail.test', port: 587, username: null, password: `\${OSTIARY_SECRET_SMTP_PASSWORD}`, tls: 'implicit' } }),
    ['+  email:', '+    smtp:', '+      host: mail.test', `+      password: "\${OSTIARY_SECRET_SMTP_PASSWORD}"`, '+      tls: implicit']],
  ['a provider without its secret',    { providers: { google: google({ enabled: false, client_secret: null }) } }, [`-    client_secret: "\${OSTIARY_SECRET_GOOGLE}"`, '+    client_secret: null', '+    enabled: false']],
  ['an application less',              { applications: { shop: web({ redirect_uris: ['https://a.test', 'https://b.test'] }) } },
    ['-  # For the back office', '-  office: {application_type: web, name: Office, redirect_uris: [https://o.test, https://p.test]}']],
  ['no applications',                  { applications: {} }, [
    '-applications:', '-  # The shop itself', '-  shop:', '-    application_type: web', `-    name: 'Shop'          # shown to people`, '-    redirect_uris:',
    '-      - https://a.test    # the main one', '-      - "https://b.test"  # the second one', '-  # For the back office',
    '-  office: {application_type: web, name: Office, redirect_uris: [https://o.test, https://p.test]}', '+applications: {}']],
  ['a webhook',                        { webhooks: { orders: { url: 'https://w.test', ...documentDefaults('webhook', {}) } } }, ['+webhooks:', '+  orders:', '+    url: https://w.test', '+    events: []', '+    description: null', '+    disabled: false']],
]
for (const [why, parts, expected] of changes)
  test(`a file with comments is changed for ${why}, and in no other line`, () => {
    const shown = of_commented(parts)
    const after = merged(commented, shown)
    assert.deepEqual(differences(commented, after).sort(), [...expected].sort())
    assert.equal(merged(after, shown), after)
  })

test('an application more stands in its place, whole', () => {
  const { applications } = of_commented()
  const shown = of_commented({ applications: { ...(applications as Json), 'pay-2': web({ name: 'Pay' }) } })
  const lines = merged(commented, shown).split('\n')
  const at = lines.indexOf('  pay-2:')
  assert.equal(lines[at - 1]?.startsWith('  office:'), true)
  assert.deepEqual(lines.slice(at + 1, at + 5), [
    '    application_type: web',
    '    name: Pay',
    '    redirect_uris:',
    '      - https://a.test',
  ])
})

const bare = (parts: Json) => document({ settings: settings(), ...parts })
const events = (...names: string[]) => bare({ webhooks: { w: { url: 'x', events: names } } })
/** A list in brackets over several lines. */
const inLines = (...lines: string[]) =>
  `version: 1\nwebhooks:\n  w:\n    url: x\n    events: [\n${lines.map((line) => `      ${line}\n`).join('')}      ]\n`

// biome-ignore format: this table is read by column
const forms: [why: string, before: string, shown: ShownDocument, after: string][] = [
  ['null for a default',              'version: 1\nsettings: {password: {min_length: null}}\n', bare({}), 'version: 1\nsettings: {password: {min_length: null}}\n'],
  ['an empty section',                'version: 1\napplications: {} # none\n', bare({ webhooks: {}, applications: { a: { name: 'A' } } }), 'version: 1\napplications: # none\n  a:\n    name: A\n'],
  ['a section without a value',       'version: 1\napplications: # none\nwebhooks: {}\n', bare({ applications: { a: { name: 'A' } } }), 'version: 1\napplications: # none\n  a:\n    name: A\nwebhooks: {}\n'],
  ['a section that is empty now',     'version: 1\nwebhooks:\n  # old\n  w: {url: x}\n', bare({}), 'version: 1\nwebhooks: {}\n'],
  ['no line break at the end',        'version: 1\napplications:\n  a:\n    name: A', bare({ applications: { a: web({ name: 'B', redirect_uris: [], consent: 'ask' }) } }), 'version: 1\napplications:\n  a:\n    application_type: web\n    name: B\n    redirect_uris: []\n    consent: ask\n'],
  ['line breaks of Windows',          'version: 1\r\napplications:\r\n  a: # x\r\n    name: A\r\n    redirect_uris:\r\n      - x # y\r\n', bare({ applications: { a: { name: 'B', redirect_uris: ['x', 'z'] } } }), 'version: 1\r\napplications:\r\n  a: # x\r\n    name: B\r\n    redirect_uris:\r\n      - x # y\r\n      - z\r\n'],
  ['JSON',                            '{"version": 1,\n  "webhooks": {"w": {"url": "x", "events": ["a"]}}}\n', bare({ webhooks: { v: { url: 'v' }, w: { url: 'y', events: ['a', 'b'], description: null } } }), '{"version": 1,\n  "webhooks": {"v": {"url": "v"}, "w": {"url": "y", "events": ["a", "b"]}}}\n'],
  ['dashes without indentation',      'version: 1\nwebhooks:\n  w:\n    url: x\n    events:\n    - a # first\n    - b\n', bare({ webhooks: { w: { url: 'x', events: ['a', 'c'] } } }), 'version: 1\nwebhooks:\n  w:\n    url: x\n    events:\n    - a # first\n    - c\n'],
  ['text over several lines',         'version: 1\nwebhooks:\n  w:\n    description: |\n      x\n      y\n    url: x\n', bare({ webhooks: { w: { url: 'x', description: 'z' } } }), 'version: 1\nwebhooks:\n  w:\n    description: z\n    url: x\n'],
  ['scopes with names',               'version: 1\nresource_servers:\n  r:\n    scopes:\n      - name: a # first\n      - {name: b}\n      - name: c\n        description: old\n', bare({ resource_servers: { r: { scopes: [{ name: 'd', description: null }, { name: 'c', description: 'new' }, { name: 'a', description: 'A' }] } } }), 'version: 1\nresource_servers:\n  r:\n    scopes:\n      - name: a # first\n        description: A\n      - name: c\n        description: new\n      - name: d\n        description: null\n'],
  ['an alias that differs now',       'version: 1\nwebhooks:\n  v: {url: v, events: &e [a]}\n  w: {url: w, events: *e}\n', bare({ webhooks: { v: { url: 'v', events: ['a'] }, w: { url: 'w', events: ['b'] } } }), 'version: 1\nwebhooks:\n  v: {url: v, events: &e [a]}\n  w: {url: w, events: [b]}\n'],
  ['an anchor that differs now',      'version: 1\nwebhooks:\n  v: {url: v, events: &e [a]}\n  w: {url: w, events: *e}\n', bare({ webhooks: { v: { url: 'v', events: ['a', 'b'] }, w: { url: 'w', events: ['a'] } } }), 'version: 1\nwebhooks:\n  v: {url: v, events: &e [a, b]}\n  w: {url: w, events: [a]}\n'],
  ['an alias that still holds',       'version: 1\nwebhooks:\n  v: &v\n    events: [a]\n  w: *v\n', bare({ webhooks: { v: { events: ['a'] }, w: { events: ['a'] } } }), 'version: 1\nwebhooks:\n  v: &v\n    events: [a]\n  w: *v\n'],
  ['a field that is no more',         'version: 1\nwebhooks:\n  w: {old: 1, url: x}\n', bare({ webhooks: { w: { url: 'x' } } }), 'version: 1\nwebhooks:\n  w: {url: x}\n'],
  ['a group of nothing but mistakes', 'version: 1\nsettings:\n  password:\n    lenght: 5\n', bare({}), 'version: 1\nsettings:\n  password: {}\n'],
  ['a comment at a first object that goes', 'version: 1\nwebhooks:\n  # old\n  b: {url: b}\n  c: {url: c}\n', bare({ webhooks: { a: { url: 'a' }, c: { url: 'c' } } }), 'version: 1\nwebhooks:\n  a:\n    url: a\n  c: {url: c}\n'],
  ['comments in brackets, less an item', inLines('a, # first', 'b, # second', 'c  # third'), events('a', 'c'), inLines('a, # first', 'c  # third')],
  ['comments in brackets, less two items', inLines('a, # first', '# above', 'b, # second', 'c  # third'), events('b'), inLines('# above', 'b, # second')],
  ['comments in brackets, and another item', inLines('a, # first', 'b  # second'), events('a', 'c'), inLines('a, c, # first')],
  ['comments in brackets, less an object', 'version: 1\nwebhooks: {\n  v: {url: v}, # first\n  w: {url: w}, # second\n  x: {url: x} # third\n  }\n', bare({ webhooks: { v: { url: 'v' }, x: { url: 'x' } } }), 'version: 1\nwebhooks: {\n  v: {url: v}, # first\n  x: {url: x} # third\n  }\n'],
  ['JSON in lines, less an object',   '{"version": 1,\n  "webhooks": {\n    "v": {"url": "v"},\n    "w": {"url": "w"}\n  }}\n', bare({ webhooks: { v: { url: 'v' } } }), '{"version": 1,\n  "webhooks": {\n    "v": {"url": "v"}\n  }}\n'],
  ['a secret in the clear',           'version: 1\nproviders:\n  google: {type: google, client_id: 123.apps, client_secret: hunter2}\n', bare({ providers: { google: google() } }), `version: 1\nproviders:\n  google: {type: google, client_id: 123.apps, client_secret: "\${OSTIARY_SECRET_PROVIDERS_GOOGLE_CLIENT_SECRET}"}\n`],
]
for (const [why, before, shown, after] of forms)
  test(`a file with ${why} gets the configuration`, () => {
    assert.equal(merged(before, shown), after)
    assert.equal(merged(after, shown), after)
  })

// biome-ignore format: this table is read by column
const unusual: [why: string, text: string, place?: string][] = [
  ['a key after a question mark',   'version: 1\nwebhooks:\n  ? v\n  : {url: x}\n  w: {url: x}\n'],
  ['no member of a configuration',  'shop: 1\n'],
  ['comments where a bracket ends', 'version: 1\nwebhooks: {\n  w: {url: x}, # stays\n  v: {url: x}}\n'],
  ['an anchor that goes',           'version: 1\nwebhooks:\n  v: {url: &u x}\n  w: {url: *u}\n', '&u'],
  ['an anchor that goes, in lines', 'version: 1\nwebhooks:\n  v: &v\n    url: x\n  w: *v\n',    '&v'],
  ['the second anchor of a name that goes', 'version: 1\nwebhooks:\n  a: {url: &u z}\n  v: {url: &u x}\n  w: {url: *u}\n', '&u x'],
]
for (const [why, text, place] of unusual)
  test(`a file with ${why} is not changed in place`, () => {
    const result = mergedText(text, orderedDocument(bare({ webhooks: { w: { url: 'x' } } })), 'live')
    assert.ok('offset' in result)
    if (place !== undefined) assert.equal(result.offset, text.indexOf(place))
  })

const name = fc.constantFrom('Shop', 'true', '- a', '#1', 'a: b', "it's", '"q"', '🦀', '123', 'a, b')
const uris = fc.uniqueArray(fc.constantFrom('https://a.test', 'https://b.test', 'com.app:/cb', '- x', '#y'), { minLength: 1 })
const application = fc
  .record({ name, redirect_uris: uris, consent: fc.constantFrom('skip', 'ask'), disabled: fc.boolean(), logo_uri: fc.option(name) })
  .map(web)
const applications = fc.dictionary(fc.constantFrom('a', 'b', '1', 'true', '0x1f', 'no'), application, { maxKeys: 4 })
const shown = fc
  .record({
    applications,
    changed: fc.record({ 'password.min_length': fc.constantFrom(12, 14), 'mfa.mode': fc.constantFrom('off', 'required') }),
  })
  .map(({ applications, changed }) => document({ applications, settings: settings(changed) }))

test('a file of any configuration, sparse or whole, agrees with any other one after the change, and is then left as it is', () => {
  fc.assert(
    fc.property(shown, shown, fc.boolean(), (before, after, is_whole) => {
      const sparse = new Map<string, unknown>([
        ['version', 1],
        ['applications', before.applications],
      ])
      const text = is_whole ? fileText('https://id.test', orderedDocument(before)) : `${blockLines(sparse).join('\n')}\n`
      const changed = merged(text, after)
      assert.equal(merged(changed, after), changed)
      const read = readYaml(changed)
      assert.ok('file' in read)
      if (is_whole) assert.ok(areEqual(read.file.value, after), changed)
      else
        assert.deepEqual(Object.keys((read.file.value as Json).applications ?? {}).sort(), Object.keys(after.applications as Json).sort())
    }),
    { numRuns: 200 },
  )
})
