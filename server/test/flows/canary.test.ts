/** After every flow neither the log nor the database contains a secret. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { authorizationRequest, createAgent, createPerson, exchange, formOf, refresh, revoke, userinfo } from '../support/cookie-browser.ts'
import { enterMailedCode } from '../support/mailed.ts'
import { expectStatus, randomText, world } from '../support/world.ts'

const w = await world()
const secrets = new Map<string, string>()
const keep = (what: string, ...values: (string | null | undefined)[]) => {
  for (const value of values) if (value) secrets.set(value, what)
}

/** The secrets of each kind. */
const byKind = () => [...Map.groupBy(secrets.keys(), (secret) => secrets.get(secret) ?? '')]

for (const environment of [w.test, w.live]) {
  for (const format of ['jwt', 'opaque'] as const) {
    test(`people sign up, sign in and sign out, clients exchange, refresh and revoke, and some requests are wrong (${environment.type}, ${format})`, async () => {
      await w.changeSettings(environment, {
        tokens: { access_token_format: format, refresh_retry_window_seconds: format === 'jwt' ? 0 : 30 },
      })
      const client = await w.createApplication(environment)
      const spa = await w.createApplication(environment, { application_type: 'spa', consent: 'ask' })
      const rotated = expectStatus(200, await w.call('POST', `${environment.path}/applications/${client.id}/rotate-secret`))
      keep('client secret', client.client_secret, rotated.client_secret)
      const person = await createPerson(w, environment, { password: `password ${randomText()}` })
      keep('password', person.password)

      for (const application of [{ ...client, client_secret: rotated.client_secret }, spa]) {
        const { request, code } = await person.code(application)
        const first = expectStatus(200, await exchange(w, environment, application, { request, code }))
        const second = expectStatus(200, await refresh(w, environment, application, first.refresh_token))
        const again = await refresh(w, environment, application, first.refresh_token)
        keep('code', code)
        keep('code verifier', request.code_verifier)
        keep('state', request.state)
        for (const { access_token, refresh_token, id_token } of [first, second, again.body]) {
          keep('access token', access_token)
          keep('refresh token', refresh_token)
          keep('ID token', id_token)
        }
        await userinfo(w, environment, second.access_token)
        const in_address = await w.call('GET', `${environment.issuer}/v1/oauth/userinfo?access_token=${second.access_token}`, { key: null })
        assert.equal(in_address.status, 401)
        await revoke(w, environment, application, second.refresh_token)
        await exchange(w, environment, application, { request, code })
        const wrong = `wrong secret ${randomText()}`
        keep('wrong client secret', wrong)
        await exchange(w, environment, { ...application, client_secret: wrong }, { request, code })
      }

      const typed = `typed into the wrong field ${randomText()}`
      const mistyped = `mistyped ${randomText()}`
      const own = `a password of my own ${randomText()}`
      keep('password', typed, mistyped, own)
      const agent = createAgent()
      const page = await agent.get(authorizationRequest(environment, client).url)
      keep('form token', formOf(page.body).hidden.csrf)
      for (const form of [
        { email: person.email, password: mistyped },
        { email: typed, password: typed },
        { email: `${typed}@example.com`, password: mistyped },
      ])
        await agent.submit(page, form)
      const new_page = await agent.get(authorizationRequest(environment, client, { prompt: 'create' }).url)
      const signed_up = await agent.submit(new_page, { email: `new.${format}@example.com`, password: own })
      if (environment === w.live) expectStatus(303, signed_up)
      else {
        await agent.submit(signed_up, { code: '000000' })
        expectStatus(303, await enterMailedCode(w, environment, { agent, page: signed_up }, `new.${format}@example.com`))
        const forgot = await agent.get(
          `${environment.issuer}/forgot-password${new URL(authorizationRequest(environment, client).url).search}`,
        )
        await agent.submit(forgot, { email: `new.${format}@example.com` })
      }
      // The cookie of the last used method contains its name.
      for (const browser of [person.agent, agent])
        for (const [name, value] of browser.cookies)
          if (!name.includes('_last_')) keep(`cookie ${name}`, value, ...value.split('.').filter((part) => part.length > 30))
      await agent.submit(await agent.get(`${environment.issuer}/oauth/logout`), { decision: 'sign_out' })
    })
  }
}

test('the log holds none of these secrets', async (t) => {
  keep('API key', w.key)
  const log = w.log.join('\n')
  assert.ok(log.length > 10_000 && secrets.size > 60)
  for (const [what, values] of byKind()) await t.test(what, () => assert.equal(values.filter((secret) => log.includes(secret)).length, 0))
})

for (const word of ['code=', 'access_token', 'password=', 'Bearer', 'Basic', 'ostiary_session', 'example.com'])
  test(`the log does not hold ${word}`, () => assert.ok(!w.log.join('\n').includes(word)))

const Name = z.object({ name: z.string() })
const Text = z.object({ text: z.string() })

/** Everything that the database stores: the bytes of its files, or the text of the rows of a server. */
async function readDatabase(): Promise<(readonly [where: string, bytes: Buffer])[]> {
  const { db } = w.deployment
  if (db.engine === 'sqlite') {
    const files = readdirSync(w.data_dir).filter((name) => name !== 'master.key')
    assert.ok(files.some((name) => name.endsWith('.db')) && files.some((name) => name.endsWith('-wal')))
    return files.map((name) => [name, readFileSync(join(w.data_dir, name))])
  }
  const tables = await db.all(Name, sql`select table_name as name from information_schema.tables where table_schema = current_schema()`)
  assert.ok(tables.length > 10)
  return Promise.all(
    tables.map(async ({ name }) => {
      const rows = await db.all(Text, { ...sql``, parts: [`select t::text as text from ${name} t`] })
      return [name, Buffer.from(rows.map(({ text }) => text).join())] as const
    }),
  )
}

test('the database holds none of these secrets, and no private or master key', async (t) => {
  const [master_key = Buffer.from(readFileSync(join(w.data_dir, 'master.key'), 'utf8'), 'base64')] = w.deployment.config.master_keys ?? []
  keep('master key', master_key.toString('base64'))
  const database = await readDatabase()
  const holding = (secret: string | Buffer) => database.filter(([, bytes]) => bytes.includes(secret)).map(([where]) => where)
  for (const [what, values] of byKind()) await t.test(what, () => assert.deepEqual(values.flatMap(holding), []))
  for (const [what, bytes] of Object.entries({
    'PEM of a private key': 'PRIVATE KEY',
    'JWK of a private key': '"d":',
    'bytes of the master key': master_key,
  }))
    await t.test(what, () => assert.deepEqual(holding(bytes), []))
})
