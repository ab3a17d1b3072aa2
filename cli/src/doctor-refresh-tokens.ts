/** Checks refresh tokens for `ostiary doctor`: the upgrade to chains, and traces of a restored copy of the database (decision 0125). */
import { findChainStart } from '@ostiary/server/deployment/chain-start.ts'
import type { Deployment } from '@ostiary/server/deployment/deployment.ts'
import { countAhead, countLiveRows } from '@ostiary/server/domain/sessions/refresh-chains.ts'
import type { Finding } from './finding.ts'

export async function checkRefreshTokens({ db, config, now }: Deployment): Promise<Finding[]> {
  const start = await findChainStart(db, config.refresh_chains_from)
  const at = now()
  const live = await countLiveRows(db, at)
  const ahead = await countAhead(db)
  return [...(start === null ? [] : [checkStart(start, at)]), checkRows(live), ...(ahead === 0 ? [] : [restored(ahead)])]
}

function checkStart(start: Date, now: Date): Finding {
  if (start <= now) return { level: 'ok', text: 'New sign-ins get chains of refresh tokens.' }
  const minutes = Math.ceil((start.getTime() - now.getTime()) / 60_000)
  return {
    level: 'ok',
    text: `Chains of refresh tokens begin in ${minutes} min, at ${start.toISOString()}. Replace the processes of the version before until then; after it they are refused. For more time set OSTIARY_REFRESH_CHAINS_FROM to a later time.`,
  }
}

const checkRows = (live: number): Finding => ({
  level: 'ok',
  text:
    live === 0
      ? 'No refresh token from before chains is valid.'
      : `Refresh tokens from before chains that are still valid: ${live}. Each moves to its chain when it is used.`,
})

const restored = (ahead: number): Finding => ({
  level: 'warning',
  text: `Sign-ins that ended since an older copy of the database was restored, in the last days: ${ahead}. Their applications had refresh tokens that this database did not know. The people sign in again, and nothing else has to be done.`,
})
