/** A proxy that OSTIARY_TRUSTED_PROXIES does not name is reported: once in the log, and for `doctor` in the database. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseNetworks } from '../../src/base/networks.ts'
import { findUntrustedForwarder } from '../../src/deployment/forwarders.ts'
import { world } from '../support/world.ts'

const trusting = (list: string) => {
  const parsed = parseNetworks(list)
  return 'networks' in parsed ? parsed.networks : assert.fail(list)
}

// biome-ignore format: this table is read by column
const requests = [
  { headers: { 'x-forwarded-for': '192.0.2.7' },                          proxies: '',            seen: '127.0.0.1' },
  { headers: { 'x-forwarded-proto': 'https' },                            proxies: '',            seen: '127.0.0.1' },
  { headers: { forwarded: 'for=192.0.2.7' },                              proxies: '10.0.0.0/8',  seen: '127.0.0.1' },
  { headers: { 'x-forwarded-for': '192.0.2.7' },                          proxies: '127.0.0.0/8', seen: null },
  { headers: { accept: 'application/json' },                              proxies: '',            seen: null },
]
for (const { headers, proxies, seen } of requests)
  test(`${Object.keys(headers)[0]} from 127.0.0.1 is ${seen ? '' : 'not '}reported where ${proxies || 'nothing'} is trusted`, async () => {
    const w = await world({ env: { OSTIARY_TRUSTED_PROXIES: proxies } })
    for (let i = 0; i < 3; i++) await w.call('GET', '/v1/api-keys/whoami', { headers })
    await w.deployment.forwarders.write()
    assert.equal((await findUntrustedForwarder(w.deployment))?.address ?? null, seen)
    const lines = w.log.filter((line) => line.includes('OSTIARY_TRUSTED_PROXIES'))
    assert.equal(lines.length, seen ? 1 : 0)
  })

test('an untrusted proxy is no longer reported when it is named, and after a day', async () => {
  const w = await world()
  await w.call('GET', '/v1/api-keys/whoami', { headers: { 'x-forwarded-for': '192.0.2.7' } })
  await w.deployment.forwarders.write()
  const config = { ...w.deployment.config, trusted_proxies: trusting('127.0.0.1/32') }
  assert.equal(await findUntrustedForwarder({ ...w.deployment, config }), null)
  w.advance(86_000)
  assert.notEqual(await findUntrustedForwarder(w.deployment), null)
  w.advance(401)
  assert.equal(await findUntrustedForwarder(w.deployment), null)
})

test('the row of an untrusted proxy is written again ten minutes later at the earliest', async () => {
  const w = await world()
  const ask = async () => {
    await w.call('GET', '/v1/api-keys/whoami', { headers: { 'x-forwarded-for': '192.0.2.7' } })
    await w.deployment.forwarders.write()
    return (await findUntrustedForwarder(w.deployment))?.at
  }
  const first = await ask()
  w.advance(300)
  assert.equal(await ask(), first)
  w.advance(301)
  assert.notEqual(await ask(), first)
})
