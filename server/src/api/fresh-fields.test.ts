import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FreshFields, freshFields } from '@ostiary/contract/fresh.ts'
import { whereChanged, whereSent } from './fresh-fields.ts'

const fields: FreshFields = {
  url: { where: 'in_live', when: 'changed' },
  'mail.from': { where: 'always', when: 'changed' },
  'mail.password': { where: 'always', when: 'sent' },
  secret: { where: 'in_live', when: 'sent' },
  enabled: { where: 'in_live', when: 'turned_on' },
  disabled: { where: 'in_live', when: 'turned_off' },
  permissions: { where: 'in_live', when: 'widened' },
  allowed_roles: { where: 'in_live', when: 'widened' },
  organizations: { where: 'in_live', when: 'widened' },
  'oauth.metadata_clients': { where: 'in_live', when: 'widened' },
  roles: { where: 'in_live', when: 'added_to' },
}

const gives = (...scopes: string[]) => [{ resource_server: 'orders', scopes }]

// biome-ignore format: this table is read by column
const changes: [before: object, after: object, where: 'always' | 'in_live' | null][] = [
  [{ url: 'a' },                         { url: 'b' },                         'in_live'],
  [{ url: 'a', name: 'a' },              { url: 'a', name: 'b' },              null],
  [{ mail: { from: 'a' } },              { mail: { from: 'b' } },              'always'],
  [{ mail: { from: 'a' } },              { mail: null },                       'always'],
  [{ mail: { from: 'a' }, url: 'a' },    { mail: { from: 'b' }, url: 'b' },    'always'],
  [{ enabled: false, disabled: false },  { enabled: true, disabled: true },    'in_live'],
  [{ enabled: true, disabled: false },   { enabled: false, disabled: true },   null],
  [{ enabled: true, disabled: true },    { enabled: true, disabled: false },   'in_live'],
  [{ permissions: gives('read') },       { permissions: gives('read', 'a') },  'in_live'],
  [{ permissions: gives('read', 'a') },  { permissions: gives('a') },          null],
  [{ allowed_roles: ['a'] },             { allowed_roles: ['b'] },             'in_live'],
  [{ allowed_roles: ['a'] },             { allowed_roles: [] },                'in_live'],
  [{ allowed_roles: ['a', 'b'] },        { allowed_roles: ['b'] },             null],
  [{ allowed_roles: [] },                { allowed_roles: ['a'] },             null],
  [{ organizations: 'required' },        { organizations: 'optional' },        'in_live'],
  [{ organizations: 'none' },            { organizations: 'required' },        null],
  [{ oauth: { metadata_clients: 'off' } },    { oauth: { metadata_clients: 'listed' } }, 'in_live'],
  [{ oauth: { metadata_clients: 'listed' } }, { oauth: { metadata_clients: 'any' } },    'in_live'],
  [{ oauth: { metadata_clients: 'any' } },    { oauth: { metadata_clients: 'listed' } }, null],
  [{ oauth: { metadata_clients: 'listed' } }, { oauth: { metadata_clients: 'off' } },    null],
  [{ roles: ['a'] },                     { roles: ['a', 'b'] },                'in_live'],
  [{ roles: ['a', 'b'] },                { roles: ['c'] },                     'in_live'],
  [{ roles: ['a', 'b'] },                { roles: ['b'] },                     null],
  [{ roles: ['a'] },                     { roles: [] },                        null],
]
for (const [before, after, where] of changes)
  test(`the change from ${JSON.stringify(before)} to ${JSON.stringify(after)} needs a fresh sign-in: ${where}`, () =>
    assert.equal(whereChanged(fields, before, after), where))

// biome-ignore format: this table is read by column
const bodies: [body: unknown, where: 'always' | 'in_live' | null][] = [
  [{ secret: 'a' },                          'in_live'],
  [{ secret: null },                         'in_live'],
  [{ mail: { password: 'a' } },              'always'],
  [{ secret: 'a', mail: { password: 'a' } }, 'always'],
  [{ mail: null, url: 'b', enabled: true },  null],
  [undefined,                                null],
]
for (const [body, where] of bodies)
  test(`the body ${JSON.stringify(body)} needs a fresh sign-in: ${where}`, () => assert.equal(whereSent(fields, body), where))

test('every field of the tables that is not write-only needs a fresh sign-in by its change', () => {
  for (const table of Object.values(freshFields) as FreshFields[]) // as: by kind
    for (const [path, { where, when }] of Object.entries(table)) {
      if (when === 'sent') continue
      const [from, to] = {
        changed: ['a', 'b'],
        added_to: [[], ['a']],
        turned_on: [false, true],
        turned_off: [true, false],
        widened: [null, null],
      }[when]
      if (when !== 'widened') assert.equal(whereChanged(table, nested(path, from), nested(path, to)), where, path)
    }
})

const nested = (path: string, value: unknown): object =>
  path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object // as: a path has a name
