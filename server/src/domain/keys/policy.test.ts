import assert from 'node:assert/strict'
import { test } from 'node:test'
import { platformScopes } from '@ostiary/contract/scopes.ts'
import fc from 'fast-check'
import { startCpuTimer } from '../../../test/support/cpu-time.ts'
import { effectiveScopes, ipAllowed, ipAllowlistProblem, keyIsUsable, originAllowed, originProblem, scopesAllow } from './policy.ts'

const origins = ['https://app.example.com', 'http://localhost:5173']
const origin_cases = [
  { origin: 'https://app.example.com', allowed: true },
  { origin: 'http://localhost:5173', allowed: true },
  { origin: undefined, allowed: false },
  { origin: '', allowed: false },
  { origin: 'null', allowed: false },
  { origin: 'http://app.example.com', allowed: false },
  { origin: 'https://app.example.com/', allowed: false },
  { origin: 'https://app.example.com:443', allowed: false },
  { origin: 'https://APP.example.com', allowed: false },
  { origin: 'https://app.example.com.evil.test', allowed: false },
  { origin: 'https://evil.test#https://app.example.com', allowed: false },
  { origin: 'https://x.app.example.com', allowed: false },
  { origin: 'http://localhost', allowed: false },
  { origin: 'https://app.example.com, https://evil.test', allowed: false },
]
for (const { origin, allowed } of origin_cases) {
  test(`the origin ${origin} is ${allowed ? 'allowed' : 'refused'} by a list of two origins`, () =>
    assert.equal(originAllowed(origins, origin), allowed))
}
test('the opaque origin is refused even when it is in the list', () => assert.equal(originAllowed(['null'], 'null'), false))

const ip_cases = [
  { list: [], ip: '192.0.2.7', allowed: true },
  { list: [], ip: null, allowed: true },
  { list: ['192.0.2.7'], ip: null, allowed: false },
  { list: ['192.0.2.7'], ip: '192.0.2.7', allowed: true },
  { list: ['192.0.2.7'], ip: '192.0.2.70', allowed: false },
  { list: ['192.0.2.7'], ip: '::ffff:192.0.2.7', allowed: true },
  { list: ['::ffff:192.0.2.7'], ip: '192.0.2.7', allowed: true },
  { list: ['::ffff:c000:207'], ip: '192.0.2.7', allowed: true },
  { list: ['::ffff:192.0.2.0/120'], ip: '192.0.2.7', allowed: true },
  { list: ['::192.0.2.7'], ip: '192.0.2.7', allowed: false },
  { list: ['192.0.2.0/24'], ip: '192.0.2.255', allowed: true },
  { list: ['192.0.2.0/24'], ip: '192.0.3.0', allowed: false },
  { list: ['192.0.2.0/31'], ip: '192.0.2.1', allowed: true },
  { list: ['192.0.2.0/31'], ip: '192.0.2.2', allowed: false },
  { list: ['0.0.0.0/0'], ip: '198.51.100.1', allowed: true },
  { list: ['0.0.0.0/0'], ip: '2001:db8::1', allowed: false },
  { list: ['::/0'], ip: '2001:db8::1', allowed: true },
  { list: ['::/0'], ip: '192.0.2.7', allowed: false },
  { list: ['2001:DB8:0:0::1'], ip: '2001:db8::1', allowed: true },
  { list: ['2001:db8::/33'], ip: '2001:db8:8000::', allowed: false },
  { list: ['203.0.113.0/24', '192.0.2.7'], ip: '192.0.2.7', allowed: true },
  { list: ['nonsense'], ip: '192.0.2.7', allowed: false },
  { list: ['192.0.2.7'], ip: 'nonsense', allowed: false },
]
for (const { list, ip, allowed } of ip_cases) {
  test(`${ip} is ${allowed ? 'allowed' : 'refused'} by [${list}]`, () => assert.equal(ipAllowed(list, ip), allowed))
}

// biome-ignore format: this table is read by column
const allowlist_entries = [
  { entry: '192.0.2.7',            wrong: false },
  { entry: '10.0.0.0/8',           wrong: false },
  { entry: '0.0.0.0/0',            wrong: false },
  { entry: '192.0.2.7/32',         wrong: false },
  { entry: '2001:db8::/32',        wrong: false },
  { entry: '2001:DB8::1',          wrong: false },
  { entry: '::1',                  wrong: false },
  { entry: '::',                   wrong: false },
  { entry: '::ffff:192.0.2.7',     wrong: false },
  { entry: '::ffff:10.0.0.0/104',  wrong: false },
  { entry: '64:ff9b::192.0.2.33',  wrong: false },
  { entry: 'ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255', wrong: false },
  { entry: '',                     wrong: true },
  { entry: '/',                    wrong: true },
  { entry: '/8',                   wrong: true },
  { entry: '*',                    wrong: true },
  { entry: 'localhost',            wrong: true },
  { entry: '192.0.2.*',            wrong: true },
  { entry: '192.0.2',              wrong: true },
  { entry: '192.0.2.256',          wrong: true },
  { entry: '192.0.2.7.1',          wrong: true },
  { entry: '192.0.2.07',           wrong: true },
  { entry: '0300.0.2.7',           wrong: true },
  { entry: '0xc0.0.2.7',           wrong: true },
  { entry: '3221225991',           wrong: true },
  { entry: '0xc0000207',           wrong: true },
  { entry: ' 192.0.2.7',           wrong: true },
  { entry: '192.0.2.7\n',          wrong: true },
  { entry: '１92.0.2.7',           wrong: true },
  { entry: '192.0.2.7:80',         wrong: true },
  { entry: '192.0.2.1-192.0.2.9',  wrong: true },
  { entry: '192.0.2.7,192.0.2.8',  wrong: true },
  { entry: '192.0.2.1/24',         wrong: true },
  { entry: '10.0.0.0/',            wrong: true },
  { entry: '10.0.0.0/08',          wrong: true },
  { entry: '10.0.0.0/-1',          wrong: true },
  { entry: '10.0.0.0/33',          wrong: true },
  { entry: '10.0.0.0/8/8',         wrong: true },
  { entry: '10.0.0.0/255.0.0.0',   wrong: true },
  { entry: '2001:db8::1/32',       wrong: true },
  { entry: '2001:db8::/129',       wrong: true },
  { entry: '::ffff:10.0.0.0/8',    wrong: true },
  { entry: '::ffff:10.0.0.1/104',  wrong: true },
  { entry: '::ffff:010.0.0.1',     wrong: true },
  { entry: '::ffff:0x0a.0.0.1',    wrong: true },
  { entry: '::ffff:1.2.3',         wrong: true },
  { entry: '[::1]',                wrong: true },
  { entry: 'fe80::1%eth0',         wrong: true },
  { entry: '::1::',                wrong: true },
  { entry: ':::',                  wrong: true },
  { entry: '1:2:3:4:5:6:7',        wrong: true },
  { entry: '1:2:3:4:5:6:7:8:9',    wrong: true },
  { entry: '12345::1',             wrong: true },
  { entry: '1.2.3.4::1',           wrong: true },
]
for (const { entry, wrong } of allowlist_entries) {
  test(`${JSON.stringify(entry)} ${wrong ? 'is refused as' : 'is accepted as'} an entry of an IP allowlist`, () => {
    assert.equal(ipAllowlistProblem(entry) !== null, wrong)
  })
}
test('a network with host bits is refused, and the message names the network and the address', () => {
  assert.match(ipAllowlistProblem('10.1.2.3/8') ?? '', /10\.0\.0\.0\/8 .* 10\.1\.2\.3 /)
})
test('a very long entry takes little time to refuse', () => {
  const usedCpuMs = startCpuTimer()
  assert.ok(ipAllowlistProblem(`:${'1.'.repeat(500_000)}x`))
  assert.ok(usedCpuMs() < 1_000)
})
test('an accepted address allows itself', () => {
  fc.assert(fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (ip) => ipAllowlistProblem(ip) !== null || ipAllowed([ip], ip)))
})

const base_url = 'http://localhost:3000'
// biome-ignore format: this table is read by column
const new_origins = [
  { origin: 'https://app.example.com',        type: 'live', wrong: false },
  { origin: 'https://app.example.com:8443',   type: 'live', wrong: false },
  { origin: 'https://[2001:db8::1]',          type: 'live', wrong: false },
  { origin: 'https://xn--bcher-kva.example',  type: 'live', wrong: false },
  { origin: 'http://app.example.com',         type: 'test', wrong: false },
  { origin: 'http://app.example.com',         type: 'live', wrong: true },
  { origin: 'http://localhost:3000',          type: 'live', wrong: false },
  { origin: 'http://localhost:3001',          type: 'live', wrong: true },
  { origin: 'http://localhost',               type: 'live', wrong: true },
  { origin: '',                               type: 'test', wrong: true },
  { origin: '*',                              type: 'test', wrong: true },
  { origin: 'null',                           type: 'test', wrong: true },
  { origin: 'https://*.example.com',          type: 'test', wrong: true },
  { origin: 'https://app.example.com/',       type: 'test', wrong: true },
  { origin: 'https://app.example.com/cb',     type: 'test', wrong: true },
  { origin: 'https://app.example.com?',       type: 'test', wrong: true },
  { origin: 'https://app.example.com#',       type: 'test', wrong: true },
  { origin: 'https://app.example.com:443',    type: 'test', wrong: true },
  { origin: 'http://app.example.com:80',      type: 'test', wrong: true },
  { origin: 'https://APP.example.com',        type: 'test', wrong: true },
  { origin: 'HTTPS://app.example.com',        type: 'test', wrong: true },
  { origin: 'https://bücher.example',         type: 'test', wrong: true },
  { origin: 'https://user@app.example.com',   type: 'test', wrong: true },
  { origin: 'https://0x7f000001',             type: 'test', wrong: true },
  { origin: ' https://app.example.com',       type: 'test', wrong: true },
  { origin: 'https://app.exa\tmple.com',      type: 'test', wrong: true },
  { origin: 'https:app.example.com',          type: 'test', wrong: true },
  { origin: 'https:\\\\app.example.com',      type: 'test', wrong: true },
  { origin: 'https://a.test, https://b.test', type: 'test', wrong: true },
  { origin: 'javascript:alert(1)',            type: 'test', wrong: true },
  { origin: 'chrome-extension://abcdef',      type: 'test', wrong: true },
  { origin: 'file://',                        type: 'test', wrong: true },
] as const
for (const { origin, type, wrong } of new_origins) {
  test(`${JSON.stringify(origin)} is ${wrong ? 'refused' : 'accepted'} as an allowed origin of a ${type} key`, () => {
    assert.equal(originProblem(origin, type, base_url) !== null, wrong)
  })
}
test('an origin that is not serialised exactly is refused, and the message names the exact form', () => {
  assert.match(originProblem('https://Bücher.example:443/shop', 'live', base_url) ?? '', /Write https:\/\/xn--bcher-kva\.example$/)
})

test('a scope allows only itself: write does not include read', () => {
  for (const held of platformScopes) {
    for (const needed of platformScopes) assert.equal(scopesAllow([held], needed), held === needed)
  }
})
test('* allows every scope, and effectiveScopes expands it to all of them', () => {
  for (const needed of platformScopes) assert.ok(scopesAllow(['*'], needed))
  assert.deepEqual(effectiveScopes(['*']), [...platformScopes])
  assert.deepEqual(effectiveScopes(['users:read', '*']), [...platformScopes])
})
test('effectiveScopes lists each scope once, in the order of their table, and none for an auth key', () => {
  assert.deepEqual(effectiveScopes(['users:read', 'projects:read', 'users:read']), ['projects:read', 'users:read'])
  assert.deepEqual(effectiveScopes([]), [])
})

const now = new Date('2026-11-20T16:31:00.000Z')
// biome-ignore format: this table is read by column
const lives = [
  { when: 'it does not expire',               revoked_at: null,                       expires_at: null,                       usable: true },
  { when: 'it expires a millisecond later',   revoked_at: null,                       expires_at: '2026-11-20T16:31:00.001Z', usable: true },
  { when: 'it expires now',                   revoked_at: null,                       expires_at: '2026-11-20T16:31:00.000Z', usable: false },
  { when: 'it has expired',                   revoked_at: null,                       expires_at: new Date(0),                usable: false },
  { when: 'its expiry is not a date',         revoked_at: null,                       expires_at: 'soon',                     usable: false },
  { when: 'it is revoked now',                revoked_at: now,                        expires_at: null,                       usable: false },
  { when: 'its revoked_at is in the future',  revoked_at: '2026-11-20T16:32:00.000Z', expires_at: null,                       usable: false },
]
for (const { when, usable, ...key } of lives) {
  test(`a key is ${usable ? 'usable' : 'not usable'} when ${when}`, () => assert.equal(keyIsUsable(key, now), usable))
}
