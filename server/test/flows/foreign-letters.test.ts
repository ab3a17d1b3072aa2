/** Headers with letters outside ASCII, which Node reads as Latin-1, never cause a 5xx. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authorizationRequest } from '../support/cookie-browser.ts'
import { rawRequest, sendRaw } from '../support/raw-http.ts'
import { world } from '../support/world.ts'

const w = await world()
const client = await w.createApplication(w.test)
const path = (url: string) => url.slice(new URL(url).origin.length)
const authorize = path(authorizationRequest(w.test, client).url)

// biome-ignore format: one header a line
const headers = [
  'cookie', 'origin', 'authorization', 'x-api-key', 'accept', 'accept-language', 'user-agent', 'if-match', 'if-none-match', 'idempotency-key',
  'content-type', 'x-tenant-id', 'x-environment-id', 'referer', 'sec-fetch-site', 'x-forwarded-for', 'forwarded', 'x-request-id', 'access-control-request-method', 'access-control-request-headers',
]
// biome-ignore format: this table is read by column
const requests: [method: string, target: string][] = [
  ['GET',     authorize],
  ['GET',     '/v1/auth/config'],
  ['OPTIONS', '/v1/auth/config'],
  ['GET',     '/v1/api-keys/whoami'],
  ['POST',    '/v1/platform/projects'],
  ['PATCH',   `${w.test.path}/settings`],
  ['POST',    `${path(w.test.issuer)}/v1/oauth/token`],
  ['OPTIONS', `${path(w.test.issuer)}/v1/oauth/token`],
  ['GET',     `${path(w.test.issuer)}/v1/oauth/userinfo`],
  ['POST',    `${path(w.test.issuer)}/sign-in`],
  ['GET',     '/v1/me'],
]
for (const header of headers) {
  for (const [method, target] of requests) {
    test(`the header ${header} with letters outside ASCII causes no 5xx: ${method} ${target.replaceAll(w.test.id, '{id}').slice(0, 60)}`, async () => {
      for (const value of [
        'é',
        'Bearer é',
        'Basic é',
        'http://é.example',
        `ostiary_device_${w.test.id}=é; ostiary_session_${w.test.id}=é`,
      ]) {
        const key = header === 'x-api-key' || header === 'authorization' ? {} : { 'x-api-key': w.key }
        const reply = await sendRaw(w.base_url, rawRequest(method, target, { ...key, [header]: value }))
        assert.ok(reply.status >= 200 && reply.status < 500, `${value}: ${reply.status}`)
      }
    })
  }
}
