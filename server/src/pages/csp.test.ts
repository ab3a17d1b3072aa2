import assert from 'node:assert/strict'
import test from 'node:test'
import { contentSecurityPolicy, imageOrigin } from './csp.ts'

test('a page without a script or logo may load only its styles', () => {
  assert.equal(
    contentSecurityPolicy({ styles: [''], script: undefined, images: [null] }),
    "default-src 'none'; style-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='; img-src data:; frame-ancestors 'none'; base-uri 'none'",
  )
})

test('the policy lists a script by its hash and a logo by its origin, each once', () => {
  const images = ['https://cdn.example.com/a.png', 'https://cdn.example.com/b.png', 'http://localhost:3000/c.svg']
  const policy = contentSecurityPolicy({ styles: ['', 'a'], script: '', images })
  assert.match(policy, /; script-src 'sha256-47DEQpj8HBSa\+\/TImW\+5JCeuQeRkm5NMpJWZG3hSuFU=';/)
  assert.match(policy, /; img-src data: https:\/\/cdn\.example\.com http:\/\/localhost:3000;/)
})

const origins: [string | null, string | null][] = [
  ['https://cdn.example.com:8443/logo.svg?x=1', 'https://cdn.example.com:8443'],
  ['https://LOGOS.example.com', 'https://logos.example.com'],
  ['https://bücher.example/x', 'https://xn--bcher-kva.example'],
  ['https://[2001:db8::1]:9/x', 'https://[2001:db8::1]:9'],
  ['https://a;script-src/x', null],
  ['https://a,b/x', null],
  ["https://a'unsafe-inline'/x", null],
  ['https://*/x', null],
  ['data:image/svg+xml,<svg/>', null],
  ['javascript:alert(1)', null],
  ['/logo.svg', null],
  [null, null],
]
for (const [url, origin] of origins) {
  test(`the image origin of ${url} is ${origin ?? 'not allowed'}`, () => assert.equal(imageOrigin(url), origin))
}
