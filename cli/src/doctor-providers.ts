/** The check of `ostiary doctor` for accounts that came from a provider. */
import { sql } from '@ostiary/server/db/db.ts'
import type { Deployment } from '@ostiary/server/deployment/deployment.ts'
import { z } from 'zod'
import type { Finding } from './finding.ts'

const Row = z.object({
  environment_id: z.string(),
  provider_id: z.string(),
  issuer: z.string(),
  subject: z.string(),
  user_id: z.string(),
  is_cut: z.boolean(),
})

/** Earlier versions cut an address from a provider to this many characters. */
const cut_length = 200
/** The identities of one read. */
const slice = 2_000
/** The most accounts that the finding names. */
const most_named = 20

/** Lists accounts whose address may be a part of what their provider sent, and so the address of another person. */
export async function checkProviderAddresses({ db }: Pick<Deployment, 'db'>, identities_per_read = slice): Promise<Finding> {
  const found = new Set<string>()
  let last: z.infer<typeof Row> | undefined
  for (;;) {
    const after = last ? sql`where (${key('i')}) > (${last.environment_id}, ${last.provider_id}, ${last.issuer}, ${last.subject})` : sql``
    const rows = await db.many.all(
      Row,
      sql`select ${key('s')}, s.user_id, case when length(u.email) = ${cut_length} then 1 else 0 end as is_cut
            from (select ${key('i')}, i.user_id from identities i ${after} order by ${key('i')} limit ${identities_per_read}) s
            left join users u on u.environment_id = s.environment_id and u.id = s.user_id order by ${key('s')}`,
    )
    for (const { is_cut, user_id, environment_id } of rows) if (is_cut) found.add(`${user_id} (${environment_id})`)
    last = rows.at(-1)
    if (rows.length < identities_per_read) break
  }
  if (found.size === 0) return { level: 'ok', text: `No account of a provider has an address of exactly ${cut_length} characters.` }
  return {
    level: 'warning',
    text: `${found.size} accounts of a provider have an address of exactly ${cut_length} characters. Earlier versions cut a longer address there, so it may be the address of another person. Compare each with its provider, and change or delete it: ${[...found].slice(0, most_named).join(', ')}`,
  }
}

const key = (table: 'i' | 's') =>
  table === 'i' ? sql`i.environment_id, i.provider_id, i.issuer, i.subject` : sql`s.environment_id, s.provider_id, s.issuer, s.subject`
