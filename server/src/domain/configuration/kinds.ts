// pure
/** The rules of each kind of object, as a plan asks them: defaults, what a new object needs, and what the target refuses. */
import type { Application, ApplicationFields } from '@ostiary/contract/objects/application.ts'
import type { ObjectKind } from '@ostiary/contract/objects/objects.ts'
import type { ProviderFields, ProviderType } from '@ostiary/contract/objects/provider.ts'
import type { ResourceServerFields } from '@ostiary/contract/objects/resource-server.ts'
import type { Permission, RoleFields, RoleKind } from '@ostiary/contract/objects/role.ts'
import type { PromotionCheckCode } from '@ostiary/contract/promotion-check.ts'
import { oidcScopes } from '@ostiary/contract/scopes.ts'
import type { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import type { Network } from '../../base/networks.ts'
import { applicationProblems } from '../applications/rules.ts'
import { kinds, providerProblems } from '../providers/kinds.ts'
import { identifierProblem, signingAlgProblem } from '../resource-servers/rules.ts'
import { countScopes, roleProblems } from '../roles/rules.ts'
import { webhookUrlProblem } from '../webhooks/rules.ts'
import type { Fields } from './configuration.ts'

/** The facts of the target that its objects are validated against. */
export interface TargetFacts {
  readonly environment_type: EnvironmentType
  readonly base_url: string
  readonly issuer: string
  /** Whether it is the environment of the deployment itself; absent: it is not. */
  readonly is_root?: boolean
  readonly allowed: readonly Network[]
  /** As many scopes the permissions of a role can have. */
  readonly most_role_permissions: number
}

export interface Refused {
  readonly code: PromotionCheckCode
  readonly path: readonly PropertyKey[]
  readonly detail: string
  /** The value is refused by itself, whatever the other fields are. */
  readonly alone: boolean
}

/** The scopes and roles of the target as the plan leaves it. */
export interface KnownScopes {
  /** Those of all resource servers, and those that the object has. */
  readonly all: Pick<ReadonlySet<string>, 'has'>
  /** The roles of the target, and those that the object names. */
  readonly roles: Pick<ReadonlySet<string>, 'has'>
  /** Those of one resource server, by its slug. */
  readonly of: (slug: string) => ReadonlySet<string> | undefined
  /** The object in the target; `null` where the target has none. */
  readonly current: Fields | null
}

interface Rules {
  /** The fields that a new object needs. */
  readonly needs: (fields: Fields) => readonly string[]
  /** A new object of a promotion begins like this. */
  readonly begins: Fields
  readonly problems: (fields: Fields, place: TargetFacts, scopes: KnownScopes) => readonly Refused[]
}

const refused = (code: PromotionCheckCode, path: readonly PropertyKey[], detail: string, alone = false): Refused => ({
  code,
  path,
  detail,
  alone,
})

const oidc_scopes = new Set<string>(oidcScopes)

export const rulesOf: Readonly<Record<ObjectKind, Rules>> = {
  resource_server: {
    needs: () => ['identifier', 'name'],
    begins: {},
    problems(fields, { issuer }) {
      const of_identifier = identifierProblem(String(fields.identifier), issuer)
      const of_alg = signingAlgProblem(fields as unknown as ResourceServerFields) // as: every field of a resource server is in the document
      return [
        ...(of_identifier === null ? [] : [refused('not_valid_there', ['identifier'], of_identifier, true)]),
        ...(of_alg === null ? [] : [refused('not_valid_there', ['access_token_signing_alg'], of_alg)]),
      ]
    },
  },
  role: {
    needs: () => ['name'],
    begins: {},
    problems(fields, { most_role_permissions }, { of, current }) {
      const all = fields as unknown as RoleFields // as: every field of a role is in the document
      const stored = (current?.permissions ?? []) as Permission[] // as: checked by its schema
      const too_many = countScopes(all.permissions) > Math.max(most_role_permissions, countScopes(stored))
      const detail = `The permissions of a role have at most ${most_role_permissions} scopes. Name fewer, or ask the operator for a higher limit.`
      const problems = roleProblems(fields.kind as RoleKind, all, { scopesOf: of, stored }) // as: checked by its schema
      return [
        ...problems.map(({ code, path, detail }) => refused(code === 'not_allowed' ? 'not_valid_there' : code, path, detail)),
        ...(too_many ? [refused('quota_exceeded', ['permissions'], detail)] : []),
      ]
    },
  },
  application: {
    needs: ({ token_endpoint_auth_method, jwks_uri }) => [
      'name',
      'redirect_uris',
      ...(token_endpoint_auth_method === 'private_key_jwt' && (jwks_uri ?? null) === null ? ['jwks'] : []),
    ],
    begins: { disabled: true },
    problems(fields, { environment_type, base_url }, scopes) {
      const known_scopes = { has: (scope: string) => oidc_scopes.has(scope) || scopes.all.has(scope) }
      const type = fields.application_type as Application['application_type'] // as: checked by its schema
      const all = fields as unknown as ApplicationFields // as: every field of an application is in the document
      const context = { environment_type, base_url, known_scopes, known_roles: scopes.roles }
      return applicationProblems(type, all, context).map(({ path, detail, alone = false }) =>
        refused(codeOfApplication(fields, path), path, detail, alone),
      )
    },
  },
  provider: {
    needs: ({ type, issuer }) => [
      'client_id',
      ...(kinds[type as ProviderType].own_issuer === 'required' && (issuer ?? null) === null ? ['issuer'] : []), // as: checked by its schema
      ...(type === 'apple' ? ['team_id', 'key_id'] : []),
    ],
    begins: { enabled: false },
    problems(fields, { environment_type, base_url, allowed }) {
      const type = fields.type as ProviderType // as: checked by its schema
      const has = { has_client_secret: fields.client_secret !== null, has_private_key: fields.private_key !== null }
      const problems = providerProblems(type, fields as unknown as ProviderFields, has, { environment_type, base_url, allowed }) // as: every field of a provider is in the document
      return problems.map(({ pointer, code, detail }) => {
        const name = pointer.slice(1)
        if (code === 'required') return refused(`has_${name}` in has ? 'secret_required' : 'value_required', [name], detail)
        return refused('not_valid_there', [name], detail, name === 'issuer' && kinds[type].own_issuer !== 'never')
      })
    },
  },
  webhook: {
    needs: () => ['url'],
    begins: { disabled: true },
    problems({ url }, place) {
      const problem = webhookUrlProblem(String(url), place)
      return problem === null ? [] : [refused('not_valid_there', ['url'], problem, true)]
    },
  },
}

/** An application that begins to authenticate with keys needs them, and scopes and roles must exist. */
function codeOfApplication({ jwks, jwks_uri }: Fields, [name]: readonly PropertyKey[]): PromotionCheckCode {
  if (name === 'allowed_scopes') return 'unknown_scope'
  if (name === 'allowed_roles') return 'unknown_role'
  return name === 'jwks' && jwks === null && jwks_uri === null ? 'value_required' : 'not_valid_there'
}
