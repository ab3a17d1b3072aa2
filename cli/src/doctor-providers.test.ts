import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertIdentity } from '@ostiary/server/domain/providers/store.ts'
import { world } from '../../server/test/support/world.ts'
import { checkProviderAddresses } from './doctor-providers.ts'

const w = await world()
const addressOf = (length: number, name = 'a') => `${name.repeat(length - 16)}@bigcorp.example`

async function link(email: string) {
  const user = await w.createUser(w.test, { email, email_verified: true })
  const identity = { provider_id: 'prv_1', issuer: 'https://sso.example.com', subject: email }
  assert.ok(
    await w.deployment.db.batch([insertIdentity(w.test.id, identity, { id: w.deployment.newId('mth'), user_id: user.id }, w.now())]),
  )
  return user.id
}

test('doctor names the accounts of a provider whose address has exactly 200 characters, and no other', async () => {
  for (const length of [30, 199, 201, 254]) await link(addressOf(length))
  await w.createUser(w.test, { email: addressOf(200, 'n'), email_verified: true })
  assert.equal((await checkProviderAddresses(w.deployment)).level, 'ok')

  const cut = [await link(addressOf(200)), await link(addressOf(200, 'b'))]
  for (const slice of [1, 2, 1_000]) {
    const { level, text } = await checkProviderAddresses(w.deployment, slice)
    assert.equal(level, 'warning')
    assert.match(text, /^2 accounts /)
    for (const id of cut) assert.ok(text.includes(`${id} (${w.test.id})`), text)
  }
})

test('doctor names at most 20 accounts and counts all', async () => {
  for (let n = 0; n < 20; n++) await link(addressOf(200, 'c').replace('c', String.fromCharCode(97 + n)))
  const { text } = await checkProviderAddresses(w.deployment)
  assert.match(text, /^22 accounts /)
  assert.equal(text.match(/usr_/g)?.length, 20)
})
