import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isPrivateLiteral, isPublicAddress, literalAddress, mayReach } from './addresses.ts'
import { parseAddress, parseNetworks } from './networks.ts'

const address = (text: string) => parseAddress(text) ?? assert.fail(text)
const allowed = (list: string) => {
  const result = parseNetworks(list)
  return 'networks' in result ? result.networks : assert.fail(list)
}

// biome-ignore format: this table is read by line
const forbidden: { what: string; addresses: string[] }[] = [
  { what: 'this network', addresses: ['0.0.0.0', '0.0.0.1', '0.255.255.255'] },
  { what: 'private IPv4', addresses: ['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255'] },
  { what: 'carrier-grade NAT', addresses: ['100.64.0.0', '100.100.100.200', '100.127.255.255'] },
  { what: 'loopback', addresses: ['127.0.0.0', '127.0.0.1', '127.255.255.255', '::1'] },
  { what: 'link-local', addresses: ['169.254.0.0', '169.254.169.254', '169.254.255.255', 'fe80::', 'fe80::1', 'febf:ffff::1', 'fec0::1'] },
  { what: 'metadata of a cloud', addresses: ['169.254.169.254', '168.63.129.16', '192.0.0.192', '100.100.100.200', 'fd00:ec2::254', 'fd20:ce::254'] },
  { what: 'IETF protocol assignments', addresses: ['192.0.0.0', '192.0.0.255', '2001::', '2001:1ff:ffff::1', '192.88.99.1'] },
  { what: 'documentation', addresses: ['192.0.2.1', '198.51.100.255', '203.0.113.0', '2001:db8::1', '2001:db8:ffff::1', '3fff::1', '3fff:fff::1'] },
  { what: 'benchmarks', addresses: ['198.18.0.0', '198.19.255.255', '2001:2::1'] },
  { what: 'multicast', addresses: ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'] },
  { what: 'reserved or broadcast', addresses: ['240.0.0.0', '255.255.255.254', '255.255.255.255'] },
  { what: 'unique local', addresses: ['fc00::', 'fd00::1', 'fdff:ffff::1'] },
  { what: 'unspecified', addresses: ['::'] },
  { what: 'IPv4-mapped', addresses: ['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:a9fe:a9fe', '0:0:0:0:0:ffff:7f00:1'] },
  { what: 'IPv4-compatible or translated', addresses: ['::127.0.0.1', '::8.8.8.8', '::ffff:0:127.0.0.1', '::ffff:0:8.8.8.8'] },
  { what: 'NAT64 of a private IPv4', addresses: ['64:ff9b::127.0.0.1', '64:ff9b::10.0.0.1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::8.8.8.8', '64:ff9b:0:0:0:1::'] },
  { what: '6to4', addresses: ['2002:7f00:1::', '2002:a00:1::1', '2002:808:808::1'] },
  { what: 'Teredo', addresses: ['2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001::1'] },
  { what: 'unassigned', addresses: ['100::1', '1::1', '4000::1', '5f00::1', '3ffe::1', '8000::1', 'e000::1'] },
]
for (const { what, addresses } of forbidden) {
  for (const text of addresses) test(`${text} is not public: ${what}`, () => assert.equal(isPublicAddress(address(text)), false))
}

// biome-ignore format: this table is read by line
const open = [
  '1.0.0.0', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0', '169.253.255.255', '169.255.0.0', '168.63.129.15',
  '172.15.255.255', '172.32.0.0', '192.0.1.0', '192.0.3.0', '192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0', '203.0.112.255', '223.255.255.255',
  '2001:200::1', '2001:4860:4860::8888', '2606:4700::1111', '2a00::1', '2003::1', '3ffd::1', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8',
]
for (const text of open) test(`${text} is public`, () => assert.equal(isPublicAddress(address(text)), true))

const networks = allowed('10.1.0.0/16, fd00::/8')
for (const text of ['10.1.2.3', '::ffff:10.1.2.3', 'fd12::1', '8.8.8.8'])
  test(`${text} is reachable where private networks that contain it are allowed`, () =>
    assert.equal(mayReach(address(text), networks), true))
for (const text of ['10.2.0.1', '127.0.0.1', 'fe80::1', '64:ff9b::10.1.2.3'])
  test(`${text} is unreachable where other private networks are allowed`, () => assert.equal(mayReach(address(text), networks), false))

// biome-ignore format: this table is read by line
const spellings = [
  'http://127.0.0.1/', 'http://127.0.0.1./', 'http://127.1/', 'http://127.0.1/', 'http://2130706433/', 'http://017700000001/', 'http://0x7f000001/', 'http://0x7F.0x0.0x0.0x1/',
  'http://0177.0.0.1/', 'http://0177.0x0.0.01/', 'http://127.0.0.0x1/', 'http://00000177.0.0.1/', 'http://0/', 'http://0x/', 'http://0.0.0.0:80/', 'http://%31%32%37.0.0.1/',
  'http://127%2E0%2E0%2E1/', 'http://１２７.0.0.1/', 'http://①②⑦.⓪.⓪.①/', 'http://127。0。0。1/', 'http://127．0．0．1/', 'http://user@127.0.0.1/', 'http://example.com@127.0.0.1/',
  'http://127.0.0.1#@example.com/', 'http://127.0.0.1\\@example.com/', 'http://127.0.0.1%3f@127.0.0.1/', 'http:127.0.0.1/', 'http:/127.0.0.1/', 'http:///127.0.0.1/', 'hTTps://127.0.0.1/',
  'http://12\t7.0.0.1/', 'http://\u00ad127.0.0.1/', 'http://127.0.0.\u200b1/', 'http://[::1]/', 'http://[0:0:0:0:0:0:0:1]/', 'http://[0000::0001]/', 'http://[::]/', 'http://[::ffff:127.0.0.1]/',
  'http://[::FFFF:7F00:1]/', 'http://[::ffff:0:127.0.0.1]/', 'http://[::127.0.0.1]/', 'http://[64:ff9b::127.0.0.1]/', 'http://[2002:7f00:1::]/', 'http://[fe80::1]/', 'http://[fd00:ec2::254]/',
  'http://169.254.169.254/latest/meta-data/', 'http://2852039166/', 'http://0xa9fea9fe/', 'http://0251.0376.0251.0376/', 'http://10.0.0.1/', 'http://192.168.0.1:8080/', 'http://172.16.0.1/',
  'http://localhost/', 'http://LOCALHOST/', 'http://localhost./', 'http://a.localhost/', 'http://ⓛocalhost/', 'http://loc%61lhost/',
]
for (const text of spellings) {
  test(`${JSON.stringify(text)} is refused as a private address`, () => {
    const url = URL.parse(text)
    assert.ok(url === null || isPrivateLiteral(url, []), url?.href)
  })
}

const public_urls = [
  'https://8.8.8.8/',
  'https://example.com/127.0.0.1',
  'https://127.0.0.1.example.com/',
  'https://example.com/#@127.0.0.1',
  'https://notlocalhost/',
]
for (const text of public_urls)
  test(`${text} is not taken for a private address`, () => assert.equal(isPrivateLiteral(new URL(text), []), false))

test('localhost is refused until both loopback networks are allowed', () => {
  assert.equal(isPrivateLiteral(new URL('http://localhost:4000/'), allowed('127.0.0.0/8')), true)
  assert.equal(isPrivateLiteral(new URL('http://localhost:4000/'), allowed('127.0.0.0/8, ::1')), false)
  assert.equal(isPrivateLiteral(new URL('http://127.0.0.1:4000/'), allowed('127.0.0.0/8')), false)
})

test('every spelling of an IPv4 address that the URL parser accepts is read as that address', () => {
  const radix = fc.constantFrom(
    (n: number) => `${n}`,
    (n: number) => `0x${n.toString(16)}`,
    (n: number) => `0${n.toString(8)}`,
  )
  const property = fc.property(fc.array(fc.nat(255), { minLength: 4, maxLength: 4 }), radix, fc.nat(3), (bytes, write, joined) => {
    const tail = bytes.slice(3 - joined).reduce((value, byte) => value * 256 + byte, 0)
    const text = [...bytes.slice(0, 3 - joined), tail].map(write).join('.')
    assert.equal(literalAddress(new URL(`http://${text}/`))?.toString(), bytes.join('.'), text)
  })
  fc.assert(property)
})
