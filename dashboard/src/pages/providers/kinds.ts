/** The kinds of providers, and the fields that each needs besides the client id. */
import type { NewProvider } from '@ostiary/sdk'

type Kind = NewProvider['type']
export type FieldName = 'issuer' | 'team_id' | 'key_id' | 'client_secret' | 'private_key'

export interface KindOfProvider {
  value: Kind
  label: string
  needs: readonly FieldName[]
  /** A field that it can have. */
  can?: FieldName
}

export const kinds: readonly [KindOfProvider, ...KindOfProvider[]] = [
  { value: 'google', label: 'Google', needs: ['client_secret'] },
  { value: 'microsoft', label: 'Microsoft', needs: ['issuer', 'client_secret'] },
  { value: 'github', label: 'GitHub', needs: ['client_secret'] },
  { value: 'gitlab', label: 'GitLab', needs: ['client_secret'], can: 'issuer' },
  { value: 'apple', label: 'Apple', needs: ['team_id', 'key_id', 'private_key'] },
  { value: 'oidc', label: 'OpenID Connect', needs: ['issuer'], can: 'client_secret' },
]

export const kindOf = (type: Kind): KindOfProvider => kinds.find(({ value }) => value === type) ?? kinds[0]

export const fieldsOf = ({ needs, can }: KindOfProvider): readonly FieldName[] => (can ? [...needs, can] : needs)

export const labels: Record<FieldName | 'client_id', string> = {
  client_id: 'Client id',
  issuer: 'Issuer',
  team_id: 'Team id',
  key_id: 'Key id',
  client_secret: 'Client secret',
  private_key: 'Private key (PEM)',
}

export const isSecret = (name: FieldName) => name === 'client_secret' || name === 'private_key'
