// pure
/** The properties of each type of provider, and the rules for its fields. */
import type { Provider, ProviderFields, ProviderType } from '@ostiary/contract/objects/provider.ts'
import type { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import { isHttpLoopback, isPrivateLiteral } from '../../base/addresses.ts'
import type { Network } from '../../base/networks.ts'

export interface ProviderKind {
  /** The default issuer; `null` where each provider sets its own. GitHub is not an OpenID Provider. */
  issuer: string | null
  /** Whether a provider sets `issuer`. `optional` overrides the default. */
  own_issuer: 'required' | 'optional' | 'never'
  is_oidc: boolean
  /** The values of `prompt` (OIDC Core §3.1.2.1) that force an interaction and that the provider documents, strictest first. */
  prompts: readonly ('login' | 'select_account')[]
}

// biome-ignore format: this table is read by column
export const kinds: Record<ProviderType, ProviderKind> = {
  oidc:      { issuer: null,                          own_issuer: 'required', is_oidc: true,  prompts: ['login', 'select_account'] },
  google:    { issuer: 'https://accounts.google.com', own_issuer: 'never',    is_oidc: true,  prompts: ['select_account'] },
  microsoft: { issuer: null,                          own_issuer: 'required', is_oidc: true,  prompts: ['login', 'select_account'] },
  apple:     { issuer: 'https://appleid.apple.com',   own_issuer: 'never',    is_oidc: true,  prompts: [] },
  gitlab:    { issuer: 'https://gitlab.com',          own_issuer: 'optional', is_oidc: true,  prompts: ['login'] },
  github:    { issuer: 'https://github.com',          own_issuer: 'never',    is_oidc: false, prompts: ['select_account'] },
}

/**
 * Returns the issuer of a provider, its own or the default of its type, without trailing slashes, which administrators leave out.
 * A secret is sent to this issuer only, and a subject identifies a person at this issuer only. No one else controls the address with a
 * slash: it has the same host, and discovery compares the issuer of the document with what was configured.
 */
export function issuerOfProvider({ type, issuer }: Pick<Provider, 'type' | 'issuer'>): string {
  return (issuer ?? kinds[type].issuer ?? '').replace(/\/+$/, '')
}

/** Returns every problem with the fields of a provider. `has` says which secrets it has after the change. */
export function providerProblems(
  type: ProviderType,
  fields: ProviderFields,
  has: Pick<Provider, 'has_client_secret' | 'has_private_key'>,
  { base_url, environment_type, allowed }: { base_url: string; environment_type: EnvironmentType; allowed: readonly Network[] },
): { pointer: string; code: string; detail: string }[] {
  const problems: { pointer: string; code: string; detail: string }[] = []
  const refuse = (name: string, detail: string, code = 'not_allowed') => problems.push({ pointer: `/${name}`, code, detail })
  const { own_issuer, is_oidc } = kinds[type]

  if (own_issuer === 'required' && fields.issuer === null) refuse('issuer', 'This type of provider needs its issuer URL.', 'required')
  if (own_issuer === 'never' && fields.issuer !== null) refuse('issuer', `${type} has a fixed issuer. Leave this out.`)
  if (fields.issuer !== null) {
    const url = new URL(fields.issuer)
    const is_ours = url.origin === base_url
    // OIDC Discovery 1.0 §3: an issuer is an https URL. Another environment of this deployment is as safe as the deployment, and nobody
    // listens between a service and its own machine.
    const is_local = environment_type === 'test' && isHttpLoopback(url) && !isPrivateLiteral(url, allowed)
    if (url.protocol !== 'https:' && !is_ours && !is_local)
      refuse(
        'issuer',
        environment_type === 'test' && isHttpLoopback(url)
          ? 'An issuer must be an https URL. In Test it can be http on this machine once the operator allows its loopback addresses in OSTIARY_WEBHOOK_ALLOWED_NETWORKS.'
          : 'An issuer must be an https URL.',
      )
    if (url.search !== '' || url.hash !== '') refuse('issuer', 'An issuer must have no query and no fragment (OIDC Discovery 1.0 §3).')
  }
  if (is_oidc && !fields.scopes.includes('openid')) refuse('scopes', 'An OpenID Provider needs the scope openid.')
  if (!is_oidc && fields.sign_out !== 'none') refuse('sign_out', `A provider of type ${type} has no sign-out.`)
  for (const name of ['team_id', 'key_id'] as const) {
    if (type === 'apple' && fields[name] === null) refuse(name, 'A provider of type apple needs this field.', 'required')
    if (type !== 'apple' && fields[name] !== null) refuse(name, 'Only a provider of type apple has this field.')
  }
  // A disabled provider signs nobody in, so it can wait for its secret.
  const may_wait = !fields.enabled
  if (type === 'apple' && !has.has_private_key && !may_wait)
    refuse('private_key', 'An enabled provider of type apple needs the private key of its key_id.', 'required')
  if (type !== 'apple' && has.has_private_key) refuse('private_key', 'Only a provider of type apple has this field.')
  if (type === 'apple' && has.has_client_secret)
    refuse('client_secret', 'A provider of type apple has no client secret. The service signs one with the private key.')
  if (type !== 'apple' && type !== 'oidc' && !has.has_client_secret && !may_wait)
    refuse('client_secret', `An enabled provider of type ${type} needs its client secret.`, 'required')
  return problems
}
