/** Reads what the checks of an environment need, in a bounded number of small queries. */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { EventKind } from '@ostiary/contract/event.ts'
import type { EnvironmentId, TenantId } from '@ostiary/contract/ids.ts'
import { Provider } from '@ostiary/contract/objects/provider.ts'
import { z } from 'zod'
import { createBoundedMap } from '../../base/bounded-map.ts'
import { restartLimit } from '../../base/database-time.ts'
import { type Db, type OfEnvironment, sql } from '../../db/db.ts'
import { atCoordinator, inEnvironment } from '../../db/environment.ts'
import { enters } from '../../db/event-keys.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import { hasOrganizations } from '../organizations/counts.ts'
import { type Findings, most_counted, type Named, type ProductClaim } from './checks.ts'

export type ScanApplications = (environment_id: EnvironmentId) => Promise<Findings['applications']>

const Application = z.object({
  id: z.string(),
  name: z.string(),
  size: z.int(),
  has_http: z.boolean(),
  has_try_address: z.boolean(),
  template: z.string().nullable(),
})

/** An application can have 200 kB of addresses, so a page has few. */
const page_size = 20
/** The result for an environment with more addresses than this is kept for a while. Others are read afresh. */
const kept_above_bytes = 1_000_000
const kept_ms = 30_000
const most_kept = 1_000

/**
 * Looks through the addresses of all enabled applications. The quota bounds their number, but not their size: the largest environment
 * would have 200 MB. So one scan of an environment runs at a time, it yields to other work after every page, and the result of a long
 * one is kept.
 */
export function createApplicationScan({ db, now, config: { base_url } }: Pick<Deployment, 'db' | 'now' | 'config'>): ScanApplications {
  const in_progress = new Map<EnvironmentId, Promise<Findings['applications']>>()
  const kept = createBoundedMap<EnvironmentId, { found: Findings['applications']; until_ms: number }>(most_kept)

  async function scan(environment_id: EnvironmentId): Promise<Findings['applications']> {
    const found: Found = {
      enabled: 0,
      with_http: null,
      with_try_address: null,
      needing: { preferred_username: null, name: null },
    }
    let bytes = 0
    for (let last = ''; ; ) {
      restartLimit()
      const page = await db.of(environment_id).all(Application, pageOf(environment_id, last, base_url))
      for (const { id, name, size, has_http, has_try_address, template } of page) {
        found.enabled++
        bytes += size
        if (has_http) found.with_http ??= { id, name }
        if (has_try_address) found.with_try_address ??= { id, name }
        for (const claim of await claimsNeededBy(template)) found.needing[claim] ??= { id, name }
      }
      if (page.length < page_size) break
      last = page.at(-1)?.id ?? ''
      await yieldToOthers()
    }
    if (bytes > kept_above_bytes) kept.set(environment_id, { found, until_ms: now().getTime() + kept_ms })
    return found
  }

  return (environment_id) => {
    const long = kept.get(environment_id)
    if (long && now().getTime() < long.until_ms) return Promise.resolve(long.found)
    const shared = in_progress.get(environment_id) ?? scan(environment_id).finally(() => in_progress.delete(environment_id))
    in_progress.set(environment_id, shared)
    return shared
  }
}

/** The findings while they are gathered. */
type Found = Findings['applications'] & { needing: Record<ProductClaim, Named | null> }

/** The templates are loaded when the first application has one. */
async function claimsNeededBy(template: string | null): Promise<ProductClaim[]> {
  if (template === null) return []
  const { templates } = await import('@ostiary/contract/application-templates/index.ts')
  const needs = templates.find(({ slug }) => slug === template)?.needs ?? []
  return needs.filter((need) => need === 'preferred_username' || need === 'name')
}

/** `localhost` and loopback addresses are http too, except for native applications, which receive codes there (RFC 8252 §7.3). */
function pageOf(environment_id: EnvironmentId, last: string, base_url: string): OfEnvironment {
  const addresses = sql`redirect_uris || post_logout_redirect_uris || '"' || coalesce(backchannel_logout_uri, '') || '""'
    || coalesce(initiate_login_uri, '') || '""' || coalesce(logo_uri, '') || '"'`
  return sql`select id, name, length(addresses) as size,
      case when application_type <> 'native' and addresses like '%"http://%' then 1 else 0 end as has_http,
      case when redirect_uris like ${`%"${base_url}/try/callback"%`} then 1 else 0 end as has_try_address, template
    from (select id, name, application_type, template, redirect_uris, ${addresses} as addresses from applications
           where environment_id = ${environment_id} and disabled = 0 and id > ${last} order by id limit ${page_size}) page
    order by id`
}

const Counted = z.object({ count: z.int() })

const CountedKeys = z.object({ all: z.int(), open: z.int() })

/** The secret keys that can be used, and those of them that can be used from any address. */
export async function countSecretKeys(db: Db, environment_id: EnvironmentId, now: Date): Promise<z.infer<typeof CountedKeys>> {
  const row = await db.of(environment_id).maybeOne(
    CountedKeys,
    atCoordinator`select count(*) as "all", count(case when ip_allowlist = '[]' then 1 end) as open from api_keys
         where environment_id = ${environment_id} and type = 'auth_secret' and revoked_at is null
           and (expires_at is null or expires_at > ${now})`,
  )
  return row ?? { all: 0, open: 0 }
}

const Webhook = z.object({
  id: z.string(),
  url: z.string(),
  disabled: z.boolean(),
  disabled_reason: z.string().nullable(),
  last_success_at: z.date().nullable(),
  failing_since: z.date().nullable(),
})

/** An environment has at most as many webhooks as its quota. Their URLs are short, so all are read. */
export async function findWebhooks(db: Db, environment_id: EnvironmentId): Promise<Findings['webhooks']> {
  const all = await db.of(environment_id).all(
    Webhook,
    sql`select id, url, disabled, disabled_reason, last_success_at, failing_since from webhooks
         where environment_id = ${environment_id} order by id`,
  )
  const named = (webhook: z.infer<typeof Webhook> | undefined) => (webhook ? { id: webhook.id, name: new URL(webhook.url).host } : null)
  const enabled = all.filter(({ disabled }) => !disabled)
  return {
    enabled: enabled.length,
    with_http: named(enabled.find(({ url }) => url.startsWith('http://'))),
    silent: named(enabled.find(({ last_success_at, failing_since }) => last_success_at === null || failing_since !== null)),
    given_up: named(all.find(({ disabled, disabled_reason }) => disabled && disabled_reason !== null)),
  }
}

const FailedProvider = Provider.pick({ id: true, display_name: true, last_failure: true }).extend({ is_failing: z.boolean() })

/** The quota bounds the providers of an environment. */
export async function findProviders(db: Db, environment_id: EnvironmentId): Promise<Findings['providers']> {
  const enabled = await db.of(environment_id).all(
    FailedProvider,
    sql`select id, display_name, last_failure,
               case when last_failed_at >= coalesce(last_success_at, 0) then 1 else 0 end as is_failing
          from providers where environment_id = ${environment_id} and enabled = 1 order by id`,
  )
  const failing = enabled.find(({ is_failing }) => is_failing)
  return {
    enabled: enabled.length,
    failed: failing?.last_failure ? { id: failing.id, name: failing.display_name, detail: failing.last_failure.detail } : null,
  }
}

const NamedServer = z.object({ id: z.string(), name: z.string() })

/** Finds the resource server with this identifier, to name it. */
export const findServerNamed = (db: Db, environment_id: EnvironmentId, identifier: string): Promise<Named | null> =>
  db
    .of(environment_id)
    .maybeOne(
      NamedServer,
      sql`select id, name from resource_servers where environment_id = ${environment_id} and identifier = ${identifier}`,
    )

const Requiring = z.object({ name: z.string() })
/** Finds an enabled application or else a resource server that requires an organization, and whether the environment has one. */
export async function findRequiredOrganizations(db: Db, environment_id: EnvironmentId): Promise<Findings['organizations']> {
  const of = db.of(environment_id)
  const requires = sql`environment_id = ${environment_id} and organizations = 'required'`
  const [application, server, exist] = await Promise.all([
    of.maybeOne(Requiring, sql`select name from applications where ${requires} and disabled = 0 limit 1`),
    of.maybeOne(Requiring, sql`select name from resource_servers where ${requires} limit 1`),
    hasOrganizations(db, environment_id),
  ])
  return {
    required_by: application ? { kind: 'application', ...application } : server ? { kind: 'resource server', ...server } : null,
    exist,
  }
}

/** Counts the owners of a tenant up to two. */
export async function countOwners(db: Db, tenant_id: TenantId): Promise<number> {
  const row = await db.maybeOne(
    Counted,
    sql`select count(*) as count from (select user_id from members where tenant_id = ${tenant_id} and role = 'owner' limit 2) owners`,
  )
  return row?.count ?? 0
}

const Passkey = z.object({ id: z.string(), user_id: z.string(), is_only: z.boolean() })

const passkeys_per_page = 500
/** This many passkeys are looked at: the count is a warning, and an environment can have millions. */
const most_passkeys_read = 20_000

/**
 * Counts the people whose only second factor is a passkey, up to `most_counted`. One that does not count as a factor yet is passed over. Gives way to other
 * work after every page.
 */
export async function countPasskeyOnly(db: Db, environment_id: EnvironmentId): Promise<number> {
  const people = new Set<string>()
  let last = ''
  for (let read = 0; read < most_passkeys_read; read += passkeys_per_page) {
    const page = await db.of(environment_id).all(
      Passkey,
      sql`select p.id, p.user_id, case when p.is_factor = 0 or exists (
              select 1 from totp_methods t where ${inEnvironment(environment_id, 't')} and t.user_id = p.user_id) then 0 else 1 end as is_only
            from (select id, user_id, is_factor from passkeys where environment_id = ${environment_id} and id > ${last}
                   order by id limit ${passkeys_per_page}) p
           order by p.id`,
    )
    for (const { user_id, is_only } of page) if (is_only) people.add(user_id)
    if (people.size >= most_counted) return most_counted
    if (page.length < passkeys_per_page) break
    last = page.at(-1)?.id ?? ''
    await yieldToOthers()
  }
  return people.size
}

const Sequence = z.object({ sequence: z.int() })

const signed_in: EventKind = 'sign_in.succeeded'

/** Events are kept for 90 days. */
export async function hasSignIn(db: Db, environment_id: EnvironmentId): Promise<boolean> {
  const row = await db.of(environment_id).maybeOne(
    Sequence,
    sql`select sequence from events
         where environment_id = ${environment_id} and type = ${signed_in}
           and ${enters('events_of_type', { environment_id, type: signed_in })} and sequence is not null
         order by sequence desc limit 1`,
  )
  return row !== null
}
