/** Passwords that were hashed as they were typed, before passwords were normalised. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hash } from '@node-rs/argon2'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { createPasswords } from '../../src/domain/users/password.ts'
import { passwordStep, stepOn } from '../support/authenticator-app.ts'
import { type TestEnvironment, world } from '../support/world.ts'

const w = await world()
const { db } = w.deployment
/** A ligature, a wide digit and a letter with its mark apart: NFKC changes all of them. */
const typed = 'My cafe\u0301 at the \ufb01rst corner \uff12'
const normal = typed.normalize('NFKC')

const hashOf = async (id: string) =>
  (await db.maybeOne(z.object({ password_hash: z.string() }), sql`select password_hash from users where id = ${id}`))?.password_hash ?? ''

async function setUp(environment: TestEnvironment) {
  await w.changeSettings(environment, { email: { delivery: 'none' } })
  const client = await w.createApplication(environment)
  const createOld = async () => {
    const user = await w.createUser(environment)
    const old = await hash(typed)
    await db.run(sql`update users set password_hash = ${old} where id = ${user.id}`)
    return { ...user, old }
  }
  const signIn = (email: string, password: string) => passwordStep(environment, client, { email, password })
  return { environment, createOld, signIn }
}

for (const { environment, createOld, signIn } of [await setUp(w.test), await setUp(w.live)]) {
  test(`a person with an old hash signs in, and from then on with any spelling (${environment.type})`, async () => {
    const { id, email, old } = await createOld()
    const before = await signIn(email, normal)
    assert.deepEqual([stepOn(before.page), before.code], ['sign-in', null], 'the old hash is of the typed form')
    assert.equal(await hashOf(id), old)
    assert.ok((await signIn(email, typed)).code)
    const renewed = await hashOf(id)
    assert.notEqual(renewed, old)
    assert.equal(await createPasswords().verify(renewed, normal), 'normalised')
    for (const spelling of [typed, normal]) assert.ok((await signIn(email, spelling)).code)
    assert.equal(await hashOf(id), renewed, 'a hash is renewed once')
    assert.equal(stepOn((await signIn(email, `${typed}!`)).page), 'sign-in')
  })
}

test('of several sign-ins at the same time one renews the hash, and all succeed', async () => {
  const { createOld, signIn } = await setUp(w.test)
  const { id, email, old } = await createOld()
  const done = await Promise.all([1, 2, 3].map(() => signIn(email, typed)))
  assert.ok(done.every(({ code }) => code))
  assert.notEqual(await hashOf(id), old)
})

test('a blocked account keeps its old hash, and a wrong password renews none', async () => {
  const { createOld, signIn } = await setUp(w.test)
  const { id, email, old } = await createOld()
  assert.equal((await signIn(email, `${typed}x`)).code, null)
  await db.run(sql`update users set blocked_at = ${w.now()} where id = ${id}`)
  assert.equal((await signIn(email, typed)).code, null)
  assert.equal(await hashOf(id), old)
})
