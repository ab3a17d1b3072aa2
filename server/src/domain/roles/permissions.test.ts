import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Permission } from '@ostiary/contract/objects/role.ts'
import { givesMore, inEffect, writtenNow } from './permissions.ts'

/** `api:read,write` */
const permissions = (text: string): Permission[] =>
  text
    .split(' ')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [resource_server = '', scopes = ''] = entry.split(':')
      return { resource_server, scopes: scopes.split(',') }
    })

/** A resource server at its fifth version, by the versions of its scopes. */
const api = (scope_versions: Record<string, number>, id = 'rs_1', slug = 'api') => ({
  id,
  slug,
  version: 5,
  scopes: Object.keys(scope_versions).map((name) => ({ name })),
  scope_versions,
})

// biome-ignore format: this table is read by column
const given: [why: string, named: string, servers: ReturnType<typeof api>[], written: [string, number][], given: string][] = [
  ['gives the scopes that were there when they were written',      'api:read,write',  [api({ read: 1, write: 3 })],                      [['rs_1', 3]], 'api:read,write'],
  ['gives no scope that was made later',                           'api:read,write',  [api({ read: 1, write: 4 })],                      [['rs_1', 3]], 'api:read'],
  ['gives no scope that is gone',                                  'api:read,write',  [api({ write: 3 })],                               [['rs_1', 3]], 'api:write'],
  ['gives nothing of a resource server that is gone',              'api:read',        [],                                                [['rs_1', 3]], ''],
  ['gives nothing of another resource server with the slug',       'api:read',        [api({ read: 1 }, 'rs_2')],                        [['rs_1', 3]], ''],
  ['gives nothing of a resource server that came after them',      'api:read',        [api({ read: 1 })],                                [],            ''],
  ['gives no other scope of the resource server',                  'api:read',        [api({ read: 1, write: 1 })],                      [['rs_1', 3]], 'api:read'],
  ['gives one name at one resource server alone',                  'api:read b:read', [api({ read: 1 }), api({ read: 4 }, 'rs_2', 'b')], [['rs_1', 3], ['rs_2', 3]], 'api:read'],
  ['gives no name of what every object inherits',                  'api:constructor', [api({ read: 1 })],                                [['rs_1', 3]], ''],
]
for (const [why, named, servers, written, expected] of given)
  test(`a list of permissions ${why}`, () =>
    assert.deepEqual(inEffect(permissions(named), servers, new Map(written)), permissions(expected)))

test('permissions that are written now give every scope that is there', () => {
  const servers = [api({ read: 1, write: 5 })]
  assert.deepEqual(inEffect(permissions('api:read,write'), servers, writtenNow(servers)), permissions('api:read,write'))
})

// biome-ignore format: this table is read by column
const more: [before: string, after: string, is_more: boolean][] = [
  ['',               '',                false],
  ['',               'api:read',        true],
  ['api:read',       'api:read',        false],
  ['api:read',       'api:write',       true],
  ['api:read,write', 'api:write',       false],
  ['api:read,write', 'api:write,read',  false],
  ['api:read',       'b:read',          true],
  ['api:read b:x',   'b:x api:read',    false],
  ['api:read',       '',                false],
]
for (const [before, after, is_more] of more)
  test(`${after || 'nothing'} gives ${is_more ? 'more' : 'no more'} than ${before || 'nothing'}`, () =>
    assert.equal(givesMore(permissions(before), permissions(after)), is_more))
