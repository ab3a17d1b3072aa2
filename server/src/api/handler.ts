/**
 * The types of a handler: a plain function from the services and one call to the response body. The row of the route table decides
 * what the caller, the query and the body are, and which errors `fail` accepts.
 */
import type { ErrorCode } from '@ostiary/contract/errors.ts'
import type { TenantId } from '@ostiary/contract/ids.ts'
import type { Route } from '@ostiary/contract/route.ts'
import type { routes } from '@ostiary/contract/routes.ts'
import type { PlatformScope } from '@ostiary/contract/scopes.ts'
import type { z } from 'zod'
import type { Refusal } from '../base/refusal.ts'
import type { IfMatch } from '../domain/lists/if-match.ts'
import type { Fail } from '../http/problem.ts'
import type { Caller } from './authenticate.ts'
import type { Commit } from './commit.ts'
import type { FreshSignIn } from './fresh.ts'
import type { Services } from './services.ts'

/** The part of a call that is the same for every row. */
export interface AnyCall {
  readonly caller: Caller
  readonly params: Readonly<Record<string, string>>
  readonly request_id: string
  readonly ip: string | null
  /** Makes a signal that is aborted when the client disconnects. */
  readonly signal: () => AbortSignal
  /** For `changeVersioned`. */
  readonly if_match: IfMatch
  /** The client asked for the type in `lines` of the row: answer with `inLines`. */
  readonly wants_lines: boolean
  /** Records why an answer without an error is not the one that the caller hoped for. */
  readonly note: (refusal: Refusal) => void
  /** The checks of the sign-in of an administrator; `null` where the row or the credential needs none. */
  readonly sign_in: FreshSignIn | null
  /** Writes the change, its event, its audit entry and the recorded response in one batch. */
  readonly commit: Commit
}

export interface CallOf<R extends Route> extends AnyCall {
  readonly caller: CallerOf<R['credential']['kind']>
  readonly query: Parsed<R['query']>
  readonly body: Parsed<R['body']>
  readonly fail: Fail<DeclaredError<R>>
}

/** The properties of the caller that the credential of a row guarantees. */
type CallerOf<Kind> = Kind extends 'any_key' | 'publishable'
  ? CallerWith<'key'>
  : Kind extends 'secret'
    ? CallerWith<'environment'>
    : Kind extends 'administrator'
      ? CallerWith<'administrator'>
      : Caller

type CallerWith<Name extends keyof Caller> = Caller & { readonly [N in Name]: NonNullable<Caller[N]> }

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined

type DeclaredError<R> = R extends { fails: readonly (infer Code extends ErrorCode)[] } ? Code : never

type Table = typeof routes
export type RouteName = keyof Table

/** Returns the response body. An object with `version` sets the ETag; `null` sends no body. */
type HandlerOf<R extends Route> = (services: Services, call: CallOf<R>) => Promise<object | null>

export type Call<Name extends RouteName> = CallOf<Table[Name]>
export type Handler<Name extends RouteName> = HandlerOf<Table[Name]>
export type AnyHandler = HandlerOf<Route>

/**
 * For a repeat of a POST whose handler judges rights by what the call touches: reads the object, judges these rights as they are now, and
 * returns what of the first answer the caller may see. Where the object is gone, the rights that the row asks for are enough.
 */
type ReplayOf<R extends Route> = (services: Services, call: CallOf<R>, first: Record<string, unknown>) => Promise<Record<string, unknown>>
export type Replay<Name extends RouteName> = ReplayOf<Table[Name]>
export type AnyReplay = ReplayOf<Route>
export type Replays = { readonly [Name in RouteName]?: Replay<Name> }

/** A call whose key lacks scopes of the row. */
interface RefusedCall<R extends Route> {
  readonly tenant_id: TenantId
  readonly params: Readonly<Record<string, string>>
  /** `undefined` if the row does not accept it, too. */
  readonly body: Parsed<R['body']> | undefined
}

/** For a row whose handler asks a key for more scopes by what the call touches: returns these, so that one refusal names all. */
type TouchedScopesOf<R extends Route> = (services: Services, call: RefusedCall<R>) => Promise<readonly PlatformScope[]>
export type TouchedScopes = { readonly [Name in RouteName]?: TouchedScopesOf<Table[Name]> }
export type AnyTouchedScopes = TouchedScopesOf<Route>

/** One handler for every row. */
export type Handlers = { readonly [Name in RouteName]: Handler<Name> }

/** Rejects handlers without a row, which TypeScript would allow in an object that is made of modules. */
export type NothingElse<T> = { readonly [Name in Exclude<keyof T, RouteName>]: never }
