import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applicationUrl, registerUrl } from './dashboard-links.ts'
import { returnPath } from './return-path.ts'

const base_url = 'https://id.example.com'
const register = (redirect_uri: string) => registerUrl(base_url, 'app_1', redirect_uri)

test('the link to an application is that of its id', () =>
  assert.equal(applicationUrl(base_url, 'app_1'), 'https://id.example.com/dashboard/go/app_1'))

test('the link to register an address has the address as one encoded value', () => {
  for (const redirect_uri of [
    'https://a.test/cb?x=1&tab=credentials',
    'http://[::1]:8080/cb',
    'com.example.app:/cb',
    `https://a.test/'"<b>`,
  ]) {
    const link = new URL(register(redirect_uri))
    assert.equal(link.origin + link.pathname, 'https://id.example.com/dashboard/go/app_1')
    assert.deepEqual(
      [...link.searchParams],
      [
        ['tab', 'addresses'],
        ['redirect_uri', redirect_uri],
      ],
    )
    assert.doesNotMatch(register(redirect_uri), /["'<>]/)
  }
})

test('a sign-in on the way comes back to every link, since one with a long address is without it', () => {
  const short = register(`https://a.test/${'a'.repeat(900)}`)
  const long = register(`https://a.test/${'&'.repeat(900)}`)
  assert.deepEqual([short.includes('redirect_uri'), long.includes('redirect_uri')], [true, false])
  for (const link of [short, long]) assert.equal(returnPath(link.slice(base_url.length)), link.slice(base_url.length))
})
