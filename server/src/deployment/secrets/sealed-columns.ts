/**
 * The registry of sealed columns: every column with text sealed by `secrets.ts`, and the associated data that binds the text to
 * its row. Sealing and unsealing take their associated data from here, so a column that is missing here cannot be sealed, and
 * `setup/reseal.ts` walks the same table. A new sealed column is one more entry.
 */
import { type Statement, sql } from '../../db/db.ts'

declare const is_associated_data: unique symbol

/** Associated data of AES-GCM (NIST SP 800-38D): a text that is sealed for one row does not unseal in another. */
export type AssociatedData = string & { readonly [is_associated_data]: true }

export interface SealedColumns {
  readonly table: string
  readonly columns: readonly string[]
  /** The columns that identify a row. */
  readonly key: readonly [string] | readonly [string, string]
  /** Takes the values of `key` in their order. */
  readonly associatedData: (first: string, second: string, column: string) => AssociatedData
  /** The rows to look at, where others contain no sealed text. */
  readonly where?: Statement
  /** The path to the sealed text in a column with JSON. */
  readonly path?: readonly string[]
  /** Few rows have the text, and an index has these rows alone. */
  readonly is_sparse?: true
}

const bind = (...names: readonly string[]) => names.join('.') as AssociatedData // as: only this file makes it

/** For an attempt at a provider in a cookie: it unseals in the browser and the environment in which it began. */
export const sealedCookie = (environment_id: string, browser: string): AssociatedData => bind('upstream_cookie', environment_id, browser)

/** For the way back of a sign-out at a provider, in a cookie. */
export const signedOutCookie = (environment_id: string): AssociatedData => bind('signed_out_cookie', environment_id)

/** A table of environments, whose rows `key` identifies within one. */
const ofEnvironment = <const Table extends string, const Columns extends readonly string[]>(
  table: Table,
  columns: Columns,
  key = 'id',
) => ({
  table,
  columns,
  key: ['environment_id', key] as const,
  associatedData: (environment_id: string, id: string) => bind(table, environment_id, id),
})

export const sealed_columns = {
  deployment: {
    table: 'deployment',
    columns: ['value'],
    key: ['name'],
    associatedData: (name: string) => bind('deployment', name),
    where: sql`name in ('secret', 'demo', 'dashboard')`,
  },
  signing_keys: {
    ...ofEnvironment('signing_keys', ['private_key'], 'kid'),
    where: sql`private_key <> ''`,
  },
  es256_keys: ofEnvironment('es256_keys', ['private_key'], 'kid'),
  smtp_password: {
    table: 'environments',
    columns: ['settings'],
    key: ['id'],
    associatedData: (environment_id: string) => bind('smtp', environment_id),
    where: sql`settings like '%"password":"v1.%'`,
    path: ['email', 'smtp', 'password'],
  },
  mails: ofEnvironment('mails', ['sealed']),
  mailed_codes: ofEnvironment('mailed_codes', ['sealed']),
  totp_methods: ofEnvironment('totp_methods', ['secret']),
  webhooks: ofEnvironment('webhooks', ['secret', 'previous_secret']),
  providers: {
    table: 'providers',
    columns: ['client_secret', 'private_key'],
    key: ['environment_id', 'id'],
    associatedData: (environment_id: string, id: string, column: string) => bind('providers', environment_id, id, column),
  },
  upstream_sign_ins: {
    table: 'upstream_sign_ins',
    columns: ['payload'],
    key: ['environment_id', 'state_hash'],
    associatedData: (environment_id: string) => bind('upstream_sign_ins', environment_id),
  },
  sessions: {
    ...ofEnvironment('sessions', ['upstream_id_token']),
    is_sparse: true,
  },
  half_sign_ins: {
    ...ofEnvironment('half_sign_ins', ['signed_in'], 'secret_hash'),
    where: sql`signed_in like '%"id_token":"v1.%'`,
    path: ['upstream', 'id_token'],
  },
  dashboard_sessions: {
    table: 'dashboard_sessions',
    columns: ['tokens'],
    key: ['session_hash'],
    associatedData: (session_hash: string) => bind('dashboard_sessions', session_hash),
  },
} as const satisfies Record<string, SealedColumns>
