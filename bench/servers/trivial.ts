/** The baseline of whoami: a minimal handler of the same HTTP library. It returns a recorded answer of whoami. */
import Fastify from 'fastify'

const { TRIVIAL_PORT = '', TRIVIAL_ANSWER = '{}' } = process.env
const answer: unknown = JSON.parse(TRIVIAL_ANSWER)

const app = Fastify({ logger: false })
app.get('/whoami', async () => answer)
await app.listen({ port: Number(TRIVIAL_PORT), host: '127.0.0.1' })
process.on('SIGTERM', () => process.exit())
