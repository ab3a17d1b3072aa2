import type { Promotion } from '@ostiary/sdk'
import { Time } from '../../parts/time.tsx'
import { whoWords } from './words.ts'

/** Who took a step, and when. */
export const DoneBy = ({ who, at }: { who: Promotion['created_by']; at: string | null }) => (
  <>
    by <b>{whoWords(who)}</b>, <Time at={at} />
  </>
)
