/** The lines for Squid in operate.md refuse what the service refuses without a proxy. Squid itself: `findings/squid-mixed-networks.sh`. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isPublicAddress } from '../src/base/addresses.ts'
import { type Address, isWithin, type Network, parseAddress, parseNetwork } from '../src/base/networks.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/operate.md'), 'utf8')
const listed = [...page.matchAll(/^acl private dst (.+)$/gm)].flatMap(([, list = '']) => list.split(' '))
const networks = listed.map((text): Network => {
  const network = parseNetwork(text)
  return typeof network === 'string' ? assert.fail(network) : network
})
/** Beside ::ffff:0:0/96: every larger network that contains that one also contains this address. */
const beside_ipv4 = '::fffe:0:0'
const addressOf = (text: string): Address => parseAddress(text) ?? assert.fail(`${text} cannot be read`)

test('no network of IPv6 contains IPv4, since Squid leaves out one of two networks that overlap', () => {
  const holds_ipv4 = networks.filter((network) => isWithin(addressOf(beside_ipv4), [network]))
  assert.deepEqual(holds_ipv4, [])
  assert.equal(new Set(listed).size, listed.length)
})

// biome-ignore format: this table is read by column
const refused = [
  '0.0.0.0', '10.0.0.1', '100.64.0.1', '127.0.0.1', '168.63.129.16', '169.254.169.254', '172.31.255.255', '192.0.0.192', '192.168.1.1', '198.18.0.1', '224.0.0.1', '255.255.255.255',
  '::', '::1', '::127.0.0.1', '64:ff9b::10.0.0.1', '64:ff9b:1::1', '100::1', '2001::1', '2002:a00:1::1', 'fc00::1', 'fd00:ec2::254', 'fe80::1', 'fec0::1', 'ff02::1',
]
for (const text of refused)
  test(`Squid refuses ${text}, as the service does`, () => {
    assert.deepEqual([isPublicAddress(addressOf(text)), isWithin(addressOf(text), networks)], [false, true])
  })

for (const text of ['1.1.1.1', '8.8.8.8', '2606:4700::1111'])
  test(`Squid reaches ${text}, which is public`, () => assert.equal(isWithin(addressOf(text), networks), false))
