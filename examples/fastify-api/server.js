/** An API (resource server). It accepts access tokens that the issuer has made for it, and checks their scopes. */
import { createKeySet, TokenError, verifyAccessToken } from '@ostiary/sdk/verify'
import Fastify from 'fastify'

const { ISSUER, AUDIENCE, PORT } = process.env
const keys = createKeySet({ issuer: ISSUER }) // fetched when needed, and kept

/** A hook that admits requests whose access token has a scope. The others get the answers of RFC 6750 §3. */
const requireScope = (scope) => async (request, reply) => {
  const [, token] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? []
  if (!token) return refuse(reply, { status: 401, challenge: 'Bearer', error: 'unauthorized' }, 'Send an access token.')
  try {
    request.token = await verifyAccessToken(token, { keys, issuer: ISSUER, audience: AUDIENCE, required_scopes: [scope] })
  } catch (error) {
    if (!(error instanceof TokenError)) throw error
    const { status, message } = error
    if (status === 401) return refuse(reply, { status, challenge: 'Bearer error="invalid_token"', error: 'invalid_token' }, message)
    const challenge = `Bearer error="insufficient_scope", scope="${scope}"`
    if (status === 403) return refuse(reply, { status, challenge, error: 'insufficient_scope' }, message)
    request.log.error(error) // 503: the issuer cannot be reached, and no key is kept
    return reply.code(503).header('retry-after', '30').send({ error: 'temporarily_unavailable' })
  }
}

const refuse = (reply, { status, challenge, error }, error_description) =>
  reply.code(status).header('www-authenticate', challenge).send({ error, error_description })

const app = Fastify()
app.decorateRequest('token', null)

const orders = new Map() // by the subject of the token: the user who has allowed the call

app.get('/orders', { onRequest: requireScope('orders:read') }, async ({ token }) => {
  return { user: token.sub, orders: orders.get(token.sub) ?? [] }
})

const order = { type: 'object', required: ['item'], properties: { item: { type: 'string', minLength: 1, maxLength: 100 } } }
app.post('/orders', { onRequest: requireScope('orders:write'), schema: { body: order } }, async ({ token, body }, reply) => {
  orders.set(token.sub, [...(orders.get(token.sub) ?? []), body.item])
  return reply.code(201).send({ item: body.item })
})

await app.listen({ port: Number(PORT), host: 'localhost' })
console.log(`Listening on http://localhost:${PORT}`)
