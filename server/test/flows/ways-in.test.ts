/** An environment keeps a way in: a method of its own or an enabled provider, and a second factor that people can enrol (decision 0047). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authorizationRequest, createAgent } from '../support/cookie-browser.ts'
import { overlapping } from '../support/overlapping-batches.ts'
import { expectStatus, type TestEnvironment, world } from '../support/world.ts'

const w = await world()

let projects = 0
/** An environment with these settings and providers. */
async function newEnvironment(type: 'test' | 'live', settings: object, providers: readonly boolean[]) {
  const environment = (await w.createProject(`ways-${++projects}`))[type]
  const ids: string[] = []
  for (const enabled of providers) {
    const body = { type: 'github', client_id: 'ours', client_secret: 'secret', enabled }
    ids.push(expectStatus(201, await w.call('POST', `${environment.path}/providers`, { body })).id)
  }
  expectStatus(200, await patchSettings(environment, settings))
  return { environment, ids }
}

const patchSettings = (environment: TestEnvironment, body: object) => w.call('PATCH', `${environment.path}/settings`, { body })
const passkeys = { test: { passkey: true }, live: { passkey: true, passkey_shared_host: true } }
const no_methods = { sign_in: { password: false } }

interface Case {
  rule: string
  settings?: object
  /** Whether each provider is enabled. */
  providers?: boolean[]
  act: (environment: TestEnvironment, provider: string) => ReturnType<typeof w.call>
  status: number
  pointer?: string
}

const onProvider = (method: 'PATCH' | 'DELETE', body?: object) => (environment: TestEnvironment, id: string) =>
  w.call(method, `${environment.path}/providers/${id}`, { body })
const onSettings = (body: object) => (environment: TestEnvironment) => patchSettings(environment, body)
const switchOff = onProvider('PATCH', { enabled: false })
const remove = onProvider('DELETE')

// biome-ignore format: this table is read by line
const cases = (type: 'test' | 'live'): Case[] => [
  { rule: 'the last method without a provider', act: onSettings(no_methods), status: 422, pointer: '/sign_in' },
  { rule: 'the last method with a disabled provider', providers: [false], act: onSettings(no_methods), status: 422, pointer: '/sign_in' },
  { rule: 'the last method with an enabled provider', providers: [true], act: onSettings(no_methods), status: 200 },
  { rule: 'the password while passkeys are on', settings: { sign_in: passkeys[type] }, act: onSettings(no_methods), status: 200 },
  { rule: 'every method at once', settings: { sign_in: passkeys[type] }, act: onSettings({ sign_in: { password: false, passkey: false } }), status: 422, pointer: '/sign_in' },
  { rule: 'the defaults of sign_in, which have the password', providers: [true], settings: no_methods, act: onSettings({ sign_in: null }), status: 200 },
  { rule: 'emailed codes without mail', act: onSettings({ sign_in: { email_code: true }, email: { delivery: 'none' } }), status: 422, pointer: '/sign_in/email_code' },
  { rule: 'a required second factor with nothing to enrol', act: onSettings({ mfa: { mode: 'required', totp: false } }), status: 422, pointer: '/mfa/mode' },
  { rule: 'a required second factor with passkeys alone', act: onSettings({ mfa: { mode: 'required', totp: false }, sign_in: passkeys[type] }), status: 200 },
  { rule: 'no passkeys while they alone can be enrolled', settings: { mfa: { mode: 'required', totp: false }, sign_in: passkeys[type] }, act: onSettings({ sign_in: { passkey: false } }), status: 422, pointer: '/mfa/mode' },
  { rule: 'no apps while passkeys can be enrolled', settings: { mfa: { mode: 'required' }, sign_in: passkeys[type] }, act: onSettings({ mfa: { totp: false } }), status: 200 },
  { rule: 'the last provider switched off', providers: [true], settings: no_methods, act: switchOff, status: 422, pointer: '/enabled' },
  { rule: 'the last provider deleted', providers: [true], settings: no_methods, act: remove, status: 422, pointer: '' },
  { rule: 'the last enabled provider deleted', providers: [true, false], settings: no_methods, act: remove, status: 422, pointer: '' },
  { rule: 'one of two providers switched off', providers: [true, true], settings: no_methods, act: switchOff, status: 200 },
  { rule: 'one of two providers deleted', providers: [true, true], settings: no_methods, act: remove, status: 204 },
  { rule: 'a disabled provider deleted', providers: [false, true], settings: no_methods, act: remove, status: 204 },
  { rule: 'another name of the last provider', providers: [true], settings: no_methods, act: onProvider('PATCH', { display_name: 'Ours' }), status: 200 },
  { rule: 'the last provider deleted beside a password', providers: [true], act: remove, status: 204 },
  { rule: 'the last provider switched off beside passkeys', providers: [true], settings: { sign_in: { password: false, ...passkeys[type] } }, act: switchOff, status: 200 },
]

for (const type of ['test', 'live'] as const)
  for (const { rule, settings = {}, providers = [], act, status, pointer } of cases(type))
    test(`${rule} is ${status} (${type})`, async () => {
      const { environment, ids } = await newEnvironment(type, settings, providers)
      const before = expectStatus(200, await w.call('GET', `${environment.path}/settings`))
      const reply = await act(environment, ids[0] ?? '')
      assert.equal(reply.status, status, JSON.stringify(reply.body))
      if (pointer === undefined) return
      assert.deepEqual([reply.body.code, reply.body.errors.map((error: any) => error.pointer)], ['validation_failed', [pointer]]) // any: a row
      assert.deepEqual(expectStatus(200, await w.call('GET', `${environment.path}/settings`)), before, 'nothing changed')
      const { data } = expectStatus(200, await w.call('GET', `${environment.path}/providers`))
      assert.deepEqual(data.map(({ enabled }: any) => enabled).sort(), [...providers].sort()) // any: a row
    })

const races: Record<string, (environment: TestEnvironment, ids: readonly string[], i: number) => ReturnType<typeof w.call>> = {
  'the password is switched off and the provider deleted': (environment, [id = ''], i) =>
    i % 2 ? remove(environment, id) : patchSettings(environment, no_methods),
  'the password and the provider are switched off': (environment, [id = ''], i) =>
    i % 2 ? switchOff(environment, id) : patchSettings(environment, no_methods),
}
for (const [what, act] of Object.entries(races))
  test(`a way in is left when ${what} in 50 parallel requests`, async () => {
    const { environment, ids } = await newEnvironment('test', {}, [true])
    const replies = await overlapping(w, () => Array.from({ length: 50 }, (_, i) => act(environment, ids, i)))
    const { sign_in } = expectStatus(200, await w.call('GET', `${environment.path}/settings`))
    const { data } = expectStatus(200, await w.call('GET', `${environment.path}/providers`))
    const enabled = data.filter((provider: any) => provider.enabled) // any: a row
    assert.ok(sign_in.password || enabled.length > 0, JSON.stringify(replies.map(({ status }) => status)))
    assert.ok(!sign_in.password || enabled.length === 0, 'one of both happened')
    const statuses = new Set(replies.map(({ status }) => status))
    assert.ok(statuses.has(422), [...statuses].join())
  })

test('a provider is left when two that are the only ways in are deleted in 50 parallel requests', async () => {
  const { environment, ids } = await newEnvironment('test', no_methods, [true, true])
  const replies = await overlapping(w, () => Array.from({ length: 50 }, (_, i) => remove(environment, ids[i % 2] ?? '')))
  const { data } = expectStatus(200, await w.call('GET', `${environment.path}/providers`))
  assert.equal(data.length, 1, JSON.stringify(replies.map(({ status }) => status)))
})

test('every enabled provider is offered, on the sign-in page and in the auth configuration, even after the twentieth', async () => {
  const { environment, ids } = await newEnvironment('test', no_methods, [false, ...Array<boolean>(25).fill(true)])
  const offered = ids.slice(1)
  const page = await createAgent().get(authorizationRequest(environment, await w.createApplication(environment)).url)
  assert.deepEqual([...page.body.matchAll(/name="provider" value="([^"]*)"/g)].map(([, id]) => id).sort(), offered)
  const key_body = { type: 'auth_publishable', allowed_origins: ['https://app.example.com'] }
  const { key } = expectStatus(201, await w.call('POST', `${environment.path}/auth-keys`, { body: key_body }))
  const config = expectStatus(200, await w.call('GET', '/v1/auth/config', { key, headers: { origin: 'https://app.example.com' } }))
  assert.deepEqual(config.sign_in.providers.map(({ id }: { id: string }) => id).sort(), offered)
})
