/** The ceiling of the server's core: RSA signatures and password hashes without a protocol around them. */
import { generateKeyPairSync, sign } from 'node:crypto'
import { createServer } from 'node:http'
import { availableParallelism } from 'node:os'
import { type Algorithm, hash, verify } from '@node-rs/argon2'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const claims = Buffer.alloc(700, 'x')
const password = 'a password of person 0'
// The parameters of server/src/domain/users/password.ts.
const parameters = { algorithm: 2 as Algorithm, memoryCost: 19_456, timeCost: 2, parallelism: 1 } // as: Algorithm is a const enum; 2 is Argon2id
const password_hash = await hash(password, parameters)

const work: Record<string, { lanes: number; once: () => unknown }> = {
  signatures: { lanes: 1, once: () => sign('sha256', claims, privateKey) },
  passwords: { lanes: availableParallelism(), once: () => verify(password_hash, password) },
}

async function measure({ lanes, once }: { lanes: number; once: () => unknown }, seconds: number) {
  const began = performance.now()
  let made = 0
  const lane = async () => {
    for (; performance.now() - began < seconds * 1000; made++) await once()
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return { made, seconds: (performance.now() - began) / 1000 }
}

process.on('message', async ({ id, ask, seconds }: { id: number; ask: string; seconds: number }) => {
  const measured = work[ask]
  if (measured) process.send?.({ id, answer: await measure(measured, seconds) })
})
createServer((_, response) => response.end()).listen(Number(process.env.YARDSTICK_PORT), '127.0.0.1')
process.on('SIGTERM', () => process.exit())
