/** The templates of applications: each fits its schema, and its setup is written in its language. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { ApplicationTemplate, setup_languages } from './application-template.ts'
import { templates } from './application-templates/index.ts'
import { Application } from './objects/application.ts'
import { fillSetup, forgotten_secret, unmetNeeds } from './template-setup.ts'

/** A value in the quotes of each language; in a form the rest of the line is the value. */
const quoted = {
  javascript: '"{url}"',
  json: '"{url}"',
  toml: '"{url}"',
  yaml: '"{url}"',
  python: '"{url}"',
  sh: "'{url}'",
  ruby: "'{url}'",
  php: "'{url}'",
  apache: '"{url}"',
  ini: '`{url}`',
  form: '{url}',
}

/** The places of values that are not within the quotes of the language. */
function unquotedPlaces({ language, text }: { language: keyof typeof quoted; text: string }): string[] {
  const quote = quoted[language][0] ?? ''
  if (language === 'form') return []
  return text.split('\n').flatMap((line) =>
    [...line.matchAll(/\{(issuer|client_id|client_secret|url)\}/g)].flatMap(({ index, 0: found }) => {
      const quotes_before = line.slice(0, index).split(quote).length - 1
      return quotes_before % 2 === 1 ? [] : [found]
    }),
  )
}

test('each file is one template with its name as the slug, in the list, and there are at least forty', () => {
  const files = readdirSync(join(import.meta.dirname, 'application-templates')).filter((file) => file !== 'index.ts')
  assert.deepEqual(
    templates.map(({ slug }) => `${slug}.ts`),
    files.sort(),
  )
  assert.ok(templates.length >= 40)
})

for (const template of templates)
  test(`the template of ${template.name} is right`, () => {
    assert.deepEqual(ApplicationTemplate.parse(template), template)
    const { application_type, token_endpoint_auth_method, require_pkce, nonce_replaces_pkce, setup, scopes } = template
    const text = setup.map((step) => step.text).join('\n')
    const has_secret = token_endpoint_auth_method.startsWith('client_secret')

    assert.equal(application_type === 'web', has_secret, 'web applications have a secret, others none')
    assert.ok(has_secret || (require_pkce && !nonce_replaces_pkce), 'only web applications can do without PKCE')
    assert.ok(require_pkce || nonce_replaces_pkce, 'a nonce decides nothing where PKCE is not required')
    assert.equal(text.includes('{client_secret}'), has_secret, 'the setup has the secret if there is one')
    for (const value of ['{issuer}', '{client_id}']) assert.ok(text.includes(value), value)
    assert.deepEqual(
      setup.flatMap((step) => unquotedPlaces(step)),
      [],
      'each value stands in the quotes of its language',
    )
    assert.ok(scopes.includes('openid'))
    assert.doesNotMatch(text, /\t| $|\r/m)
    for (const step of setup.filter(({ language }) => language === 'json')) JSON.parse(step.text)
  })

/** Values that would end the text around them, or begin a command, a comment, another key or another value. */
const hostile = [
  `'; touch /tmp/owned; '`,
  `"; touch /tmp/owned; "`,
  '$(touch /tmp/owned)',
  '`touch /tmp/owned`',
  '$\x7bHOME}', // as it is, it would look like a mistake here
  '%{ENV:HOME}',
  '#{exit}',
  ' # a comment',
  '; a comment',
  '\\',
  "\\'",
  '\\"',
  '"]\nadmin = true\n[x]\na = ["',
  'a\r\nadmin: true',
  '\u2028',
  '\u0000',
  '{client_secret}',
  '$&',
]
const inPython = (text: string) =>
  execFileSync('python3', ['-c', 'import ast, sys; sys.stdout.write(ast.literal_eval(sys.argv[1]))', text], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, PYTHONUTF8: '1' },
  })
const has_python = spawnSync('python3', ['--version']).status === 0

/** Reads a quoted text as the language does. `ruby`, `php` and `apache` know only the two escapes that are written. */
const read: Record<string, (text: string) => string> = {
  javascript: JSON.parse,
  json: JSON.parse,
  toml: JSON.parse,
  yaml: (text) => parse(text),
  python: has_python ? inPython : JSON.parse,
  sh: (text) => execFileSync('/bin/sh', ['-c', `printf %s ${text}`], { encoding: 'utf8' }),
  ruby: (text) => text.slice(1, -1).replaceAll(/\\([\\'])/g, '$1'),
  php: (text) => text.slice(1, -1).replaceAll(/\\([\\'])/g, '$1'),
  apache: (text) => text.slice(1, -1).replaceAll(/\\([\\"])/g, '$1'),
  ini: (text) => text.slice(1, -1),
  form: (text) => text,
}

const has_control = /[\p{Cc}\u2028]/u
const values = { issuer: 'https://id.example.com', client_id: 'app_1', client_secret: 'svc_client_1', url: '' }

for (const language of setup_languages)
  test(
    `no value ends the text of the language ${language} in which it stands`,
    { skip: language === 'sh' && process.platform === 'win32' },
    () => {
      for (const url of hostile) {
        let text: string
        try {
          text = fillSetup({ language, text: quoted[language] }, { ...values, url })
        } catch (error) {
          assert.ok(error instanceof TypeError, url)
          const refused = { ini: '`', apache: '{' }[String(language)]
          assert.ok(has_control.test(url) || (refused !== undefined && url.includes(refused)), url)
          continue
        }
        assert.equal(text.split(/[\n\r\u2028]/).length, 1, url)
        assert.equal(read[language]?.(text), url)
      }
    },
  )

test('a secret that nobody knows any more has words in its place', () => {
  assert.equal(fillSetup({ language: 'form', text: '{client_secret}' }, { ...values, client_secret: null }), forgotten_secret)
})

test('a template sets the fields of an application that its schema lists, and no others', () => {
  const [known] = templates
  for (const name of ['consent', 'disabled', 'jwks', 'jwks_uri', 'allow_loopback_port', 'logo_uri', 'allowed_scopes', 'client_secret']) {
    assert.equal(name in ApplicationTemplate.shape, false, name)
    assert.equal(ApplicationTemplate.safeParse({ ...known, [name]: name in Application.shape ? true : 'x' }).success, false, name)
  }
  for (const address of [
    'https://evil.example.com/',
    '{url}.evil.example.com/',
    '{url}@evil.example.com/',
    '{url}/../x',
    '{url}//x',
    '{url}/#x',
    'x{url}',
  ])
    assert.equal(ApplicationTemplate.safeParse({ ...known, redirect_uris: [address] }).success, false, address)
})

const none = { claims: { preferred_username: 'none', name: 'none' }, sign_up: { name: 'off' } } as const
// biome-ignore format: this table is read by column
const needs: [why: string, settings: Parameters<typeof unmetNeeds>[1], needs: string[], claims: (string | null)[]][] = [
  ['the product needs nothing',                 none,                                                                     [],                             []],
  ['neither claim has a stand-in',              none,                                                                     ['name', 'preferred_username'], ['name', 'preferred_username']],
  ['the address stands for the user name',      { ...none, claims: { preferred_username: 'email', name: 'none' } },       ['name', 'preferred_username'], ['name']],
  ['the address stands for the name',           { ...none, claims: { preferred_username: 'none', name: 'email' } },       ['name', 'preferred_username'], ['preferred_username']],
  ['the sign-up requires a name',               { ...none, sign_up: { name: 'required' } },                               ['name', 'preferred_username'], ['preferred_username']],
  ['the sign-up only asks for a name',          { ...none, sign_up: { name: 'optional' } },                               ['name'],                       ['name']],
  ['no setting gives groups or a verified address', none,                                                                   ['email_verified', 'groups'],   [null, null]],
  ['a later version has needs that nobody knows', none,                                                                   ['__proto__', 'age'],           []],
]
for (const [why, settings, of, claims] of needs)
  test(`what a product lacks is named, with the setting that gives it, where ${why}`, () => {
    const unmet = unmetNeeds(of, settings)
    assert.deepEqual(
      unmet.map(({ claim }) => claim),
      claims,
    )
    for (const { sentence } of unmet) assert.match(sentence, /^The product needs .*\.$/)
  })
