// pure
/** What is known of each kind of provider, and which fields it needs. */
import type { Provider, ProviderType } from '@ostiary/contract/provider.ts'

export interface ProviderKind {
  display_name: string
  scopes: readonly string[]
  /** Where it is discovered; `null` where the provider's own `issuer` says. GitHub is no OpenID Provider. */
  issuer: string | null
  /** `required`, `optional` (over the usual one), or not to be set. */
  own_issuer: 'required' | 'optional' | 'never'
  is_oidc: boolean
  /** Which values of `prompt` (OIDC Core §3.1.2.1) it documents, of those that ask for a person anew; the strictest first. */
  prompts: readonly ('login' | 'select_account')[]
}

// biome-ignore format: this table is read by column
export const kinds: Record<ProviderType, ProviderKind> = {
  oidc:      { display_name: 'Single sign-on', scopes: ['openid', 'email', 'profile'],  issuer: null,                          own_issuer: 'required', is_oidc: true,  prompts: ['login', 'select_account'] },
  google:    { display_name: 'Google',         scopes: ['openid', 'email', 'profile'],  issuer: 'https://accounts.google.com', own_issuer: 'never',    is_oidc: true,  prompts: ['select_account'] },
  microsoft: { display_name: 'Microsoft',      scopes: ['openid', 'email', 'profile'],  issuer: null,                          own_issuer: 'required', is_oidc: true,  prompts: ['login', 'select_account'] },
  apple:     { display_name: 'Apple',          scopes: ['openid', 'email', 'name'],     issuer: 'https://appleid.apple.com',   own_issuer: 'never',    is_oidc: true,  prompts: [] },
  gitlab:    { display_name: 'GitLab',         scopes: ['openid', 'email', 'profile'],  issuer: 'https://gitlab.com',          own_issuer: 'optional', is_oidc: true,  prompts: ['login'] },
  github:    { display_name: 'GitHub',         scopes: ['read:user', 'user:email'],     issuer: 'https://github.com',          own_issuer: 'never',    is_oidc: false, prompts: ['select_account'] },
}

export type ProviderFields = Pick<
  Provider,
  'display_name' | 'issuer' | 'client_id' | 'scopes' | 'enabled' | 'link_by_verified_email' | 'team_id' | 'key_id'
>

/**
 * The issuer of a provider, its own or its kind's, without slashes at its end: administrators leave them out. A secret is
 * sent to this issuer alone, and a subject is a person of this issuer alone.
 */
export function issuerOf({ type, issuer }: Pick<Provider, 'type' | 'issuer'>): string {
  return (issuer ?? kinds[type].issuer ?? '').replace(/\/+$/, '')
}

/** Everything that does not fit; `has` says which secrets there are, or will be. */
export function providerProblems(
  type: ProviderType,
  fields: ProviderFields,
  has: { client_secret: boolean; private_key: boolean },
  base_url: string,
): { pointer: string; code: string; detail: string }[] {
  const problems: { pointer: string; code: string; detail: string }[] = []
  const refuse = (name: string, detail: string, code = 'not_allowed') => problems.push({ pointer: `/${name}`, code, detail })
  const { own_issuer, is_oidc } = kinds[type]

  if (own_issuer === 'required' && fields.issuer === null) refuse('issuer', 'Say where the provider is: its issuer address.', 'required')
  if (own_issuer === 'never' && fields.issuer !== null) refuse('issuer', `${type} has one issuer; leave this out.`)
  if (fields.issuer !== null) {
    const url = new URL(fields.issuer)
    const is_ours = url.origin === base_url
    // OIDC Discovery 1.0 §3: an issuer is https. Another environment of this deployment is as safe as the deployment itself.
    if (url.protocol !== 'https:' && !is_ours) refuse('issuer', 'An issuer is an https address.')
    if (url.search !== '' || url.hash !== '') refuse('issuer', 'An issuer has neither query nor fragment (OIDC Discovery 1.0 §3).')
  }
  if (is_oidc && !fields.scopes.includes('openid')) refuse('scopes', 'An OpenID Provider needs the scope openid.')
  for (const name of ['team_id', 'key_id'] as const) {
    if (type === 'apple' && fields[name] === null) refuse(name, 'Apple needs it.', 'required')
    if (type !== 'apple' && fields[name] !== null) refuse(name, 'Only Apple has it.')
  }
  if (type === 'apple' && !has.private_key) refuse('private_key', 'Apple needs the private key of the key id.', 'required')
  if (type !== 'apple' && has.private_key) refuse('private_key', 'Only Apple has it.')
  if (type === 'apple' && has.client_secret) refuse('client_secret', 'Apple takes a signed secret, made from the private key.')
  if (type !== 'apple' && type !== 'oidc' && !has.client_secret) refuse('client_secret', `${type} needs a client secret.`, 'required')
  return problems
}
