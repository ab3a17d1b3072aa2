/** Whether an environment is ready for real users: reads the facts and lets `checks.ts` judge them. */
import type { Readiness } from '@ostiary/contract/readiness.ts'
import { findFirstEnd } from '../../domain/expiry/sources.ts'
import { stageOf } from '../../domain/expiry/stages.ts'
import { judgeReadiness } from '../../domain/readiness/checks.ts'
import {
  countOwners,
  countPasskeyOnly,
  countSecretKeys,
  findProviders,
  findRequiredOrganizations,
  findServerNamed,
  findWebhooks,
  hasSignIn,
} from '../../domain/readiness/store.ts'
import { effectiveSettings } from '../../domain/tenancy/settings.ts'
import { findSettings } from '../../domain/tenancy/store.ts'
import { notFound } from '../../http/problem.ts'
import { findUngiven, no_access } from '../../protocol/roles.ts'
import { environmentOf } from '../environment.ts'
import type { Handler } from '../handler.ts'

export const getReadiness: Handler<'getReadiness'> = async (services, call): Promise<Readiness> => {
  const { config, db, issuers, now, scanApplications } = services
  const { id, tenant_id, project_id, type, issuer } = await environmentOf(services, call)
  const [row, applications, secret_keys, webhooks, providers, first_end, owners, has_sign_in] = await Promise.all([
    findSettings(db, tenant_id, project_id, id),
    scanApplications(id),
    countSecretKeys(db, id, now()),
    findWebhooks(db, id),
    findProviders(db, id),
    findFirstEnd(db, id, now()),
    countOwners(db, tenant_id),
    hasSignIn(db, id),
  ])
  if (!row) throw notFound()
  const { claims, email, links, oauth, sign_in, sign_up } = effectiveSettings(type, row.settings)
  const passkey_only = sign_in.passkey ? 0 : await countPasskeyOnly(db, id)
  const access = (await (await issuers.find(id))?.access()) ?? no_access
  const { requiring, ungiven } = findUngiven(access)
  const { applications: needing, servers } = access.need_organization
  return judgeReadiness({
    type,
    issuer,
    url: `${config.base_url}/v1/platform/projects/${project_id}/environments/${id}`,
    tenant_url: `${config.base_url}/v1/tenants/${tenant_id}`,
    email_delivery: email.delivery as 'none' | 'smtp' | 'capture', // as: one list of deliveries per type
    links,
    applications,
    claims,
    oauth,
    requires_names: sign_up.name === 'required',
    secret_keys,
    webhooks,
    providers,
    resource_servers: { requiring, ungiven: ungiven === null ? null : await findServerNamed(db, id, ungiven) },
    organizations: needing.size + servers.size === 0 ? { required_by: null, exist: true } : await findRequiredOrganizations(db, id),
    ends: first_end && { ...first_end, days: stageOf(first_end.expires_at, now()) ?? 1 },
    owners,
    passkey_only,
    has_sign_in,
  })
}
