/** Users who come with the password hashes of another system: creation by a backend, sign-ins, and addresses without an account (decision 0207). */
import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { findDecoy } from '../../src/domain/users/decoys.ts'
import { administratorToken } from '../support/administrator.ts'
import { passwordStep, stepOn } from '../support/authenticator-app.ts'
import { costs, forms, malformed, passwords } from '../support/foreign-hashes.ts'
import { createAuthKey } from '../support/tenants.ts'
import { expectStatus, owner, type TestEnvironment, types_of_run, world } from '../support/world.ts'

const w = await world()
const { db } = w.deployment

const hashOf = async (id: string) =>
  (await db.maybeOne(z.object({ password_hash: z.string() }), sql`select password_hash from users where id = ${id}`))?.password_hash ?? ''

let users = 0
async function setUp(environment: TestEnvironment) {
  await w.changeSettings(environment, { email: { delivery: 'none' }, lockout: { max_attempts: 100 } })
  const { key } = await createAuthKey(w, environment, 'auth_secret')
  const client = await w.createApplication(environment)
  const backend = (method: string, path = '', body?: unknown) => w.call(method, `/v1/auth/users${path}`, { key, body })
  const create = async (password_hash: string, fields: object = {}) => {
    const email = `foreign${++users}@example.com`
    const user = expectStatus(201, await backend('POST', '', { email, email_verified: true, password_hash, ...fields }))
    return { id: String(user.id), email, user }
  }
  const signIn = (email: string, password: string) => passwordStep(environment, client, { email, password })
  const algorithmOf = async (id: string) => {
    const { data } = expectStatus(200, await backend('GET', `/${id}/methods`))
    return data.map(({ type, algorithm }: { type: string; algorithm: string }) => [type, algorithm])
  }
  return { environment, backend, create, signIn, algorithmOf }
}

const as_administrator = { key: null, headers: { authorization: `Bearer ${await administratorToken(w, owner)}` } }

const [pbkdf2 = ''] = forms.find(({ algorithm }) => algorithm === 'pbkdf2-sha256')?.hashes ?? []
const [first_password, , long] = passwords

for (const type of types_of_run) {
  const { backend, create, signIn, algorithmOf } = await setUp(w[type])

  for (const [i, { made_by, algorithm, hashes }] of forms.entries()) {
    const which = i % passwords.length
    test(`the right password signs in at the first try, a wrong one does not, and the hash is ours after it: ${made_by} (${type})`, async () => {
      const password = passwords[which] ?? ''
      const { id, email, user } = await create(hashes[which] ?? '')
      assert.deepEqual([user.has_password, user.password_hash, user.password], [true, undefined, undefined])
      assert.deepEqual(await algorithmOf(id), [['password', algorithm]])
      const foreign = await hashOf(id)
      assert.equal(stepOn((await signIn(email, `x${password}`)).page), 'sign-in')
      assert.equal(await hashOf(id), foreign, 'a wrong password changes nothing')
      assert.ok((await signIn(email, password)).code)
      const ours = await hashOf(id)
      assert.match(ours, /^\$argon2id\$/)
      assert.deepEqual(await algorithmOf(id), [['password', 'argon2id']])
      for (const spelling of [password, password.normalize('NFKC')]) assert.ok((await signIn(email, spelling)).code, 'in any spelling')
      assert.equal(await hashOf(id), ours, 'a hash is replaced once')
    })
  }

  test(`bcrypt lets in a person who knows the first 72 bytes, and after the next sign-in the whole password is needed (${type})`, async () => {
    const [, , hash] = forms.find(({ algorithm }) => algorithm === 'bcrypt')?.hashes ?? []
    const { email } = await create(hash ?? '')
    const other = `${Buffer.from(long).subarray(0, 72)} and another end`
    assert.ok((await signIn(email, long)).code)
    assert.equal((await signIn(email, other)).code, null)
    const again = await create(hash ?? '')
    assert.ok((await signIn(again.email, other)).code)
    assert.equal((await signIn(again.email, long)).code, null)
  })

  test(`a password in the normalised form signs in too, where the other system normalised (${type})`, async () => {
    const { email } = await create(pbkdf2)
    assert.ok((await signIn(email, first_password.replace('1', '\uff11'))).code)
  })

  test(`a hash that is not taken is 422 at /password_hash with a sentence, and creates nobody (${type})`, async () => {
    const refused = [...malformed, ...costs.map(([, beyond]): [string, string] => ['a cost beyond the bounds', beyond])]
    for (const [what, password_hash] of refused) {
      const email = `refused${++users}@example.com`
      const { body, status } = await backend('POST', '', { email, password_hash })
      assert.deepEqual([status, body.errors?.length, body.errors?.[0]?.pointer], [422, 1, '/password_hash'], what)
      assert.ok(password_hash.length < 20 || !JSON.stringify(body).includes(password_hash), what)
      assert.equal(expectStatus(200, await backend('GET', `?email=${email}`)).data.length, 0)
    }
  })

  test(`a hash beside a password, in a change, or of another type is 422 at /password_hash (${type})`, async () => {
    const email = `refused${++users}@example.com`
    const { id } = await create(pbkdf2)
    const before = await hashOf(id)
    for (const refused of [
      await backend('POST', '', { email, password_hash: pbkdf2, password: 'a memorable sentence' }),
      await backend('POST', '', { email, password_hash: pbkdf2, password: null }),
      await backend('POST', '', { email, password_hash: null }),
      await backend('POST', '', { email, password_hash: '' }),
      await backend('POST', '', { email, password_hash: { text: pbkdf2 } }),
      await backend('PATCH', `/${id}`, { password_hash: pbkdf2 }),
      await backend('PATCH', `/${id}`, { password_hash: null }),
    ]) {
      expectStatus(422, refused)
      assert.deepEqual(
        refused.body.errors.map(({ pointer }: { pointer: string }) => pointer),
        ['/password_hash'],
      )
      assert.ok(!JSON.stringify(refused.body).includes(pbkdf2))
    }
    assert.equal(await hashOf(id), before)
  })

  test(`the policy of the environment does not judge the password of a hash (${type})`, async () => {
    await w.changeSettings(w[type], { password: { min_length: 128 } })
    const { email } = await create(pbkdf2)
    assert.ok((await signIn(email, first_password)).code)
    await w.changeSettings(w[type], { password: { min_length: 12 } })
  })

  test(`of fifty sign-ins at the same time all succeed, and one replaces the hash (${type})`, async () => {
    const { id, email } = await create(pbkdf2)
    const hashes = new Set<string>()
    const done = await Promise.all(
      Array.from({ length: 50 }, async () => {
        let done = await signIn(email, first_password)
        while (done.page.status === 503 && stepOn(done.page) === 'sign-in') done = await signIn(email, first_password) // a slow machine
        hashes.add(await hashOf(id))
        return done.code === null ? `${done.page.status} ${stepOn(done.page)}` : 'signed in'
      }),
    )
    assert.deepEqual(new Set(done), new Set(['signed in']))
    assert.equal(hashes.size, 1)
    assert.match(await hashOf(id), /^\$argon2id\$/)
  })

  test(`a blocked account keeps its hash, and a new password replaces it (${type})`, async () => {
    const { id, email } = await create(pbkdf2)
    const before = await hashOf(id)
    expectStatus(200, await backend('POST', `/${id}/block`))
    assert.equal((await signIn(email, first_password)).code, null)
    assert.equal(await hashOf(id), before)
    expectStatus(200, await backend('POST', `/${id}/unblock`))
    expectStatus(200, await backend('PATCH', `/${id}`, { password: 'a memorable sentence' }))
    assert.equal((await signIn(email, first_password)).code, null)
    assert.ok((await signIn(email, 'a memorable sentence')).code)
  })

  test(`no answer, event, entry of the audit log, export or line of the log has a hash (${type})`, async () => {
    const { id, email } = await create(pbkdf2)
    await signIn(email, first_password)
    const [, , , salt = '', digest = ''] = pbkdf2.split('$')
    assert.ok(salt.length > 10 && digest.length > 10)
    const { path } = w[type]
    for (const reply of [
      await backend('GET', `/${id}`),
      await backend('GET', `/${id}/methods`),
      await backend('GET', '?limit=100'),
      await w.call('GET', `${path}/events?limit=100`),
      await w.call('GET', `/v1/tenants/${w.tenant_id}/audit-log?limit=100`, as_administrator),
    ]) {
      expectStatus(200, reply)
      for (const secret of [salt, digest, 'foreign:', 'password_hash']) assert.ok(!JSON.stringify(reply.body).includes(secret), secret)
    }
    const lines = w.log.join('\n')
    assert.ok(lines.length > 0)
    for (const secret of [salt, digest]) assert.ok(!lines.includes(secret))
  })
}

test('an unknown address and an account without a password cost what the accounts of their environment cost', async () => {
  const project = await w.createProject('costs')
  const { create, signIn, environment } = await setUp(project.test)
  let computed = 0
  const hook = createHook({
    init(_, type) {
      if (type === 'PBKDF2REQUEST') computed += 1
    },
  })
  const costOf = async (email: string) => {
    computed = 0
    hook.enable()
    await signIn(email, 'a wrong password')
    hook.disable()
    return computed
  }
  assert.equal(await costOf('unknown@example.com'), 0, 'nobody has a password')
  const { email } = await create(pbkdf2)
  const bare = await w.createUser(environment)
  await db.run(sql`update users set password_hash = null where id = ${bare.id}`)
  for (const [what, address] of [
    ['known', email],
    ['unknown', 'unknown@example.com'],
    ['without a password', bare.email],
  ] as const)
    assert.equal(await costOf(address), 1, what)
})

test('unknown addresses meet the kinds and costs of their environment in their proportions, and each always the same', async () => {
  const project = await w.createProject('proportions')
  const [environment, other] = [project.test, project.live]
  const counts: [hash: string | null, users: number][] = [
    ['foreign:a', 250],
    ['foreign:b', 150],
    ['ours', 100],
    [null, 250],
  ]
  const insert = (environment_id: string, password_hash: string | null) => {
    const id = w.deployment.newId('usr')
    return sql`insert into users (environment_id, id, email, email_key, email_verified, phone_number_verified, metadata, password_hash, created_at, updated_at)
      values (${environment_id}, ${id}, ${id}, ${id}, 1, 0, '{}', ${password_hash}, ${w.now()}, ${w.now()})`
  }
  assert.equal(await findDecoy(w.deployment, environment.id, 'a@example.com'), null)
  const rows = counts.flatMap(([hash, count]) => Array.from({ length: count }, () => insert(environment.id, hash)))
  await db.many.batch([...rows, insert(other.id, 'foreign:other')])
  const addresses = Array.from({ length: 1_000 }, (_, i) => `person${i}@example.com`)
  const met = await Promise.all(addresses.map((email) => findDecoy(w.deployment, environment.id, email)))
  for (const [hash, count] of counts.filter(([hash]) => hash !== null)) {
    const share = met.filter((each) => each === hash).length / addresses.length
    // Five standard deviations: of the parts of the circle that so many users have by chance, and of a thousand addresses.
    const expected = count / 500
    const deviation = Math.sqrt(expected * (1 - expected) * (1 / 500 + 1 / 1_000))
    assert.ok(Math.abs(share - expected) < 5 * deviation, `${hash}: ${share} of ${expected}`)
  }
  const again = await Promise.all(addresses.map((email) => findDecoy(w.deployment, environment.id, email.toUpperCase())))
  assert.deepEqual(again, met)
  assert.equal(await findDecoy(w.deployment, other.id, 'a@example.com'), 'foreign:other')
})
