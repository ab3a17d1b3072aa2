import assert from 'node:assert/strict'
import { test } from 'node:test'
import { coveringEntry, parseIssuerHosts } from './issuer-hosts.ts'

const base_url = 'https://a.id.acme.example'
const parsed = parseIssuerHosts('login.acme.example=globex, *.acme.example=acme, *.id.acme.example=acme, [2001:db8::1]=acme', base_url)
const issuer_hosts = 'value' in parsed ? parsed.value : assert.fail(parsed.problem)

// biome-ignore format: this table is read by column
const cases: [host: string, tenant_slug: string | undefined, why: string][] = [
  ['login.acme.example',     'globex',  'an exact entry decides before a wildcard'],
  ['shop.acme.example',      'acme',    'a wildcard covers one label'],
  ['a.shop.acme.example',    undefined, 'a wildcard covers no second label'],
  ['acme.example',           undefined, 'a wildcard does not cover its suffix'],
  ['shopacme.example',       undefined, 'a wildcard covers whole labels'],
  ['b.id.acme.example',      'acme',    'a wildcard covers the hosts beside the service'],
  ['a.id.acme.example',      undefined, 'no entry covers the host of the service'],
  ['id.acme.example',        undefined, 'no entry covers a parent domain of the service'],
  ['x.a.id.acme.example',    undefined, 'a host below the service needs an entry of its own'],
  ['[2001:db8::1]',          'acme',    'an address is an exact entry'],
  ['acme',                   undefined, 'a single label is not a suffix'],
  ['',                       undefined, 'an empty host is not covered'],
]
for (const [host, tenant_slug, why] of cases)
  test(`${why}: ${host}`, () => assert.equal(coveringEntry({ base_url, issuer_hosts }, host)?.tenant_slug, tenant_slug))
