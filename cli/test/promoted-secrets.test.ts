/** The secrets of a configuration on the command line: how a person gives one, and what a run with an equal one leaves. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { expectStatus, world } from '../../server/test/support/world.ts'
import { openClient } from './support/terminal-of-client.ts'

const w = await world()
const client = openClient(w)
const ostiary = (words: readonly string[], options = {}) => client.ostiary(words, { key: w.key, ...options })
const inLive = ['--project', 'shop', '--env', 'live']
const folder = mkdtempSync(join(tmpdir(), 'ostiary-secrets-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const written = (name: string, content: string) => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}
const change = (path: string, body: object) => w.call('PATCH', path, { body })

const name = 'OSTIARY_SECRET_SMTP_PASSWORD'
const server = (host: string, password = '') =>
  `settings:\n  email:\n    from: shop@example.com\n    delivery: smtp\n    smtp:\n      host: ${host}\n      username: shop\n${password}`
const named = (host: string) => `version: 1\nenvironment: live\n${server(host, `      password: \${${name}}\n`)}`

test('the user name of a mail server without its password: each message names a way that works', async () => {
  const smtp = { host: 'mail.test.example', username: 'shop', password: 'of Test' }
  expectStatus(200, await change(`${w.test.path}/settings`, { email: { from: 'shop@example.com', delivery: 'smtp', smtp } }))
  const promote = (values: string) =>
    ostiary(['promote', 'test', 'live', '--values', written('values.yaml', values), '--yes', '--project', 'shop'])
  const apply = (content: string, options = {}) => ostiary(['apply', '--file', written('live.yaml', content), '--yes', ...inLive], options)

  const without = await promote(server('mail.live.example'))
  assert.equal(without.code, 1)
  const way_there = `Set the mail server with its password in the target itself, or name the secret as \${${name}} in a document of the target.`
  assert.ok(without.err.includes(`A user name of a mail server needs a password. ${way_there} (secret_required)\n`), without.err)

  const with_name = await promote(server('mail.live.example', `      password: \${${name}}\n`))
  assert.equal(with_name.code, 2)
  assert.match(with_name.err, /values\.yaml:8:17: \/settings\/email\/smtp\/password: Values hold no secrets\. /)
  assert.ok(with_name.err.includes(way_there), with_name.err)
  const in_clear = await promote(server('mail.live.example', '      password: hunter2\n'))
  assert.equal(in_clear.code, 2)
  assert.match(in_clear.err, /values\.yaml:8:17: \/settings\/email\/smtp\/password: Values hold no secrets\. .* "ostiary apply"\. /)
  assert.doesNotMatch(in_clear.err, /hunter2/)

  const unnamed = await apply(`version: 1\n${server('mail.live.example')}`)
  assert.equal(unnamed.code, 1)
  assert.ok(unnamed.err.includes(`needs a password. Name it in the document as \${${name}}, and give its value`), unnamed.err)
  const unset = await apply(named('mail.live.example'))
  assert.deepEqual([unset.code, unset.err.includes(`:10:17: The variable ${name} is not set`)], [2, true], unset.err)
  const given = await apply(named('mail.live.example'), { secrets: { [name]: 'of Live' } })
  assert.equal(given.code, 0, given.err)
  assert.equal((await promote(server('mail.live.example'))).code, 0)

  const elsewhere = await apply(`version: 1\n${server('other.example')}`)
  assert.equal(elsewhere.code, 1)
  assert.match(elsewhere.err, /The stored password goes to no other mail server, .* Name it in the document as /)
  const from_test = await promote(server('other.example'))
  assert.equal(from_test.code, 1)
  assert.match(
    from_test.err,
    /The stored password goes to no other mail server, .* Set the mail server with its password in the target itself/,
  )
  expectStatus(200, await change(`${w.live.path}/settings`, { email: { smtp: { ...smtp, host: 'other.example' } } }))
  assert.equal((await promote(server('other.example'))).code, 0)
})

test('an enabled provider without its secret: each message names a way that works', async () => {
  expectStatus(
    201,
    await w.call('POST', `${w.test.path}/providers`, { body: { slug: 'google', type: 'google', client_id: 'test', client_secret: 'x' } }),
  )
  const only = ['--only', 'provider/google', '--project', 'shop', '--yes']
  const promote = (fields: string) =>
    ostiary(['promote', 'test', 'live', '--values', written('values.yaml', `providers:\n  google: {client_id: live${fields}}\n`), ...only])
  const enabled = await promote(', enabled: true')
  assert.equal(enabled.code, 1)
  assert.ok(
    enabled.err.includes(
      `Leave the provider disabled until the target has its secret, or name the secret as \${OSTIARY_SECRET_PROVIDERS_GOOGLE_CLIENT_SECRET} in a document of the target.`,
    ),
    enabled.err,
  )
  const given = await promote(`, client_secret: "\${OSTIARY_SECRET_PROVIDERS_GOOGLE_CLIENT_SECRET}"`)
  assert.deepEqual([given.code, /Values hold no secrets\. Leave the provider disabled/.test(given.err)], [2, true], given.err)
  assert.equal((await promote('')).code, 0)
  const file = (secret: string) => written('google.yaml', `version: 1\nproviders:\n  google: {enabled: true${secret}}\n`)
  const unnamed = await ostiary(['apply', '--file', file(''), '--yes', ...inLive])
  assert.equal(unnamed.code, 1)
  assert.match(
    unnamed.err,
    /google\.yaml:3:\d+: error: .* Name it in the document as \$\{OSTIARY_SECRET_PROVIDERS_GOOGLE_CLIENT_SECRET\}, .* Or leave the provider disabled\. \(secret_required\)/,
  )
  const google = { OSTIARY_SECRET_PROVIDERS_GOOGLE_CLIENT_SECRET: 'of Live' }
  const named_file = file(`, client_secret: "\${OSTIARY_SECRET_PROVIDERS_GOOGLE_CLIENT_SECRET}"`)
  assert.equal((await ostiary(['apply', '--file', named_file, '--yes', ...inLive], { secrets: google })).code, 0)

  const corp = 'type: oidc, client_id: live, enabled: false'
  const issuer = (host: string, secret = '') =>
    written('corp.yaml', `version: 1\nproviders:\n  corp: {${corp}, issuer: https://${host}${secret}}\n`)
  const of_corp = { secrets: { OSTIARY_SECRET_PROVIDERS_CORP_CLIENT_SECRET: 'of corp' } }
  const with_name = `, client_secret: "\${OSTIARY_SECRET_PROVIDERS_CORP_CLIENT_SECRET}"`
  assert.equal((await ostiary(['apply', '--file', issuer('one.example', with_name), '--yes', ...inLive], of_corp)).code, 0)
  const moved = await ostiary(['apply', '--file', issuer('two.example'), '--yes', ...inLive], of_corp)
  assert.equal(moved.code, 1)
  assert.match(
    moved.err,
    /A new issuer needs its own secret\. Name it in the document as \$\{\w+\}, and give its value with the call that applies the plan\. \(/,
  )
  assert.equal((await ostiary(['apply', '--file', issuer('two.example', with_name), '--yes', ...inLive], of_corp)).code, 0)
})

test('a file without a change that names a stored secret leaves one record, however often it is applied with an equal secret', async () => {
  const { path } = w.live
  const promotions = async (): Promise<{ id: string; status: string }[]> =>
    expectStatus(200, await w.call('GET', `/v1/platform/projects/${w.project.id}/promotions?limit=100`)).data
  const version = async () => expectStatus(200, await w.call('GET', path)).config_version
  const file = written('stored.yaml', named('stored.example'))
  const apply = (value: string, ...more: string[]) =>
    ostiary(['apply', '--file', file, '--yes', ...more, ...inLive], { secrets: { [name]: value } })
  assert.equal((await apply('one', '--overwrite')).code, 0)
  const [before, at] = [await promotions(), await version()]
  for (let run = 0; run < 3; run++) {
    const { code, out, err } = await apply('one')
    assert.deepEqual([code, out], [0, 'live: nothing to change\n'])
    assert.match(err, /^live has the secrets that were given: pro_\w+\n$/)
  }
  const [newest, ...others] = await promotions()
  assert.deepEqual([others, newest?.status, await version()], [before, 'applied', at])

  assert.match((await apply('two')).err, /^live has the secrets that were given: /)
  assert.equal(await version(), at + 1)
  assert.equal(JSON.parse((await apply('two', '--json')).out).status, 'applied')
  assert.equal((await promotions()).length, before.length + 2, 'the one with the new secret stays')

  const nothing = await ostiary(['apply', '--file', file, '--yes', ...inLive])
  assert.deepEqual(nothing, { code: 0, out: 'live: nothing to change\n', err: '' })
  assert.equal((await promotions()).length, before.length + 2)
})
