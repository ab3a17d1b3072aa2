/** The services that every part of the process shares. Time, randomness and configuration come only from here. */
import type { Config } from '../base/config/config.ts'
import type { NewId } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import type { Db } from '../db/db.ts'
import type { Counters } from './counters.ts'
import type { Forwarders } from './forwarders.ts'
import type { ClientUses, GrantUses, SecretUses } from './grant-uses.ts'
import type { JwksReaders } from './jwks-readers.ts'
import type { Outbound } from './outbound/fetch.ts'
import type { DeliverBySmtp } from './outbound/smtp.ts'
import type { RefusedCalls } from './refused-calls/refused-calls.ts'
import type { Secrets } from './secrets/secrets.ts'
import type { Tally } from './tally.ts'
import type { Telemetry } from './telemetry/telemetry.ts'

export interface Deployment {
  readonly config: Config
  readonly db: Db
  readonly secrets: Secrets
  readonly log: Log
  /** The log lines and spans for a collector; `null` without one, and in commands. */
  readonly telemetry: Telemetry | null
  readonly counters: Counters
  readonly refused_calls: RefusedCalls
  readonly grant_uses: GrantUses
  readonly client_uses: ClientUses
  readonly secret_uses: SecretUses
  readonly forwarders: Forwarders
  readonly jwks_readers: JwksReaders
  readonly tally: Tally
  /** The only way to call addresses that tenants or clients chose. */
  readonly outbound: Outbound
  /** The only way to call mail servers. */
  readonly smtp: DeliverBySmtp
  readonly now: () => Date
  readonly random: (bytes: number) => Buffer
  readonly newId: NewId
}

/** Creates a secret of 256 random bits, for codes, tokens and cookies. */
export function newSecret(deployment: Pick<Deployment, 'random'>): string {
  return deployment.random(32).toString('base64url')
}
