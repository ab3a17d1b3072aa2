/**
 * Hashes passwords with argon2id, 19 MiB, 2 passes, 1 lane (OWASP's first choice). At most one hash per core runs at a time, so that
 * sign-ins do not starve the signing of tokens. The queue of waiting hashes is bounded, and one environment has at most half of it.
 */
import { availableParallelism } from 'node:os'
import { type Algorithm, hash, verify } from '@node-rs/argon2'
import { normalised } from '../base/normalisation.ts'
import { type Reason, reason } from '../base/reason.ts'
import { Unavailable } from '../base/unavailable.ts'
import { longest_password } from './password-policy.ts'

const parameters = { algorithm: 2 as Algorithm, memoryCost: 19_456, timeCost: 2, parallelism: 1 } // as: Algorithm is a const enum; 2 is Argon2id

/** The hash of no known password. Verifying against it makes an unknown account take as long as a known one. */
const decoy = '$argon2id$v=19$m=19456,t=2,p=1$Zm9yIG5vIGFjY291bnQ$VGhlIGRpZ2VzdCBvZiBubyBwYXNzd29yZCBhdCBhbGw'

const waiting_per_lane = 8

/** No hash was computed: the queue is full, or the client disconnected before its turn. */
export class HashingRefused extends Unavailable {
  override readonly name = 'HashingRefused'
  readonly detail = 'Too many passwords are set or checked right now. Try again shortly.'
  readonly why: Reason
  readonly reason: 'busy' | 'gone'
  constructor(cause: 'busy' | 'gone') {
    super(cause === 'busy' ? 'Too many passwords are waiting to be hashed.' : 'The client disconnected before its turn.')
    this.reason = cause
    this.why =
      cause === 'busy'
        ? reason`Too many passwords were waiting to be hashed.`
        : reason`The client disconnected before its password was hashed.`
  }
}

/** The request for which a hash is computed. */
export interface Turn {
  environment_id: string
  /** Aborted when the client disconnects. */
  signal?: AbortSignal
}

interface Waiter {
  environment_id: string
  start(): void
}

export type MatchingForm = 'normalised' | 'typed'

export type Passwords = ReturnType<typeof createPasswords>

export function createPasswords(lanes = availableParallelism(), argon2 = { hash, verify }) {
  const most_waiting = waiting_per_lane * lanes
  const most_waiting_per_environment = most_waiting / 2
  let running = 0
  const waiting: Waiter[] = []
  const refused = { busy: 0, gone: 0 }

  function refusal(reason: keyof typeof refused): HashingRefused {
    refused[reason] += 1
    return new HashingRefused(reason)
  }

  /** @throws HashingRefused */
  async function inLane<T>(turn: Turn, work: () => Promise<T>): Promise<T> {
    if (turn.signal?.aborted) throw refusal('gone')
    if (running >= lanes) await waitForLane(turn)
    else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next.start()
      else running--
    }
  }

  function waitForLane({ environment_id, signal }: Turn): Promise<void> {
    const waiting_of_environment = waiting.filter((waiter) => waiter.environment_id === environment_id).length
    if (waiting.length >= most_waiting || waiting_of_environment >= most_waiting_per_environment) throw refusal('busy')
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        environment_id,
        start() {
          signal?.removeEventListener('abort', leave)
          resolve()
        },
      }
      function leave() {
        waiting.splice(waiting.indexOf(waiter), 1)
        reject(refusal('gone'))
      }
      waiting.push(waiter)
      signal?.addEventListener('abort', leave, { once: true })
    })
  }

  return {
    /** What this process hashes now, and how many hashes it has refused since its start. */
    load: () => ({ running, waiting: waiting.length, refused }),

    /**
     * Hashes a password that `passwordProblem` accepts. Applies NFKC first, so that the same characters from different keyboards
     * are the same password (NIST SP 800-63B §3.1.1.2).
     *
     * @throws HashingRefused
     */
    async hash(password: string, turn: Turn = { environment_id: '' }): Promise<string> {
      if (password.length > longest_password) throw new RangeError('The password is longer than the limit.')
      return inLane(turn, () => argon2.hash(normalised(password), parameters))
    },

    /**
     * Returns the form of the password that matches the hash: the normalised one, else the one that was typed, whose hash is older than
     * normalisation (people.md 14). `null` never matches and takes the same time. A password longer than the limit is wrong for every
     * account and is neither normalised nor hashed.
     *
     * @throws HashingRefused
     */
    async verify(password_hash: string | null, password: string, turn: Turn = { environment_id: '' }): Promise<MatchingForm | null> {
      if (password.length > longest_password) return null
      const normal = normalised(password)
      return inLane(turn, async () => {
        if (await argon2.verify(password_hash ?? decoy, normal)) return password_hash === null ? null : 'normalised'
        if (normal === password) return null
        return (await argon2.verify(password_hash ?? decoy, password)) && password_hash !== null ? 'typed' : null
      })
    },
  }
}
