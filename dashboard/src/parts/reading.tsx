/** Reading from the API: one object, or a list that grows page by page. */
import { OstiaryError } from '@ostiary/sdk'
import { keepPreviousData, notifyManager, type UseQueryResult, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import { queries } from '../api.ts'
import type { List, One } from '../queries/query.ts'
import { useSignIn } from '../renewal.tsx'
import { Problem } from './problem.tsx'

const isOver = (error: unknown) => error instanceof OstiaryError && error.status === 401

/**
 * After a session has ended, the page waits for a new sign-in and then reads again. Entered values stay. Each failure asks, so that "Try
 * again" does after a Cancel too.
 */
function useSignInOn({ error, errorUpdatedAt, refetch }: { error: unknown; errorUpdatedAt: number; refetch: () => unknown }) {
  const { wait } = useSignIn()
  const failed_at = isOver(error) ? errorUpdatedAt : null
  useEffect(() => {
    if (failed_at !== null) void wait(null).then((outcome) => outcome === 'signed_in' && refetch())
  }, [failed_at, wait, refetch])
}

/** Whether the session was over when something of the page was read last. The answer of the session itself is `null` for nobody. */
function wasOver(): boolean {
  const states = queries
    .getQueryCache()
    .findAll({ type: 'active' })
    .map(({ state }) => state)
  const refused = states.filter(({ error }) => isOver(error)).map(({ errorUpdatedAt }) => errorUpdatedAt)
  const answered = states.filter(({ data }) => data !== null).map(({ dataUpdatedAt }) => dataUpdatedAt)
  return Math.max(0, ...refused) > Math.max(0, ...answered)
}

const watch = (changed: () => void) => queries.getQueryCache().subscribe(notifyManager.batchCalls(changed))

/** When a page reads again by itself. After the session has ended it never does: each reading would ask for a sign-in. */
function useRepeats(refetchInterval: number | false) {
  const is_over = useSyncExternalStore(watch, wasOver)
  return is_over ? { refetchInterval: false as const, refetchOnWindowFocus: false, refetchOnReconnect: false } : { refetchInterval }
}

/** For what the page reads again when it is time, and not when the browser thinks so. */
export const not_by_itself = { refetchOnWindowFocus: false, refetchOnReconnect: false } as const

interface Options {
  enabled?: boolean
  refetchInterval?: number | false
}

/**
 * Reads one object. `keeps_previous` is for a key that changes by a filter only: the old answer stays until the new one is there. An answer
 * about another object never does.
 */
export function useRead<T>(
  of: One<T>,
  {
    keeps_previous = false,
    refetchInterval = false,
    ...options
  }: Options & { keeps_previous?: boolean; refetchOnWindowFocus?: false; refetchOnReconnect?: false } = {},
) {
  const result = useQuery({
    ...of,
    ...useRepeats(refetchInterval),
    ...(keeps_previous ? { placeholderData: keepPreviousData } : {}),
    ...options,
  })
  useSignInOn(result)
  return result
}

export function useList<T>(of: List<T>, { refetchInterval = false, ...options }: Options = {}) {
  const result = useInfiniteQuery({
    ...of,
    placeholderData: keepPreviousData,
    ...useRepeats(refetchInterval),
    ...options,
  })
  useSignInOn(result)
  const rows = result.data?.pages.flatMap((page) => page.data)
  // A search reads a bounded number of objects for each page, so the pages before the first match are empty.
  const is_searching = rows?.length === 0 && result.hasNextPage && !result.isError
  const { isFetching, fetchNextPage } = result
  useEffect(() => {
    if (is_searching && !isFetching) void fetchNextPage()
  }, [is_searching, isFetching, fetchNextPage])
  return { ...result, rows: is_searching ? undefined : rows }
}

/** Shows the result of a read: a skeleton after 150 ms, the problem, or the content. */
export function Loaded<T>({ of, rows = 4, children }: { of: UseQueryResult<T>; rows?: number; children: (data: T) => ReactNode }) {
  if (of.data !== undefined)
    return (
      <div aria-busy={of.isPlaceholderData} className={of.isPlaceholderData ? 'dimmed' : ''}>
        <Problem error={of.error} retry={() => of.refetch()} />
        {children(of.data)}
      </div>
    )
  if (of.error) return <Problem error={of.error} retry={() => of.refetch()} />
  return <Skeleton rows={rows} />
}

export function Skeleton({ rows = 4 }: { rows?: number }) {
  const [is_due, setDue] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), 150)
    return () => clearTimeout(timer)
  }, [])
  if (!is_due) return null
  return (
    <div className="card pad skeleton" aria-hidden="true">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
        <i key={row} />
      ))}
    </div>
  )
}
