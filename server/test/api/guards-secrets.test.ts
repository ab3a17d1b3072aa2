/** Secrets are shown once and their stored forms never: every row of the route table, the log, and the database file. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { z } from 'zod'
import { type Statement, sql } from '../../src/db/db.ts'
import { createPerson } from '../support/cookie-browser.ts'
import { ask, eachRow, rows, testRows, validRequest } from '../support/route-table.ts'
import { createTwoTenants } from '../support/tenants.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world({ env: { OSTIARY_LOG_LEVEL: 'debug' } })
const { ours, theirs } = await createTwoTenants(w)
const smtp_password = 'a password of a mail server'
await w.changeSettings(w.test, { email: { smtp: { host: 'smtp.example.com', password: smtp_password } } })
const person = await createPerson(w, w.test, { password: 'a password that stays secret' })
const confidential = await w.createApplication(w.test)
const tokens = await person.tokens(confidential)

/** Secrets that a creation has shown. */
const shown: string[] = []
for (const { name, route } of rows.filter(({ route }) => route.shown_once && route.returns[0] === 201)) {
  const answer = expectStatus(201, await ask(w, validRequest(route, ours)))
  const secret = answer[route.shown_once ?? '']
  assert.ok(typeof secret === 'string' && secret.length > 20, name)
  shown.push(secret)
}

const stored: [string, Statement][] = [
  ['digests of keys', sql`select digest as value from api_keys`],
  ['password hashes', sql`select password_hash as value from users where password_hash is not null`],
  ['digests of client secrets', sql`select client_secret_hash as value from applications where client_secret_hash is not null`],
  ['digests of all client secrets', sql`select secret_hash as value from application_secrets`],
  ['digests of session cookies', sql`select token_hash as value from sessions`],
  ['digests of refresh tokens', sql`select digest as value from refresh_chains`],
  ['digests of codes', sql`select code_hash as value from authorization_codes`],
  ['digests of invitations', sql`select token_hash as value from invitation_links`],
  ['digests of invitations to organizations', sql`select token_hash as value from organization_invitation_links`],
  ['sealed secrets of providers', sql`select client_secret as value from providers where client_secret is not null`],
  ['sealed secrets of webhooks', sql`select secret as value from webhooks`],
  ['sealed private keys', sql`select private_key as value from signing_keys`],
  ['the secret of the deployment', sql`select value from deployment`],
]

const plaintexts = [
  ...shown,
  ...[ours, theirs].flatMap((tenant) => [tenant.platform, tenant.token]),
  ...[ours.test, ours.live, theirs.test, theirs.live].flatMap(({ secret, publishable }) => [secret, publishable]),
  w.key,
  person.password,
  smtp_password,
  'of the other side',
  tokens.access_token,
  tokens.refresh_token,
  confidential.client_secret,
  // The cookie of the last used method contains its name.
  ...[...person.agent.cookies].filter(([name]) => !name.includes('_last_')).map(([, value]) => value),
]

const readable = rows.filter(({ route }) => route.method === 'GET')

test('no response to a GET holds a secret or its stored form', async (t) => {
  const secrets = [...plaintexts]
  for (const [kind, query] of stored) {
    const found = await w.deployment.db.all(z.object({ value: z.string() }), query)
    assert.ok(found.length > 0, `The test has no ${kind}.`)
    secrets.push(...found.map(({ value }) => value))
  }
  await eachRow(t, readable, async ({ name, route }) => {
    for (const environment of [ours.test, ours.live]) {
      const right = validRequest(route, ours, environment)
      for (const change of [{}, { path: `${right.path}?limit=100` }, { headers: { ...right.headers, accept: route.lines ?? '*/*' } }]) {
        const { status, body } = await ask(w, { ...right, ...change })
        const is_of_test_only = /\/inbox\b/.test(route.path) // Live captures no mail
        assert.equal(status, is_of_test_only && environment === ours.live ? 404 : 200, name)
        const text = typeof body === 'string' ? body : JSON.stringify(body)
        for (const secret of secrets) assert.ok(!text.includes(secret), `${name} shows ${secret}`)
      }
    }
  })
})

/** Members that no response has at any depth, including the private members of a JWK. */
const secret_names = /^(digest|.*_hash|password|client_secret|secret|private_key|key|token|version|changed_in|d|p|q|dp|dq|qi)$/
/** `password` is also the name of a group of settings. */
const settings_groups = new Set([
  'getConfiguration /version',
  'getConfiguration /settings/password',
  'getConfiguration /settings/sign_in/password',
  'getSettings /password',
  'changeSettings /password',
  'authConfig /sign_in/password',
  'getSettings /sign_in/password',
])

/** A document shows secrets by name. */
const isNameOfSecret = (value: unknown) => value === null || /^\$\{OSTIARY_SECRET_[A-Z0-9_]+\}$/.test(String(value))

function assertNoSecretNames(name: string, value: unknown, path: string): void {
  if (typeof value !== 'object' || value === null) return
  for (const [member, inner] of Object.entries(value)) {
    const here = `${path}/${Array.isArray(value) ? '' : member}`
    const may_have = settings_groups.has(`${name} ${here}`) || (name === 'getConfiguration' && isNameOfSecret(inner))
    assert.ok(Array.isArray(value) || !secret_names.test(member) || may_have, `${name} has ${here}`)
    assertNoSecretNames(name, inner, here)
  }
}

const without_audit = readable.filter(({ name }) => !/^(list|get)Audit/.test(name))
testRows('no response to a GET has a member with the name of a secret', without_audit, async ({ name, route }) => {
  assertNoSecretNames(name, (await ask(w, validRequest(route, ours))).body, '')
})

test('the log holds no secret, also not of a refused request', async () => {
  const body = { email: 'leak@example.com', password: 'a canary in the body' }
  for (const { route } of rows.filter((row) => row.route.method === 'POST')) {
    const right = validRequest(route, ours)
    await ask(w, { ...right, path: `${right.path}?canary=in-the-query`, body, headers: { 'x-api-key': 'canary-in-a-header' } })
    if (route.body) await ask(w, { ...right, path: `${right.path}?canary=in-the-query`, body })
  }
  const log = w.log.join('')
  assert.ok(log.includes('"request"'))
  for (const secret of [...plaintexts, 'a canary in the body', 'in-the-query', 'canary-in-a-header'])
    assert.ok(!log.includes(secret), secret)
})

test('the database holds no plaintext of a hashed or sealed value', async (t) => {
  const files = existsSync(join(w.data_dir, 'ostiary.db')) ? readdirSync(w.data_dir).filter((name) => name.startsWith('ostiary.db')) : []
  if (files.length === 0) return t.skip('The database is not a file.')
  const bytes = Buffer.concat(files.map((name) => readFileSync(join(w.data_dir, name))))
  assert.ok(bytes.includes(ours.platform_key_id))
  for (const secret of plaintexts) assert.ok(!bytes.includes(secret), secret)
})
