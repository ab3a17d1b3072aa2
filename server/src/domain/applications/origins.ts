/**
 * Stores the web origins of single-page applications. Their scripts may read the responses of the token, userinfo and revocation
 * endpoints. The origins have their own table, because deriving them from 50,000 redirect URIs took 220 ms per request.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { Application } from '@ostiary/contract/objects/application.ts'
import { z } from 'zod'
import { type Db, join, type Statement, sql } from '../../db/db.ts'
import { sameEnvironment } from '../../db/environment.ts'

/** A host has at most 253 characters (RFC 1035 §2.3.4). This leaves room for scheme and port. */
const longest_origin = 300

const Found = z.object({ origin: z.string() })

/** Whether an enabled single-page application of this environment has a redirect URI of this origin. */
export async function isSpaOrigin(db: Db, environment_id: EnvironmentId, origin: string): Promise<boolean> {
  if (origin.length > longest_origin) return false
  const found = await db.of(environment_id).maybeOne(
    Found,
    sql`select o.origin from application_origins o
          join applications a on ${sameEnvironment('a', 'o', environment_id)} and a.id = o.application_id
         where o.environment_id = ${environment_id} and o.origin = ${origin} and a.application_type = 'spa' and a.disabled = 0
         limit 1`,
  )
  return found !== null
}

type Origins = Pick<Application, 'application_type' | 'redirect_uris'>

/** Replaces the origins of an application, in the batch that changes it. */
export const listOrigins = (environment_id: EnvironmentId, id: string, of: Origins): Statement[] => [
  unlistOrigins(environment_id, id),
  ...insertOrigins(environment_id, id, of),
]

/** Inserts the origins of an application that has none, in the batch that inserts it. */
export function insertOrigins(environment_id: EnvironmentId, id: string, { application_type, redirect_uris }: Origins): Statement[] {
  const origins = application_type === 'spa' ? originsOf(redirect_uris) : []
  const rows = origins.map((origin) => sql`(${environment_id}, ${origin}, ${id})`)
  if (rows.length === 0) return []
  return [
    sql`insert into application_origins (environment_id, origin, application_id) values ${join(rows, ', ')}
          on conflict (environment_id, origin, application_id) do nothing`,
  ]
}

export const unlistOrigins = (environment_id: EnvironmentId, id: string): Statement =>
  sql`delete from application_origins where environment_id = ${environment_id} and application_id = ${id}`

function originsOf(redirect_uris: readonly string[]): string[] {
  const origins = redirect_uris.flatMap((uri) => (/^https?:/i.test(uri) && URL.canParse(uri) ? [new URL(uri).origin] : []))
  return [...new Set(origins)].filter((origin) => origin.length <= longest_origin).sort()
}
