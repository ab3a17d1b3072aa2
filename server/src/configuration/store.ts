/** Reads the configuration of an environment. */
import { EnvironmentId, type TenantId } from '@ostiary/contract/ids.ts'
import { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import { Slug } from '@ostiary/contract/values.ts'
import { z } from 'zod'
import { listApplications } from '../applications/store.ts'
import { type Db, sql } from '../db/db.ts'
import { tooBusy } from '../http/problem.ts'
import { listProviders } from '../providers/store.ts'
import { listResourceServers } from '../resource-servers/store.ts'
import { listWebhooks } from '../webhooks/store.ts'
import { type Configuration, configurationOf } from './configuration.ts'

const EnvironmentRow = z.object({
  id: EnvironmentId,
  slug: Slug,
  type: EnvironmentType,
  settings: z.record(z.string(), z.unknown()),
  config_version: z.int(),
})

interface Place {
  tenant_id: TenantId
  project_id: string
  environment_id: string
}

const findRow = (db: Db, { tenant_id, project_id, environment_id }: Place) =>
  db.maybeOne(
    EnvironmentRow,
    sql`select id, slug, type, settings, config_version from environments
         where tenant_id = ${tenant_id} and project_id = ${project_id} and id = ${environment_id}`,
  )

/** Each reading takes some milliseconds, so only changes without a pause spoil as many. */
const most_readings = 20

/**
 * The configuration at one moment: its version is the same before and after the reading. Quotas and the size of a body limit the objects.
 * `null` if the tenant has no such environment.
 */
export async function readConfiguration(db: Db, place: Place): Promise<Configuration | null> {
  let before = await findRow(db, place)
  for (let reading = 0; reading < most_readings; reading++) {
    if (!before) return null
    const { id, slug, type, settings, config_version } = before
    const [resource_server, application, provider, webhook] = await Promise.all([
      listResourceServers(db, id, all),
      listApplications(db, id, all),
      listProviders(db, id, all),
      listWebhooks(db, id, all),
    ])
    const after = await findRow(db, place)
    if (after?.config_version === config_version)
      return configurationOf({ slug, type, config_version }, settings, { resource_server, application, provider, webhook })
    before = after
  }
  throw tooBusy('environment')
}

const all = sql``
