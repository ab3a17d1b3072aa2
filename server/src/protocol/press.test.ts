import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needsPress } from './press.ts'

const native = { application_type: 'native', token_endpoint_auth_method: 'none' } as const
const spa = { application_type: 'spa', token_endpoint_auth_method: 'none' } as const
const web = { application_type: 'web', token_endpoint_auth_method: 'client_secret_basic' } as const

const addresses: [redirect_uri: string, needs_press: boolean][] = [
  ['https://app.example.com/callback', false],
  ['https://app.example.com:8443/callback', false],
  ['https://localhost.example.com/callback', false],
  ['com.example.app:/callback', true],
  ['com.example.app://callback', true],
  ['http://127.0.0.1/callback', true],
  ['http://127.0.0.1:49152/callback', true],
  ['http://127.0.0.2/callback', true],
  ['http://127.255.255.254:8000/callback', true],
  ['http://[::1]/callback', true],
  ['http://[::1]:49152/callback', true],
  ['http://[::ffff:7f00:1]/callback', true],
  ['http://localhost/callback', true],
  ['http://localhost:8000/callback', true],
  ['http://localhost./callback', true],
  ['http://app.localhost/callback', true],
  ['http://0.0.0.0/callback', true],
  ['http://192.168.1.5/callback', true],
  ['http://app.example.com/callback', true],
  ['https://localhost/callback', true],
  ['https://127.0.0.2:8443/callback', true],
  ['https://[::1]/callback', true],
  ['no address', true],
]
for (const [redirect_uri, needs_press] of addresses) {
  test(`a session ${needs_press ? 'alone gives no code' : 'is enough'} for a public native client at ${redirect_uri}`, () => {
    assert.equal(needsPress(native, redirect_uri), needs_press)
  })
  test(`a session is enough for other clients at ${redirect_uri}`, () => {
    assert.deepEqual([needsPress(spa, redirect_uri), needsPress(web, redirect_uri)], [false, false])
  })
}
