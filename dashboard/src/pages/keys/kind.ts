/** The differences between the keys of an environment and the platform keys of a tenant. */
import type { ApiKey, ApiKeyWithPlaintext, Impact } from '@ostiary/sdk'
import type { ReactNode } from 'react'
import type { Version } from '../../parts/save.tsx'
import type { Column } from '../../parts/table.tsx'
import type { KeyReads } from '../../queries/keys.ts'
import type { One } from '../../queries/query.ts'
import type { KeyChange } from './restrictions.ts'

export interface KeyForm extends Pick<ApiKey, 'scopes' | 'allowed_origins' | 'ip_allowlist'> {
  type: 'auth_publishable' | 'auth_secret'
  label: string
  rate_limit?: { limit: number; window_seconds: number }
  expires_at?: string
}

export type End = 'rotate' | 'revoke'

export interface KindOfKeys {
  title: string
  lead: ReactNode
  needs: 'developer' | 'admin'
  /** The second column: what a key may do. */
  second: Column<ApiKey>
  empty: string
  snippet: ReactNode
  reads: KeyReads
  create: (form: KeyForm) => Promise<ApiKeyWithPlaintext>
  change: (key_id: string, change: KeyChange, options: { if_match: string | undefined }) => Promise<Version<ApiKey>>
  rotate: (key_id: string) => Promise<ApiKeyWithPlaintext>
  revoke: (key_id: string) => Promise<void>
  /** Who would be hurt without a key; none for platform keys, which no environment counts. */
  impact?: (key_id: string) => One<Impact>
  /** The figures about the use of its keys. */
  use?: (keys: readonly ApiKey[]) => ReactNode
}
