/** Names in the place of the ids that a refused call and its reason have. */
import type { RefusedCall } from '@ostiary/sdk'
import type { NameOf } from '../../parts/names.tsx'

const ids = /\b(?:usr|app|key|rs|prv|whk|env)_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g

export const idsOfCall = ({ client_id, user_id, key_id, reason }: RefusedCall): (string | null)[] => [
  client_id,
  user_id,
  key_id,
  ...(reason.match(ids) ?? []),
]

/** Where an id has no name, it stays. */
export const withNames = (reason: string, nameOf: NameOf): string =>
  reason.replaceAll(ids, (id) => {
    const name = nameOf(id)?.name
    return name ? `“${name}”` : id
  })
