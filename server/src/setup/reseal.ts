/**
 * A new master key: with OSTIARY_MASTER_KEY "new,old" everything that is sealed under the old one is sealed again under
 * the new one at the start. Each row is replaced only where it is still what was read, so several processes may do it at once.
 */
import { z } from 'zod'
import { type Db, type Statement, sql } from '../db/db.ts'
import type { Deployment } from '../deployment.ts'
import { secretPlace as placeOfProvider } from '../providers/store.ts'
import type { Secrets } from '../secrets.ts'
import { secretPlace } from '../webhooks/deliver.ts'

const KeyRow = z.object({ environment_id: z.string(), kid: z.string(), private_key: z.string() })
const Named = z.object({ value: z.string() })
const SettingsRow = z.object({ id: z.string(), settings: z.record(z.string(), z.unknown()), version: z.int() })

/** Says how many values were sealed anew. */
export async function resealAll({ db, secrets }: Pick<Deployment, 'db' | 'secrets'>): Promise<number> {
  let resealed = 0
  for (const replace of [
    ...(await signingKeys(db, secrets)),
    ...(await demo(db, secrets)),
    ...(await mailPasswords(db, secrets)),
    ...(await webhookSecrets(db, secrets)),
    ...(await providerSecrets(db, secrets)),
  ])
    resealed += await db.run(replace)
  return resealed
}

function again(secrets: Secrets, sealed: string, place: string): string {
  return secrets.seal(secrets.unseal(sealed, place), place)
}

async function signingKeys(db: Db, secrets: Secrets): Promise<Statement[]> {
  const rows = await db.all(KeyRow, sql`select environment_id, kid, private_key from signing_keys`)
  return rows
    .filter((row) => secrets.isStale(row.private_key))
    .map(({ environment_id, kid, private_key }) => {
      const fresh = again(secrets, private_key, `signing_keys.${environment_id}.${kid}`)
      return sql`update signing_keys set private_key = ${fresh} where environment_id = ${environment_id} and kid = ${kid} and private_key = ${private_key}`
    })
}

async function demo(db: Db, secrets: Secrets): Promise<Statement[]> {
  const rows = await db.all(Named, sql`select value from deployment where name = 'demo'`)
  return rows
    .filter((row) => secrets.isStale(row.value))
    .map(
      ({ value }) =>
        sql`update deployment set value = ${again(secrets, value, 'deployment.demo')} where name = 'demo' and value = ${value}`,
    )
}

const WebhookRow = z.object({ environment_id: z.string(), id: z.string(), secret: z.string(), previous_secret: z.string().nullable() })

async function webhookSecrets(db: Db, secrets: Secrets): Promise<Statement[]> {
  const rows = await db.all(WebhookRow, sql`select environment_id, id, secret, previous_secret from webhooks`)
  return rows
    .filter((row) => secrets.isStale(row.secret) || (row.previous_secret !== null && secrets.isStale(row.previous_secret)))
    .map(({ environment_id, id, secret, previous_secret }) => {
      const place = secretPlace(environment_id, id)
      const previous = previous_secret === null ? null : again(secrets, previous_secret, place)
      return sql`update webhooks set secret = ${again(secrets, secret, place)}, previous_secret = ${previous}
                  where environment_id = ${environment_id} and id = ${id} and secret = ${secret}`
    })
}

const ProviderRow = z.object({
  environment_id: z.string(),
  id: z.string(),
  client_secret: z.string().nullable(),
  private_key: z.string().nullable(),
})

async function providerSecrets(db: Db, secrets: Secrets): Promise<Statement[]> {
  const rows = await db.all(ProviderRow, sql`select environment_id, id, client_secret, private_key from providers`)
  return rows.flatMap((row) => {
    const { environment_id, id } = row
    const fresh = (name: 'client_secret' | 'private_key') => {
      const sealed = row[name]
      return sealed !== null && secrets.isStale(sealed) ? again(secrets, sealed, placeOfProvider(environment_id, id, name)) : sealed
    }
    const [client_secret, private_key] = [fresh('client_secret'), fresh('private_key')]
    if (client_secret === row.client_secret && private_key === row.private_key) return []
    return [
      sql`update providers set client_secret = ${client_secret}, private_key = ${private_key} where environment_id = ${environment_id} and id = ${id}
            and coalesce(client_secret, '') = ${row.client_secret ?? ''} and coalesce(private_key, '') = ${row.private_key ?? ''}`,
    ]
  })
}

async function mailPasswords(db: Db, secrets: Secrets): Promise<Statement[]> {
  const rows = await db.all(
    SettingsRow,
    sql`select id, settings, settings_version as version from environments where settings like '%"password":"v1.%'`,
  )
  return rows.flatMap(({ id, settings, version }) => {
    const { email } = settings as { email?: { smtp?: { password?: string } } } // as: the stored form of the settings
    const sealed = email?.smtp?.password
    if (sealed === undefined || !secrets.isStale(sealed)) return []
    const fresh = { ...settings, email: { ...email, smtp: { ...email?.smtp, password: again(secrets, sealed, `smtp.${id}`) } } }
    return [sql`update environments set settings = ${fresh} where id = ${id} and settings_version = ${version}`]
  })
}
