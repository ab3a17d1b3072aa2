/** Revocation (RFC 7009): the same answer for every token, and the tokens that it ends. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPerson, postAsClient, refresh, revoke, userinfo } from '../support/cookie-browser.ts'
import { forgeriesOf } from '../support/forgeries.ts'
import { expectStatus, type Reply, randomText, types_of_run, world } from '../support/world.ts'

const w = await world()

for (const type of types_of_run) {
  for (const format of ['jwt', 'opaque'] as const) {
    const environment = w[type]
    const elsewhere = type === 'test' ? w.live : w.test
    const of = `(${type}, ${format} access tokens)`
    const client = await w.createApplication(environment)
    const other = await w.createApplication(environment)
    const spa = await w.createApplication(environment, { application_type: 'spa' })
    const client_elsewhere = await w.createApplication(elsewhere)
    const person = await createPerson(w, environment)
    const url = `${environment.issuer}/v1/oauth/revoke`

    const isAnswered = (reply: Reply) => {
      const { date: _, 'x-request-id': __, ...headers } = Object.fromEntries(reply.headers)
      assert.deepEqual([reply.status, reply.body], [200, {}])
      return headers
    }
    const isAlive = async (access_token: string) => (await userinfo(w, environment, access_token)).status === 200

    test(`set the format ${of}`, () => w.changeSettings(environment, { tokens: { access_token_format: format } }))

    for (const [kind, application] of Object.entries({ confidential: client, public: spa })) {
      for (const token_type_hint of [undefined, 'refresh_token', 'access_token', 'nonsense']) {
        const hint: Record<string, string> = token_type_hint === undefined ? {} : { token_type_hint }
        test(`revoking a refresh token ends its family and every access token, whatever the hint: ${token_type_hint} (${kind}) ${of}`, async () => {
          const first = await person.tokens(application)
          const second = expectStatus(200, await refresh(w, environment, application, first.refresh_token))
          isAnswered(await revoke(w, environment, application, { token: second.refresh_token, ...hint }))
          for (const { access_token } of [first, second]) assert.equal(await isAlive(access_token), false)
          assert.equal((await refresh(w, environment, application, second.refresh_token)).body.error, 'invalid_grant')
        })

        test(`revoking an access token ends no other token, whatever the hint: ${token_type_hint} (${kind}) ${of}`, async () => {
          const first = await person.tokens(application)
          const second = expectStatus(200, await refresh(w, environment, application, first.refresh_token))
          isAnswered(await revoke(w, environment, application, { token: first.access_token, ...hint }))
          assert.deepEqual([await isAlive(first.access_token), await isAlive(second.access_token)], [false, true])
          expectStatus(200, await refresh(w, environment, application, second.refresh_token))
        })
      }
    }

    test(`the answer is the same for every token, known or not, and tokens of other clients stay valid ${of}`, async () => {
      const mine = await person.tokens(client)
      const theirs = await person.tokens(other)
      const expected = isAnswered(await revoke(w, environment, client, mine.refresh_token))
      const unknown = ['x', randomText(), 'svc_at_x', 'a.b.c', mine.id_token, client.client_secret, w.key, '%00', 'ü', 'x'.repeat(100_000)]
      for (const token of [mine.refresh_token, mine.access_token, theirs.refresh_token, theirs.access_token, ...unknown])
        assert.deepEqual(isAnswered(await revoke(w, environment, client, token)), expected)
      assert.ok(await isAlive(theirs.access_token))
      expectStatus(200, await refresh(w, environment, other, theirs.refresh_token))
    })

    test(`a token of one environment is not revoked at the other ${of}`, async () => {
      const tokens = await person.tokens(client)
      for (const token of [tokens.access_token, tokens.refresh_token]) isAnswered(await revoke(w, elsewhere, client_elsewhere, token))
      assert.ok(await isAlive(tokens.access_token))
      expectStatus(200, await refresh(w, environment, client, tokens.refresh_token))
    })

    test(`a forged or changed token revokes nothing ${of}`, async () => {
      await w.changeSettings(environment, { tokens: { access_token_format: 'jwt' } })
      const { access_token } = await person.tokens(client)
      for (const token of Object.values(await forgeriesOf(w, environment, access_token)))
        isAnswered(await revoke(w, environment, client, token))
      assert.ok(await isAlive(access_token))
      await w.changeSettings(environment, { tokens: { access_token_format: format } })
    })

    // biome-ignore format: this table is read by column
    const refusals: [why: string, status: number, error: string, attempt: (token: string) => Promise<Reply>][] = [
      ['the secret is missing',               401, 'invalid_client',  (token) => revoke(w, environment, { ...client, client_secret: null }, token)],
      ['the secret is wrong',                 401, 'invalid_client',  (token) => revoke(w, environment, { ...client, client_secret: 'x' }, token)],
      ['the client uses a wrong method',      401, 'invalid_client',  (token) => revoke(w, environment, { ...client, token_endpoint_auth_method: 'client_secret_post' }, token)],
      ['the client is of another environment', 401, 'invalid_client', (token) => revoke(w, environment, client_elsewhere, token)],
      ['a public client sends a secret',      401, 'invalid_client',  (token) => revoke(w, environment, spa, { token, client_secret: 'x' })],
      ['the token is missing',                400, 'invalid_request', () => postAsClient(w, url, client, {})],
      ['the token is empty',                  400, 'invalid_request', () => revoke(w, environment, client, '')],
      ['the token holds control characters',  400, 'invalid_request', (token) => revoke(w, environment, client, `${token}\0`)],
    ]
    for (const [why, status, error, attempt] of refusals) {
      test(`a revocation is ${error} and revokes nothing when ${why} ${of}`, async () => {
        const { access_token, refresh_token } = await person.tokens(client)
        const reply = await attempt(refresh_token)
        assert.deepEqual([reply.status, reply.body.error], [status, error])
        assert.ok(await isAlive(access_token))
        expectStatus(200, await refresh(w, environment, client, refresh_token))
      })
    }
  }
}
