/** The functions by which a sign-in asks for a passkey as its second factor. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OidcCall, OidcServices } from '../../src/oidc/call.ts'
import { beginPasskeyFactor, finishPasskeyFactor } from '../../src/oidc/interaction/passkey-second-factor.ts'
import { createIssuers } from '../../src/oidc/issuer.ts'
import { createKeyPool } from '../../src/oidc/signing-keys.ts'
import type { Changes } from '../support/authenticator.ts'
import { createPasskeyPerson } from '../support/passkeys.ts'
import { world } from '../support/world.ts'

const w = await world()
const { db } = w.deployment
await w.changeSettings(w.test, { sign_in: { passkey: true } })
const client = await w.createApplication(w.test)

test('as a second factor a passkey counts only for its user, its sign-in and once', async () => {
  const issuer = await createIssuers(w.deployment, createKeyPool(1)).find(w.test.id)
  assert.ok(issuer)
  const call = { issuer, now: w.now(), headers: {} } as unknown as OidcCall // as: the members that a ceremony reads
  const services = w.deployment as unknown as OidcServices // as: a ceremony uses the deployment only
  const [ada, ben] = [await createPasskeyPerson(w, w.test, client), await createPasskeyPerson(w, w.test, client)]
  assert.equal(await beginPasskeyFactor(services, call, { user_id: (await w.createUser(w.test)).id, waiting: 'one' }), null)
  const waiting = { user_id: ada.id, waiting: 'one' }
  const options = JSON.parse((await beginPasskeyFactor(services, call, waiting)) ?? '{}')
  assert.deepEqual(options.allowCredentials, [{ id: ada.device.credential_id, type: 'public-key', transports: ['hybrid', 'internal'] }])
  const finish = (of: typeof waiting, from: typeof ada, change: Changes = {}) =>
    finishPasskeyFactor(services, call, of, JSON.stringify(from.device.get(options, change)))

  for (const [of, from, change] of [
    [waiting, ben, {}],
    [{ user_id: ben.id, waiting: 'one' }, ada, {}],
    [{ user_id: ada.id, waiting: 'two' }, ada, {}],
    [waiting, ada, { verified: false }],
    [waiting, ada, { wrong_signature: true }],
  ] as const)
    assert.ok('refusal' in (await finish(of, from, change)))
  const done = await finish(waiting, ada, { user_handle: null })
  assert.ok('statements' in done)
  assert.deepEqual([done.amr, done.passkey.user_id], [['hwk', 'user'], ada.id])
  assert.ok(await db.batch(done.statements))
  assert.equal(await db.batch(done.statements), null)
})
