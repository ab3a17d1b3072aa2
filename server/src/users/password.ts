/**
 * Passwords: argon2id, 19 MiB, 2 passes, 1 lane (OWASP's first choice), at most one hash per core in flight, so that a
 * burst of sign-ins queues here and never starves the signing of tokens.
 */
import { availableParallelism } from 'node:os'
import { type Algorithm, hash, verify } from '@node-rs/argon2'
import { normalised } from '../normalisation.ts'

const parameters = { algorithm: 2 as Algorithm, memoryCost: 19_456, timeCost: 2, parallelism: 1 } // as: Algorithm is a const enum; 2 is Argon2id

/** A hash of nothing anybody knows: what a password is compared with where there is no account, so that both take the same time. */
const decoy = '$argon2id$v=19$m=19456,t=2,p=1$Zm9yIG5vIGFjY291bnQ$VGhlIGRpZ2VzdCBvZiBubyBwYXNzd29yZCBhdCBhbGw'

export type Passwords = ReturnType<typeof createPasswords>

export function createPasswords(lanes = availableParallelism()) {
  let running = 0
  const waiting: (() => void)[] = []

  async function inLane<T>(work: () => Promise<T>): Promise<T> {
    if (running >= lanes) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }

  return {
    /** NFKC first, so that the same characters typed on another keyboard are the same password (NIST SP 800-63B §3.1.1.2). */
    hash: (password: string) => inLane(() => hash(normalised(password), parameters)),
    /** False for `null`, in the same time. */
    verify: (password_hash: string | null, password: string) =>
      inLane(async () => (await verify(password_hash ?? decoy, normalised(password))) && password_hash !== null),
  }
}
