/**
 * Hashes passwords with argon2id, 19 MiB, 2 passes, 1 lane (OWASP's first choice). At most one hash per core runs at a time, so that
 * sign-ins do not starve the signing of tokens. The others wait for their turn (`waiting-room.ts`). See docs/decisions/0069.
 */
import { availableParallelism } from 'node:os'
import { type Algorithm, hash, verify } from '@node-rs/argon2'
import { normalised } from '../../base/normalisation.ts'
import { type Reason, reason } from '../../base/reason.ts'
import { Unavailable } from '../../base/unavailable.ts'
import { createDoorway } from './doorway.ts'
import type { Ended, HashOrigin } from './hashing-turns.ts'
import { longest_password } from './password-policy.ts'
import { createWaitingRoom } from './waiting-room.ts'

const parameters = { algorithm: 2 as Algorithm, memoryCost: 19_456, timeCost: 2, parallelism: 1 } // as: Algorithm is a const enum; 2 is Argon2id

/** The hash of no known password. Verifying against it makes an unknown account take as long as a known one. */
const decoy = '$argon2id$v=19$m=19456,t=2,p=1$Zm9yIG5vIGFjY291bnQ$VGhlIGRpZ2VzdCBvZiBubyBwYXNzd29yZCBhdCBhbGw'

/** A hash that would wait longer than this is refused, or the one that is evicted for it. */
const longest_wait_ms = 3_000
const most_waiting = 1_000
/** The expected wait follows from the mean of this many hashes. */
const most_measured = 20
/** Stands for the mean until a hash has been measured. */
const unmeasured_ms = 25

/** No hash was computed: too many wait, or the client disconnected before its turn. */
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
  place: HashOrigin
  /** Aborted when the client disconnects. */
  signal?: AbortSignal
  /** Called when the hash waits for its turn, or has it. */
  queued?: () => void
}

/** Where the passwords of a first start come from, which belong to no tenant yet. */
const of_set_up: Turn = { place: { tenant_id: '', environment_id: '', network: '', source: '', marked_account: null } }

/** The lanes of one of several processes on this machine. Each process has at least one. */
export const lanesOf = (processes: number): number => Math.max(1, Math.floor(availableParallelism() / processes))

/** The threads of Node's pool. Hashes leave four of them for signatures, and for the syncs of the database, which answers wait for. */
export const threadsFor = (lanes: number): number => lanes + 4

export type MatchingForm = 'normalised' | 'typed'

export type Passwords = ReturnType<typeof createPasswords>

/**
 * @param lanes how many hashes run at a time
 * @param milliseconds a clock that only measures
 */
export function createPasswords(lanes = lanesOf(1), argon2 = { hash, verify }, milliseconds = () => performance.now()) {
  let running = 0
  const room = createWaitingRoom<Ended>(refusal)
  const took_ms: number[] = []
  const refused = { busy: 0, gone: 0 }

  function refusal(reason: keyof typeof refused): HashingRefused {
    refused[reason] += 1
    return new HashingRefused(reason)
  }

  /** @throws HashingRefused */
  async function inLane<T>(turn: Turn, work: () => Promise<T>): Promise<T> {
    if (turn.signal?.aborted) throw refusal('gone')
    const waits = running >= lanes
    if (!waits) running++
    const its_turn = waits ? waitForTurn(turn) : room.begins(turn.place)
    turn.queued?.()
    const ended = await its_turn
    const began = milliseconds()
    try {
      return await work()
    } finally {
      took_ms.push(milliseconds() - began)
      if (took_ms.length > most_measured) took_ms.shift()
      ended()
      if (!room.admitNext((next) => next)) running--
    }
  }

  const waitForTurn = ({ place, signal }: Turn): Promise<Ended> =>
    room.wait(place, signal, room.waiting >= most_waiting || expectedWait(place) > longest_wait_ms)

  function expectedWait(place: HashOrigin): number {
    const mean_ms = took_ms.length === 0 ? unmeasured_ms : took_ms.reduce((sum, ms) => sum + ms) / took_ms.length
    return (room.turnsBefore(place) * mean_ms) / lanes
  }

  return {
    /** How many hashes run at a time. */
    lanes,

    /** For forms of strangers, before their passwords are looked at. */
    doorway: createDoorway({ lanes, waiting: () => room.waiting, most_waiting, refusal }),

    /** Returns how many passwords this process hashes now, how many wait, and how many it has refused since its start. */
    load: () => ({ running, waiting: room.waiting, refused }),

    /**
     * Hashes a password that `passwordProblem` accepts. Applies NFKC first, so that the same characters from different keyboards
     * are the same password (NIST SP 800-63B §3.1.1.2).
     *
     * @throws HashingRefused
     */
    async hash(password: string, turn = of_set_up): Promise<string> {
      if (password.length > longest_password) throw new RangeError('The password is longer than the limit.')
      return inLane(turn, () => argon2.hash(normalised(password), parameters))
    },

    /**
     * Returns the form of the password that matches the hash: the normalised one, else the one that was typed, whose hash is older than
     * normalisation. `null` never matches and takes the same time. A password longer than the limit is wrong for every
     * account and is neither normalised nor hashed.
     *
     * @throws HashingRefused
     */
    async verify(password_hash: string | null, password: string, turn = of_set_up): Promise<MatchingForm | null> {
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
