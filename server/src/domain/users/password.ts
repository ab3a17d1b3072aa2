/**
 * Hashes passwords with argon2id, 19 MiB, 2 passes, 1 lane (OWASP's first choice), and checks them against such hashes and those of other
 * systems. At most one hash per core runs at a time, so that sign-ins do not starve the signing of tokens, and at most one foreign one. The
 * others wait for their turn (`waiting-room.ts`). See docs/decisions/0069 and 0207.
 */
import { availableParallelism } from 'node:os'
import { type Algorithm, hash, verify } from '@node-rs/argon2'
import { normalised } from '../../base/normalisation.ts'
import { type Reason, reason } from '../../base/reason.ts'
import { Unavailable } from '../../base/unavailable.ts'
import { createDoorway } from './doorway.ts'
import { matchesForeignHash } from './foreign-check.ts'
import { readForeignHash } from './foreign-hashes.ts'
import type { Ended, HashOrigin } from './hashing-turns.ts'
import { longest_password } from './password-policy.ts'
import { createWaitingRoom } from './waiting-room.ts'

const parameters = { algorithm: 2 as Algorithm, memoryCost: 19_456, timeCost: 2, parallelism: 1 } // as: Algorithm is a const enum; 2 is Argon2id

/** The hash of no known password, for an unknown account where no account has a password. */
const decoy = '$argon2id$v=19$m=19456,t=2,p=1$Zm9yIG5vIGFjY291bnQ$VGhlIGRpZ2VzdCBvZiBubyBwYXNzd29yZCBhdCBhbGw'

/** A hash that would wait longer than this is refused, or the one that is evicted for it. */
const longest_wait_ms = 3_000
const most_waiting = 1_000
/** The expected wait follows from the mean of this many hashes. */
const most_measured = 20
/** Stand for the mean until a hash has been measured. */
const unmeasured_ms = 25
const unmeasured_foreign_ms = 100

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

/** How a password matches: its normalised form, the typed one, or one of both a hash of another system. */
export type MatchingForm = 'normalised' | 'typed' | 'foreign'

export type Passwords = ReturnType<typeof createPasswords>

/**
 * @param lanes how many hashes run at a time
 * @param milliseconds a clock that only measures
 */
export function createPasswords(
  lanes = lanesOf(1),
  argon2 = { hash, verify },
  milliseconds = () => performance.now(),
  matchesForeign = matchesForeignHash,
) {
  let running = 0
  const room = createWaitingRoom<Ended>(refusal)
  const measured: Record<'own' | 'foreign', number[]> = { own: [], foreign: [] }
  const refused = { busy: 0, gone: 0 }

  function refusal(reason: keyof typeof refused): HashingRefused {
    refused[reason] += 1
    return new HashingRefused(reason)
  }

  /** @throws HashingRefused */
  async function inLane<T>(turn: Turn, is_foreign: boolean, work: () => Promise<T>): Promise<T> {
    if (turn.signal?.aborted) throw refusal('gone')
    const waits = running >= lanes || (is_foreign && room.foreignRuns)
    if (!waits) running++
    const its_turn = waits ? waitForTurn(turn, is_foreign) : room.begins(turn.place, is_foreign)
    turn.queued?.()
    const ended = await its_turn
    const began = milliseconds()
    try {
      return await work()
    } finally {
      const took_ms = measured[is_foreign ? 'foreign' : 'own']
      took_ms.push(milliseconds() - began)
      if (took_ms.length > most_measured) took_ms.shift()
      ended()
      if (!room.admitNext((next) => next)) running--
    }
  }

  const waitForTurn = ({ place, signal }: Turn, is_foreign: boolean): Promise<Ended> =>
    room.wait(place, signal, room.waiting >= most_waiting || expectedWait(place, is_foreign) > longest_wait_ms, is_foreign)

  /** Foreign hashes take one lane, one after another, while ours pass them by on the other lanes. */
  function expectedWait(place: HashOrigin, is_foreign: boolean): number {
    const { turns, foreign } = room.turnsBefore(place)
    const foreign_ms = foreign * meanOf(measured.foreign, unmeasured_foreign_ms)
    const own_ms = (turns - foreign) * meanOf(measured.own, unmeasured_ms)
    const together_ms = (own_ms + foreign_ms) / lanes
    if (is_foreign) return Math.max(foreign_ms, together_ms)
    return lanes === 1 ? together_ms : Math.min(own_ms / (lanes - 1), together_ms)
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
      return inLane(turn, false, () => argon2.hash(normalised(password), parameters))
    },

    /**
     * Returns the form of the password that matches the hash: the normalised one, else the one that was typed, whose hash is older than
     * normalisation. A hash of another system is first compared with what was typed. `null` never matches and takes as long as the hash
     * `in_place` of it. A password longer than the limit is wrong for every account and is neither normalised nor hashed.
     *
     * @throws HashingRefused
     */
    async verify(
      password_hash: string | null,
      password: string,
      turn = of_set_up,
      in_place: string | null = null,
    ): Promise<MatchingForm | null> {
      if (password.length > longest_password) return null
      const stored = password_hash ?? in_place ?? decoy
      const foreign = readForeignHash(stored)
      const normal = normalised(password)
      const spellings = new Set(foreign ? [password, normal] : [normal, password])
      return inLane(turn, foreign !== null, async () => {
        for (const spelling of spellings) {
          if (!(await (foreign ? matchesForeign(foreign, spelling) : argon2.verify(stored, spelling)))) continue
          if (password_hash === null) return null
          return foreign ? 'foreign' : spelling === normal ? 'normalised' : 'typed'
        }
        return null
      })
    },
  }
}

const meanOf = (took_ms: readonly number[], unmeasured: number): number =>
  took_ms.length === 0 ? unmeasured : took_ms.reduce((sum, ms) => sum + ms) / took_ms.length
