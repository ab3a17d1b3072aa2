import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { startCpuTimer } from '../../test/support/cpu-time.ts'
import { isWithin, type Network, parseAddress, parseNetworks } from '../base/networks.ts'
import { clientIp } from './client-ip.ts'

function networks(list: string): Network[] {
  const parsed = parseNetworks(list)
  return 'networks' in parsed ? parsed.networks : assert.fail(JSON.stringify(parsed.wrong))
}
const trusted = networks('10.0.0.0/8, 2001:db8:a::/48')

// biome-ignore format: this table is read by column
const cases = [
  { rule: 'a direct peer is the client',                         socket: '198.51.100.1',        header: undefined,                          ip: '198.51.100.1' },
  { rule: 'a direct peer cannot claim another address',          socket: '198.51.100.1',        header: '192.0.2.7',                        ip: '198.51.100.1' },
  { rule: 'a direct peer cannot claim a proxy\'s address',       socket: '198.51.100.1',        header: '192.0.2.7, 10.0.0.1',              ip: '198.51.100.1' },
  { rule: 'a trusted proxy names its peer',                    socket: '10.0.0.1',            header: '192.0.2.7',                        ip: '192.0.2.7' },
  { rule: 'an entry that the client wrote is ignored',   socket: '10.0.0.1',            header: '127.0.0.1, 192.0.2.7',             ip: '192.0.2.7' },
  { rule: 'a proxy names the next proxy',                        socket: '10.0.0.1',            header: '192.0.2.7, 10.9.9.9',              ip: '192.0.2.7' },
  { rule: 'trust ends at the first untrusted address',                    socket: '10.0.0.1',            header: '10.0.0.2, 192.0.2.7, 10.9.9.9',    ip: '192.0.2.7' },
  { rule: 'in a chain of proxies only, the outermost counts',     socket: '10.0.0.1',            header: '10.0.0.3, 10.0.0.2',               ip: '10.0.0.3' },
  { rule: 'a proxy that names no peer is the client itself',   socket: '10.0.0.1',            header: undefined,                          ip: '10.0.0.1' },
  { rule: 'an empty header names no peer',                     socket: '10.0.0.1',            header: '',                                 ip: '10.0.0.1' },
  { rule: 'empty elements are ignored',                          socket: '10.0.0.1',            header: '192.0.2.7, ,',                     ip: '192.0.2.7' },
  { rule: 'repeated headers are one list',                       socket: '10.0.0.1',            header: ['127.0.0.1', '192.0.2.7, 10.0.0.2'], ip: '192.0.2.7' },
  { rule: 'a mapped socket address is its IPv4',                 socket: '::ffff:198.51.100.1', header: undefined,                          ip: '198.51.100.1' },
  { rule: 'a mapped proxy is its IPv4',                          socket: '::ffff:10.0.0.1',     header: '::ffff:192.0.2.7',                 ip: '192.0.2.7' },
  { rule: 'IPv6 proxies are trusted too',                      socket: '2001:db8:a::1',       header: '2001:DB8:0:0::7',                  ip: '2001:db8::7' },
  { rule: 'a port is left out',                                  socket: '10.0.0.1',            header: '192.0.2.7:4711',                   ip: '192.0.2.7' },
  { rule: 'brackets and a port are left out',                    socket: '10.0.0.1',            header: '[2001:db8::7]:4711',               ip: '2001:db8::7' },
  { rule: 'the zone of a socket address is left out',            socket: 'fe80::1%eth0',        header: undefined,                          ip: 'fe80::1' },
  { rule: 'garbage from a proxy is an unknown address',          socket: '10.0.0.1',            header: '192.0.2.7, unknown',               ip: null },
  { rule: 'garbage behind an untrusted address is never read',             socket: '10.0.0.1',            header: 'garbage, 192.0.2.7',               ip: '192.0.2.7' },
  { rule: 'octal from a proxy is an unknown address',            socket: '10.0.0.1',            header: '0300.0.2.7',                       ip: null },
  { rule: 'a zone from a proxy is an unknown address',           socket: '10.0.0.1',            header: 'fe80::1%eth0',                     ip: null },
  { rule: 'quotes from a proxy are an unknown address',          socket: '10.0.0.1',            header: '"192.0.2.7"',                      ip: null },
  { rule: 'an IPv4-compatible address is not mapped',         socket: '::10.0.0.1',          header: '192.0.2.7',                        ip: '::a00:1' },
  { rule: 'a Unix socket has no address',                        socket: undefined,             header: '192.0.2.7',                        ip: null },
  { rule: 'a socket with a broken address has an unknown one',             socket: '',                    header: '192.0.2.7',                        ip: null },
] as const
for (const { rule, socket, header, ip } of cases) {
  test(`${rule}`, () => assert.equal(clientIp(socket, header, trusted), ip))
}

test('without trusted proxies the header is ignored', () => {
  fc.assert(fc.property(fc.ipV4(), fc.string(), (socket, header) => clientIp(socket, header, []) === socket))
})
test('every header yields an address or null', () => {
  const piece = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string({ maxLength: 60 }), fc.constantFrom('10.0.0.1', ',', '[', ']:1', '::', '%', ''))
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const ip = clientIp('10.0.0.1', pieces.join(','), trusted)
      assert.ok(ip === null || parseAddress(ip)?.toString() === ip)
    }),
  )
})
test('entries that a client sends before its proxy never count', () => {
  const sent = fc.array(fc.oneof(fc.ipV4(), fc.string()), { maxLength: 5 })
  fc.assert(fc.property(sent, (spoofed) => clientIp('10.0.0.1', [...spoofed, '192.0.2.7'].join(', '), trusted) === '192.0.2.7'))
})
test('what the client wrote to the left of the address that counts is not read', () => {
  let elements = 0
  const { trim } = String.prototype
  String.prototype.trim = function (this: string) {
    elements++
    return trim.call(this)
  }
  try {
    assert.equal(clientIp('10.0.0.1', `${','.repeat(28_000)}192.0.2.7, 10.0.0.2`, trusted), '192.0.2.7')
  } finally {
    String.prototype.trim = trim
  }
  assert.ok(elements <= 2, `${elements} elements were read`)
})

test('a long hostile header takes little time to read', () => {
  const usedCpuMs = startCpuTimer()
  for (const unit of ['1.', ':', '::1,', 'a:', '1:', '[', ',', '0.']) clientIp('10.0.0.1', unit.repeat(16_000), trusted)
  assert.ok(usedCpuMs() < 500)
})

test('a list of networks may have spaces, single addresses and a comma at its end', () => {
  assert.deepEqual(
    networks(' 10.0.0.0/8 ,::1,').map(({ base, prefix }) => `${base}/${prefix}`),
    ['10.0.0.0/8', '::1/128'],
  )
  assert.deepEqual(networks(''), [])
})
test('a mapped network is its IPv4 network', () => {
  assert.deepEqual(
    networks('::ffff:10.0.0.0/104').map(({ base, prefix }) => `${base}/${prefix}`),
    ['10.0.0.0/8'],
  )
})
test('every wrong entry of a list is reported, and no network is accepted', () => {
  const parsed = parseNetworks('10.0.0.0/8,proxy.internal,10.0.0.1/8')
  assert.ok('wrong' in parsed)
  assert.deepEqual(
    parsed.wrong.map(({ entry }) => entry),
    ['proxy.internal', '10.0.0.1/8'],
  )
})

test('an address is within a network exactly if it shares its prefix', () => {
  fc.assert(
    fc.property(fc.ipV4(), fc.ipV4(), fc.integer({ min: 0, max: 32 }), (base, other, prefix) => {
      const number = (ip: string) => ip.split('.').reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
      const first = number(base) >> BigInt(32 - prefix)
      const bytes = [24n, 16n, 8n, 0n].map((shift) => ((first << BigInt(32 - prefix)) >> shift) & 255n)
      const address = parseAddress(other) ?? assert.fail()
      assert.equal(isWithin(address, networks(`${bytes.join('.')}/${prefix}`)), number(other) >> BigInt(32 - prefix) === first)
    }),
  )
})
