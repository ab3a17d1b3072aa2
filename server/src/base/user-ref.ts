// pure
import type { EnvironmentId } from '@ostiary/contract/ids.ts'

/** Says which user: its row, or the key of the row. */
export interface UserRef {
  environment_id: EnvironmentId
  id: string
}
