/**
 * The reads of the pages. Each file of this folder owns one subject: the keys of its answers, the calls, and how long an answer is fresh.
 * Pages, loaders and changes use these factories; nothing else writes a key, and a list of other values is not a `Key`.
 *
 *   applications.list(here, words)     what a page reads, for `useList`, `useRead` and the loader of its route
 *   applications.all(here)             the key of all lists, for what is read again after a change
 */
import type { Client, Page } from '@ostiary/sdk'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { queries } from '../api.ts'

declare const made: unique symbol
export type Key = readonly unknown[] & { readonly [made]: true }
export const key = (subject: string, ...of: unknown[]) => [subject, ...of] as unknown as Key // as: the mark exists only for the compiler

/** An environment, and a client that acts in it. `useEnvironment` gives both. */
export interface Here {
  client: Client
  at: { project_id: string; environment_id: string }
}
export type At = Pick<Here, 'at'>

/** A project, and a client that acts in its tenant. `useProject` gives both. */
export interface InProject {
  client: Client
  project: { id: string }
}

/** A tenant, and a client that acts in it. `useScope` gives both. */
export interface InTenant {
  client: Client
  tenant: { id: string }
}
export type OfTenant = Pick<InTenant, 'tenant'>

/** An answer that is younger is not asked for again when another part of the page needs it. */
const FRESH_MS = 5_000

/** The last argument of each call of the client. */
export interface Signal {
  signal?: AbortSignal
}

interface Times {
  staleTime?: number
  /** How long an answer stays in memory after the last part that shows it. */
  gcTime?: number
}

/** Returns the query for one object. */
export const one = <T>(queryKey: Key, read: (options: Signal) => Promise<T>, times: Times = {}) => ({
  ...queryOptions({ queryKey, queryFn: ({ signal }) => read({ signal }), staleTime: FRESH_MS, ...times }),
  read,
})
export type One<T> = ReturnType<typeof one<T>>

/** Returns the query for a list, page by page. */
export const list = <T>(queryKey: Key, read: (cursor: string | undefined) => Promise<Page<T>>) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam }) => read(pageParam),
    initialPageParam: undefined as string | undefined, // as: the type of the parameter of the later pages
    getNextPageParam: (page: Page<T>) => page.next_cursor ?? undefined,
    staleTime: FRESH_MS,
  })
export type List<T> = ReturnType<typeof list<T>>

/** Begins to read, if the answer in memory is not fresh. A failure is shown where the page reads the same. */
export const begin = <T>(of: One<T>): void => void queries.prefetchQuery(of)
export const beginList = <T>(of: List<T>): void => void queries.prefetchInfiniteQuery(of)

/** The answer in memory, else that of the service. */
export const answerTo = <T>(of: One<T>): Promise<T> => queries.ensureQueryData(of)

/** Marks every read under these keys as old. Those that the page shows are repeated at once. */
export function readAgain(keys: readonly Key[]): void {
  for (const queryKey of keys) void queries.invalidateQueries({ queryKey })
}

/** Puts an answer into memory that came by another way, such as that of a change. */
export const remember = (queryKey: Key, answer: unknown): void => void queries.setQueryData(queryKey, answer)
