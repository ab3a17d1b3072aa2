/** What every part of one running service shares. Time, randomness and configuration come from here and nowhere else. */
import type { Config } from './config.ts'
import type { Db } from './db/db.ts'
import type { NewId } from './ids.ts'
import type { Log } from './log.ts'
import type { Outbound } from './outbound/fetch.ts'
import type { Secrets } from './secrets.ts'
import type { Counters } from './statistics/counters.ts'

export interface Deployment {
  readonly config: Config
  readonly db: Db
  readonly secrets: Secrets
  readonly log: Log
  readonly counters: Counters
  /** The only way out to addresses that others chose. */
  readonly outbound: Outbound
  readonly now: () => Date
  readonly random: (bytes: number) => Buffer
  readonly newId: NewId
}

/** 256 bits nobody can guess, for codes, tokens and cookies. */
export function newSecret(deployment: Pick<Deployment, 'random'>): string {
  return deployment.random(32).toString('base64url')
}
