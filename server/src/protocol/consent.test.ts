import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consentLines, consentWords } from './consent.ts'

const orders = {
  identifier: 'https://orders.test',
  name: 'Orders API',
  scopes: [
    { name: 'read', description: 'See your orders' },
    { name: 'write', description: null },
  ],
}
const stock = { identifier: 'urn:stock', name: 'Stock', scopes: [{ name: 'read', description: null }] }

const cases: { rule: string; scope: string; resources: (typeof orders)[]; words: string[]; lines: string[] }[] = [
  {
    rule: 'each scope of OpenID Connect is one word and one line, and offline_access is the last line',
    scope: 'offline_access openid email',
    resources: [],
    words: ['offline_access', 'openid', 'email'],
    lines: ['openid', 'email', 'offline_access'],
  },
  {
    rule: 'a scope of a resource server names the server',
    scope: 'openid read offline_access',
    resources: [orders],
    words: ['openid', 'offline_access', 'https://orders.test', 'https://orders.test#read'],
    lines: ['openid', 'Orders API: read (See your orders)', 'offline_access'],
  },
  {
    rule: 'a scope of two resource servers is listed for both',
    scope: 'openid read write',
    resources: [orders, stock],
    words: ['openid', 'https://orders.test', 'https://orders.test#read', 'https://orders.test#write', 'urn:stock', 'urn:stock#read'],
    lines: ['openid', 'Orders API: read (See your orders)', 'Orders API: write', 'Stock: read'],
  },
  {
    rule: 'a resource server is listed even without any of its scopes',
    scope: 'openid',
    resources: [stock],
    words: ['openid', 'urn:stock'],
    lines: ['openid', 'Stock'],
  },
]
for (const { rule, scope, resources, words, lines } of cases) {
  test(rule, () => {
    const named = resources.map((resource) => ({ ...resource, scopes: resource.scopes.map(({ name }) => name) }))
    assert.deepEqual(consentWords(scope, named), words)
    const shown = consentLines(scope, resources, scope.split(' ')).map((line) => {
      const what = [line.resource_server_name, line.scope].filter((part) => part !== null).join(': ')
      return line.description === null ? what : `${what} (${line.description})`
    })
    assert.deepEqual(shown, lines)
  })
}

test('a line of a scope that the roles of the person do not give says so, at each resource server that has it', () => {
  const lines = consentLines('openid read write offline_access', [orders, stock], ['openid', 'write', 'offline_access'])
  assert.deepEqual(
    lines.map(({ scope, given }) => [scope, given]),
    [
      ['openid', true],
      ['read', false],
      ['write', true],
      ['read', false],
      ['offline_access', true],
    ],
  )
})
