// pure
/** The actions of the account page that have a page of their own, which asks or confirms. Programs rely on their names. */
import type { MethodKind } from '@ostiary/contract/sign-in-methods.ts'

/** Sensitive actions need a recent sign-in (decision 0046). */
export const account_actions = {
  'change-name': { is_sensitive: false },
  'change-email': { is_sensitive: true },
  /** The proof of the present address. */
  'confirm-email': { is_sensitive: false },
  'change-password': { is_sensitive: true },
  'add-passkey': { is_sensitive: true },
  'remove-passkey': { is_sensitive: true },
  'add-totp': { is_sensitive: true },
  'remove-totp': { is_sensitive: true },
  'new-recovery-codes': { is_sensitive: true },
  'add-provider': { is_sensitive: true },
  'remove-provider': { is_sensitive: true },
  'leave-organization': { is_sensitive: false },
  /** These lead to the page of the organization, the second by a fresh sign-in. */
  organization: { is_sensitive: false },
  'manage-organization': { is_sensitive: true },
  export: { is_sensitive: true },
  'delete-account': { is_sensitive: true },
} as const

export type AccountAction = keyof typeof account_actions

export const isAccountAction = (text: string | null): text is AccountAction => text !== null && Object.hasOwn(account_actions, text)

/** The methods that a person removes, with the action of each. A password stays, and recovery codes go with the last app. */
export const removals = {
  password: null,
  passkey: 'remove-passkey',
  totp: 'remove-totp',
  recovery_codes: null,
  provider: 'remove-provider',
} as const satisfies Record<MethodKind, AccountAction | null>

export type RemovalAction = NonNullable<(typeof removals)[MethodKind]>
export type Removable = Extract<MethodKind, keyof { [K in MethodKind as (typeof removals)[K] extends null ? never : K]: K }>

export const isRemovable = (type: MethodKind): type is Removable => removals[type] !== null

/** Why a person cannot remove a method: the last way in stays, and where a second factor is required the last one. */
export type WhyMethodStays = 'last_way_in' | 'last_factor'

/** The events that the account page has a notice for. */
export const account_notices = [
  'change-name',
  'change-email',
  'keep-email',
  'confirm-email',
  'change-password',
  'add-passkey',
  'remove-passkey',
  'add-totp',
  'remove-totp',
  'new-recovery-codes',
  'add-provider',
  'remove-provider',
  'end-session',
  'end-other-sessions',
  'remove-trusted-browser',
  'disconnect',
  'accept-invitation',
  'decline-invitation',
  'leave-organization',
] as const

export type AccountNotice = (typeof account_notices)[number]
