/** Reads the configuration of an environment. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EnvironmentId, TenantId } from '@ostiary/contract/ids.ts'
import { Kept } from '@ostiary/contract/kept.ts'
import type { ObjectKind } from '@ostiary/contract/objects/objects.ts'
import { Slug } from '@ostiary/contract/values.ts'
import { z } from 'zod'
import type { Slices } from '../../base/steps.ts'
import { type Db, sql } from '../../db/db.ts'
import { tooBusy } from '../../http/problem.ts'
import { type ApplicationRow, pageOfApplications } from '../applications/store.ts'
import { type ProviderRow, pageOfProviders } from '../providers/store.ts'
import { pageOfResourceServers, type StoredResourceServer } from '../resource-servers/store.ts'
import { pageOfRoles, type RoleRow } from '../roles/store.ts'
import { SettingsRow } from '../tenancy/store.ts'
import { pageOfWebhooks, type WebhookRow } from '../webhooks/store.ts'
import { type Configuration, configurationSteps } from './configuration.ts'

const EnvironmentRow = SettingsRow.extend({ slug: Slug, config_version: z.int(), keeps: z.array(Kept) })
type EnvironmentRow = z.infer<typeof EnvironmentRow>

/** The rows behind the objects of a configuration, by their slugs. */
export interface RowsOfKinds {
  readonly resource_server: ReadonlyMap<string, StoredResourceServer>
  readonly role: ReadonlyMap<string, RoleRow>
  readonly application: ReadonlyMap<string, ApplicationRow>
  readonly provider: ReadonlyMap<string, ProviderRow>
  readonly webhook: ReadonlyMap<string, WebhookRow>
}

export interface EnvironmentPath {
  tenant_id: TenantId
  project_id: string
  environment_id: string
}

/** An environment as it was read, with the facts besides the values of its configuration. */
export interface Read {
  readonly id: EnvironmentId
  readonly issuer: string
  readonly keeps: readonly Kept[]
  readonly configuration: Configuration
  readonly settings: SettingsRow
  readonly rows: RowsOfKinds
  readonly idOf: (kind: ObjectKind, slug: string) => string | null
}

interface Reader {
  readonly db: Db
  readonly slices: Slices
}

const findRow = (db: Db, { tenant_id, project_id, environment_id }: EnvironmentPath) =>
  db.maybeOne(
    EnvironmentRow,
    sql`select id as environment_id, project_id, slug, type, issuer, settings, settings_version as version, settings_updated_at as updated_at,
               config_version, keeps
          from environments
         where tenant_id = ${tenant_id} and project_id = ${project_id} and id = ${environment_id}`,
  )

/** Each reading takes some milliseconds, so only changes without a pause spoil as many. */
const most_readings = 20

/**
 * The configurations of these environments at one moment: all versions are the same before and after the reading. Quotas and the size of a
 * body limit the objects. `null` for an environment that the tenant does not have.
 */
export async function readConfigurations(reader: Reader, places: readonly EnvironmentPath[]): Promise<(Read | null)[]> {
  const { db } = reader
  const findRows = () => Promise.all(places.map((place) => findRow(db, place)))
  let before = await findRows()
  for (let reading = 0; reading < most_readings; reading++) {
    const read = await Promise.all(before.map((row) => row && readObjects(reader, row)))
    const after = await findRows()
    if (after.every((row, i) => row?.config_version === before[i]?.config_version)) return read
    before = after
  }
  return tooBusy('environment')()
}

async function readObjects({ db, slices }: Reader, { slug, config_version, keeps, ...settings }: EnvironmentRow): Promise<Read> {
  const { environment_id: id, type, issuer } = settings
  const [resource_server, role, application, provider, webhook] = await Promise.all([
    allPages((after) => pageOfResourceServers(db, id, after, rows_of_page)),
    allPages((after) => pageOfRoles(db, id, after, rows_of_page)),
    allPages((after) => pageOfApplications(db, id, after, rows_of_page)),
    allPages((after) => pageOfProviders(db, id, after, rows_of_page)),
    allPages((after) => pageOfWebhooks(db, id, after, rows_of_page)),
  ])
  const rows: RowsOfKinds = {
    resource_server: bySlug(resource_server),
    role: bySlug(role),
    application: bySlug(application),
    provider: bySlug(provider),
    webhook: bySlug(webhook),
  }
  return {
    id,
    issuer,
    keeps,
    configuration: await slices.run(
      configurationSteps({ slug, type, config_version }, settings.settings, { resource_server, role, application, provider, webhook }),
    ),
    settings,
    rows,
    idOf: (kind, slug) => rows[kind].get(slug)?.id ?? null,
  }
}

/** To read and decode a page takes a millisecond or two. */
const rows_of_page = 100

/** Page by page in the order of the slugs, with a turn of the event loop between two. */
async function allPages<T extends { slug: string }>(pageAfter: (slug: string) => Promise<readonly T[]>): Promise<T[]> {
  const rows: T[] = []
  for (;;) {
    const page = await pageAfter(rows.at(-1)?.slug ?? '')
    rows.push(...page)
    if (page.length < rows_of_page) return rows
    await nextTurn()
  }
}

const bySlug = <T extends { slug: string }>(rows: readonly T[]): ReadonlyMap<string, T> => new Map(rows.map((row) => [row.slug, row]))
