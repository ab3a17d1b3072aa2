import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceOfReader } from './jwks-source.ts'

// biome-ignore format: this table is read by column
const cases: { rule: string; ip: string | null; user_agent: string | undefined; source: string }[] = [
  { rule: 'an IPv4 address is of its /24',             ip: '203.0.113.7',          user_agent: 'node',                    source: '203.0.113.0/24 node' },
  { rule: 'an IPv6 address is of its /48',             ip: '2001:db8:1:2::7',      user_agent: 'node',                    source: '2001:db8:1::/48 node' },
  { rule: 'a short IPv6 address is of its /48',        ip: '2001:db8::7',          user_agent: 'node',                    source: '2001:db8:0::/48 node' },
  { rule: 'the loopback address of IPv6 too',          ip: '::1',                  user_agent: 'node',                    source: '0:0:0::/48 node' },
  { rule: 'of the user agent the first word counts',   ip: '203.0.113.7',          user_agent: 'jose/6.0 (linux; x64)',   source: '203.0.113.0/24 jose/6.0' },
  { rule: 'a long word is cut, for it is only shown',  ip: '203.0.113.7',          user_agent: 'a'.repeat(5_000),         source: `203.0.113.0/24 ${'a'.repeat(60)}` },
  { rule: 'letters beyond ASCII make up no word',          ip: '203.0.113.7',          user_agent: '\u202Eevil',              source: '203.0.113.0/24 unknown' },
  { rule: 'without a user agent it is unknown',        ip: '203.0.113.7',          user_agent: undefined,                 source: '203.0.113.0/24 unknown' },
  { rule: 'an unknown address is a source of its own', ip: null,                   user_agent: 'node',                    source: 'unknown node' },
]
for (const { rule, ip, user_agent, source } of cases) test(rule, () => assert.equal(sourceOfReader(ip, user_agent), source))
