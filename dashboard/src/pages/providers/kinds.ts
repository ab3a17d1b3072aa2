/** The kinds of providers: the fields of each, and what to do at the provider before they are known. */
import type { Provider, ProviderCreation } from '@ostiary/sdk'
import { objects } from '../../generated/objects.ts'
import { defaults } from '../../generated/provider-kinds.ts'

type Kind = ProviderCreation['type']
type FieldName = 'issuer' | 'team_id' | 'key_id' | 'client_secret' | 'private_key'

export interface KindOfProvider {
  value: Kind
  label: string
  needs: readonly FieldName[]
  /** A field that it can have. */
  can?: FieldName
  /** Where an application is registered; `null` where each provider has its own place. */
  console: { name: string; url: string } | null
  /** The steps in that console. */
  steps: string
  /** The names of the fields there, if they differ. */
  there?: Partial<Record<FieldName | 'client_id', string>>
  /** An issuer as it looks there. */
  example?: string
}

const labels = objects.provider.fields.type.look

export const kinds: readonly [KindOfProvider, ...KindOfProvider[]] = [
  {
    value: 'google',
    label: labels.google,
    needs: ['client_secret'],
    console: { name: 'Google Cloud', url: 'https://console.cloud.google.com/apis/credentials' },
    steps: 'Create an OAuth client ID of the type “Web application”, and enter the redirect URI under “Authorized redirect URIs”.',
  },
  {
    value: 'microsoft',
    label: labels.microsoft,
    needs: ['issuer', 'client_secret'],
    console: { name: 'Microsoft Entra', url: 'https://entra.microsoft.com/#view/Microsoft_AAD_RegisteredApps/ApplicationsListBlade' },
    steps:
      'Create an app registration for your directory, with the redirect URI on the platform “Web”. Then create a client secret, and copy its value.',
    there: { client_id: 'Application (client) ID' },
    example: 'https://login.microsoftonline.com/{directory id}/v2.0',
  },
  {
    value: 'github',
    label: labels.github,
    needs: ['client_secret'],
    console: { name: 'GitHub', url: 'https://github.com/settings/developers' },
    steps: 'Create an OAuth app, and enter the redirect URI as “Authorization callback URL”. Then generate a client secret.',
  },
  {
    value: 'gitlab',
    label: labels.gitlab,
    needs: ['client_secret'],
    can: 'issuer',
    console: { name: 'GitLab', url: 'https://gitlab.com/-/user_settings/applications' },
    steps: 'Add a confidential application with the redirect URI, and tick the scopes openid, email and profile.',
    there: { client_id: 'Application ID', client_secret: 'Secret' },
    example: 'https://gitlab.example.com',
  },
  {
    value: 'apple',
    label: labels.apple,
    needs: ['team_id', 'key_id', 'private_key'],
    console: { name: 'Apple Developer', url: 'https://developer.apple.com/account/resources/identifiers/list/serviceId' },
    steps:
      'Create a Services ID, and configure “Sign in with Apple” for it with the redirect URI as its return URL. Then create a key for “Sign in with Apple”, and download it. Apple takes https only.',
    there: { client_id: 'Services ID', team_id: 'Team ID', key_id: 'Key ID', private_key: 'Private key (the .p8 file)' },
  },
  {
    value: 'oidc',
    label: labels.oidc,
    needs: ['issuer'],
    can: 'client_secret',
    console: null,
    steps: 'Register a web application with the redirect URI. It needs the code flow with PKCE, and the scopes below.',
    example: 'https://login.example.com',
  },
]

export const kindOf = (type: Kind): KindOfProvider => kinds.find(({ value }) => value === type) ?? kinds[0]

/** Names the providers of a list, with the slug where several have one name: as the service does on pages for people. */
export function distinctNames(of: readonly Provider[]): (provider: Provider) => string {
  const times = Map.groupBy(of, ({ display_name }) => display_name)
  return ({ display_name, slug }) => ((times.get(display_name)?.length ?? 0) > 1 ? `${display_name} (${slug})` : display_name)
}

/** The scopes that are asked for unless others are entered. */
export const scopesOf = ({ value }: KindOfProvider): string[] => [...(defaults[value]?.scopes ?? [])]

/** The words of a form about a secret that a provider can have. */
interface OfSecret {
  required: boolean
  note: string
}

/** Returns the words of a form about the fields of a kind; `null` for a field that the kind does not have. */
export function ofKind(kind: KindOfProvider, secrets: { client_secret?: OfSecret; private_key?: OfSecret } = {}) {
  const { needs, can, there = {}, example } = kind
  const issuer = defaults[kind.value]?.issuer
  const said = (name: FieldName | 'client_id', note = '') => (there[name] ? `Called “${there[name]}” there. ${note}` : note)
  const own = (name: FieldName, { note, required }: Partial<OfSecret> = {}) =>
    needs.includes(name) || name === can ? { required: required ?? needs.includes(name), description: said(name, note) } : null
  const of_issuer = own('issuer', { note: issuer ? `Empty: ${issuer}.` : '' })
  return {
    client_id: { description: said('client_id') },
    issuer: of_issuer && { ...of_issuer, placeholder: example },
    team_id: own('team_id'),
    key_id: own('key_id'),
    client_secret: own('client_secret', secrets.client_secret),
    private_key: own('private_key', secrets.private_key),
  }
}
