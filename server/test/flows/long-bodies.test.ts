/** Bodies up to their limit and over it, at each kind of route that takes one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rawRequest, sendRaw } from '../support/raw-http.ts'
import { world } from '../support/world.ts'

const w = await world()
const client = await w.createApplication(w.test, { token_endpoint_auth_method: 'client_secret_post' })
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const json = { 'content-type': 'application/json', 'x-api-key': w.key }
const { pathname } = new URL(w.test.issuer)
const credentials = `client_id=${client.id}&client_secret=${client.client_secret}`
const long = 'x'.repeat(1_000_000)
const over = 'x'.repeat(1_048_577)
const project = w.test.path.split('/environments/')[0]

// biome-ignore format: this table is read by column
const cases: [what: string, path: string, headers: Record<string, string>, body: string, status: number, error: string | null][] = [
  ['an unknown token of 1 MB',                  `${pathname}/v1/oauth/revoke`, form, `token=${long}&${credentials}`,                               200, null],
  ['the same behind the credentials',           `${pathname}/v1/oauth/revoke`, form, `${credentials}&token=${long}`,                               200, null],
  ['one over 1 MiB',                            `${pathname}/v1/oauth/revoke`, form, `token=${over}&${credentials}`,                               413, 'invalid_request'],
  ['a refresh token of 1 MB',                   `${pathname}/v1/oauth/token`,  form, `grant_type=refresh_token&refresh_token=${long}&${credentials}`, 400, 'invalid_grant'],
  ['a client id of 1 MB',                       `${pathname}/v1/oauth/token`,  form, `grant_type=refresh_token&refresh_token=a&client_id=${long}`, 401, 'invalid_client'],
  ['one over 1 MiB at the token endpoint',      `${pathname}/v1/oauth/token`,  form, `grant_type=${over}`,                                        413, 'invalid_request'],
  ['a body of another type over 1 MiB',         `${pathname}/v1/oauth/token`,  json, over,                                                        413, 'invalid_request'],
  ['a form of userinfo over 1 MiB',             `${pathname}/v1/oauth/userinfo`, form, `a=${over}`,                                               413, 'invalid_request'],
  ['a hosted form over 88 KiB',                 `${pathname}/sign-in`,         form, `request=${'x'.repeat(70_000)}&email=${'x'.repeat(70_000)}`, 400, null],
  ['a project over 1 MiB',                      '/v1/platform/projects',       json, over,                                                        413, 'body_too_large'],
  ['a plan of 2 MiB without JSON',              `${project}/promotions`,       json, `${over}${over}`,                                            400, 'malformed_request'],
  ['a plan over 4 MiB',                         `${project}/promotions`,       json, over.repeat(5),                                              413, 'body_too_large'],
]
for (const [what, path, headers, body, status, error] of cases)
  test(`${what}: ${status}`, async () => {
    const reply = await sendRaw(w.base_url, rawRequest('POST', path, headers, body))
    assert.equal(reply.status, status)
    if (error === null) return
    const problem = JSON.parse(reply.body)
    assert.equal(problem.error ?? problem.code, error)
  })
