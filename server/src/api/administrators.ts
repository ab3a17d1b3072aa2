/**
 * Identifies the administrator of a bearer token. Administrators are users of the root environment. Their access tokens have its
 * issuer and the audience {base_url}.
 */
import { EnvironmentId, ProjectId, type TenantId, type UserId } from '@ostiary/contract/ids.ts'
import { reason } from '../base/reason.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { findMemberships, type Membership } from '../domain/members/store.ts'
import { findEnvironmentOfTenant, findFreshSignIn, findFreshSignInOfProject } from '../domain/tenancy/store.ts'
import { notFound } from '../http/problem.ts'
import { useAccessToken } from '../oidc/access-token.ts'
import type { Issuers } from '../oidc/issuer.ts'
import type { Root } from '../setup/root.ts'
import type { CallerEnvironment } from './authenticate.ts'

export interface Administrator {
  readonly user_id: UserId
  readonly email: string
  readonly name: string | null
  readonly memberships: readonly Membership[]
  /** When the person last proved who they are. */
  readonly auth_time: Date
}

/** The ids in the path of a call. */
interface PlaceOfCall {
  readonly environment_id: string | undefined
  readonly project_id: string | undefined
}

export type Administrators = ReturnType<typeof createAdministrators>

export function createAdministrators(deployment: Deployment, issuers: Issuers, root: Root) {
  const { db, config, now } = deployment
  const find = async (tenant_id: TenantId, environment_id: string) =>
    EnvironmentId.safeParse(environment_id).success ? findEnvironmentOfTenant(db, tenant_id, environment_id) : null
  return {
    root_tenant_id: root.tenant_id as TenantId, // as: the service stored it

    /** Returns the administrator, or `null` if the token is not a valid access token of an administrator for this API. */
    async identify(token: string): Promise<Administrator | null> {
      const issuer = await issuers.find(root.environment_id)
      const found = issuer && (await useAccessToken(deployment, issuer, token, now()))
      // An account without an address has no session and no grant, so the second condition only satisfies the types.
      if (!found || found.grant.email === null || ![found.claims.aud].flat().includes(config.base_url)) return null
      const { user_id, email, name } = found.grant
      const auth_time = new Date(found.claims.auth_time * 1000)
      return { user_id, email, name, auth_time, memberships: await findMemberships(db, user_id) }
    },

    /** How old a sign-in may be in an environment, or else in a project. `null` if the tenant has neither. */
    async freshSignInOf(tenant_id: TenantId, { environment_id, project_id }: PlaceOfCall) {
      if (EnvironmentId.safeParse(environment_id).success) return findFreshSignIn(db, tenant_id, environment_id ?? '')
      return ProjectId.safeParse(project_id).success ? findFreshSignInOfProject(db, tenant_id, project_id ?? '') : null
    },

    async findEnvironment(tenant_id: TenantId, environment_id: string): Promise<CallerEnvironment> {
      const environment = await find(tenant_id, environment_id)
      if (!environment) throw notFound(reason`The tenant has no environment with the id in X-Environment-Id.`)
      return environment
    },
  }
}
