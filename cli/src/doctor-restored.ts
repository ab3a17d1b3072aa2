/** Finds traces of a restored copy of the database for `ostiary doctor` (decision 0125). */
import type { Db } from '@ostiary/server/db/db.ts'
import { countAhead } from '@ostiary/server/domain/sessions/refresh-chains.ts'
import type { Finding } from './finding.ts'

export async function checkRestored(db: Db): Promise<Finding[]> {
  const ahead = await countAhead(db)
  if (ahead === 0) return []
  return [
    {
      level: 'warning',
      text: `Sign-ins that ended since an older copy of the database was restored, in the last days: ${ahead}. Their applications had refresh tokens that this database did not know. The people sign in again, and nothing else has to be done.`,
    },
  ]
}
