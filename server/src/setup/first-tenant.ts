/** Creates the first tenant of a deployment in one batch, with its owner, who is also the first operator, and one platform key. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Db, requires, type Statement, sql } from '../db/db.ts'
import { atCoordinator } from '../db/environment.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { anchorLog } from '../domain/audit/chaining.ts'
import { describeChange } from '../domain/audit/entry.ts'
import { insertAuditEntry } from '../domain/audit/store.ts'
import { bySystem, originOf } from '../domain/events/origin.ts'
import { insertEvent } from '../domain/events/store.ts'
import { makeApiKey } from '../domain/keys/format.ts'
import { insertKey } from '../domain/keys/store.ts'
import { insertMember } from '../domain/members/store.ts'
import { insertTenant } from '../domain/tenancy/store.ts'
import { commonPasswords } from '../domain/users/common-passwords.ts'
import type { Passwords } from '../domain/users/password.ts'
import { type PasswordProblem, passwordProblem } from '../domain/users/password-policy.ts'
import { findCredential, insertUser } from '../domain/users/store.ts'
import { cli_redirect_uri, ensureRoot } from './root.ts'

export interface FirstTenant {
  email: string
  password: string
  tenant_name: string
  slug: string
}

/** The setup cannot be done. The message says what to do. */
export class SetupRefused extends Error {
  override readonly name = 'SetupRefused'
  readonly problem: PasswordProblem | 'exists' | 'email_taken' | 'slug_taken' | 'unknown_tenant'
  constructor(problem: SetupRefused['problem'], message: string) {
    super(message)
    this.problem = problem
  }
}

interface Options {
  /** More statements of the batch. */
  also?: (tenant_id: `ten_${string}`) => readonly Statement[]
  /** The first tenant also gets a platform key of every scope. Its text is in the result only. */
  has_key?: boolean
  /** Who is named in the audit log: a command, or a request to the page of the first start. */
  by?: { action: 'bootstrap' | 'setup'; request_id: string | null; ip: string | null }
}

const Id = z.object({ id: z.string() })

/** Reports whether there is a tenant besides the root. */
export async function hasTenant(deployment: Deployment): Promise<boolean> {
  const { tenant_id } = await ensureRoot(deployment)
  return (await deployment.db.maybeOne(Id, sql`select id from tenants where id <> ${tenant_id} limit 1`)) !== null
}

/** Reports whether a person can sign in to the dashboard: an owner of a tenant, or an operator whom `recover` invited. */
export const hasAdministrator = async (db: Db): Promise<boolean> =>
  (await db.maybeOne(Id, sql`select user_id as id from members limit 1`)) !== null

/**
 * Creates the tenant with its owner, who also becomes the first operator.
 * @throws SetupRefused if a tenant besides the root exists, the email or the slug is taken, or the password is not acceptable
 */
export async function createFirstTenant(
  deployment: Deployment,
  passwords: Passwords,
  first: FirstTenant,
  { also = () => [], has_key = true, by = by_bootstrap }: Options = {},
) {
  const { db, config, secrets, now, newId, random } = deployment
  const problem = passwordProblem(
    first.password,
    [first.email, first.tenant_name, first.slug],
    { min_length: 12, reject_common: true },
    commonPasswords,
  )
  if (problem) throw new SetupRefused(problem, password_problems[problem])

  const root = await ensureRoot(deployment)
  const root_environment = root.environment_id
  const root_tenant_id = root.tenant_id as `ten_${string}` // as: stored by us
  const at = now()
  const audited = () => ({ ...by, actor: bySystem, actor_label: null, id: newId('aud') })
  const tenant_id = newId('ten') as `ten_${string}` // as: newId gives exactly this
  const user_id = newId('usr')
  const key_id = newId('key')
  const new_key = makeApiKey('platform_secret', null, random)
  const password_hash = await passwords.hash(first.password)
  const created = await db.of(root.environment_id).batch([
    insertTenant(tenant_id, { slug: first.slug, name: first.tenant_name, created_by: user_id }, at),
    // Every first tenant writes this row, so of two at the same time, the second waits here and then finds the tenant of the first.
    atCoordinator`update deployment set value = value where name = 'root'`,
    requires(sql`not exists (select 1 from tenants where id <> ${root.tenant_id} and id <> ${tenant_id})`),
    ...insertUser({ environment_id: root_environment, id: user_id }, { email: first.email, email_verified: true }, password_hash, at),
    anchorLog(secrets, tenant_id),
    insertEvent(
      root_environment,
      originOf(deployment, bySystem, null),
      { type: 'user.created', user_id, data: { email: first.email, method: 'bootstrap' } },
      at,
    ),
    insertMember(tenant_id, user_id, 'owner', at),
    insertMember(root_tenant_id, user_id, 'owner', at),
    ...(has_key
      ? [
          insertKey(
            { tenant_id, project_id: null, environment_id: null },
            { id: key_id, type: 'platform_secret', made_by: [user_id], ...new_key },
            { label: 'First key', scopes: ['*'], allowed_origins: [], ip_allowlist: [], rate_limit: null, expires_at: null },
            at,
          ),
        ]
      : []),
    insertAuditEntry(
      tenant_id,
      audited(),
      describeChange(null, { id: tenant_id, slug: first.slug, name: first.tenant_name, owner_id: user_id, ...(has_key && { key_id }) }),
      at,
    ),
    insertAuditEntry(
      root_tenant_id,
      audited(),
      describeChange(null, { id: user_id, tenant_id: root_tenant_id, user_id, email: first.email, role: 'owner' }),
      at,
    ),
    ...also(tenant_id),
  ])
  if (!created) throw await whyRefused(deployment, root_environment, first)
  return {
    base_url: config.base_url,
    tenant_id,
    user_id,
    key_id,
    key: new_key.key,
    admin_issuer: root.issuer,
    admin_client_id: root.client_id,
    admin_redirect_uri: cli_redirect_uri,
  }
}

async function whyRefused(deployment: Deployment, root_environment: EnvironmentId, { email, slug }: FirstTenant): Promise<SetupRefused> {
  if (await hasTenant(deployment))
    return new SetupRefused(
      'exists',
      'A tenant exists already: bootstrap creates only the first one. Its owner can sign in and add others.',
    )
  if (await findCredential(deployment.db, root_environment, email))
    return new SetupRefused('email_taken', `An account of an operator has the email "${email}" already. Use another email for the owner.`)
  return new SetupRefused('slug_taken', `The slug "${slug}" belongs to the service itself. Choose another one with --slug.`)
}

const by_bootstrap = { action: 'bootstrap', request_id: null, ip: null } as const

const password_problems = {
  too_short: 'The password has fewer than 12 characters.',
  too_long: 'The password has more than 1000 characters.',
  common: 'The password is one that many people use, or contains the email address or the name of the tenant. Choose another one.',
}
