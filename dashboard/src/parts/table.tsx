/** A list of records: a table, below 860 px rows of label and value. */
import type { Page } from '@ostiary/sdk'
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import { Link, type ToOptions, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Problem } from './problem.tsx'
import { Skeleton } from './reading.tsx'
import { Time } from './time.tsx'

/** A record with an id. A dry run of a promotion has none, and is in no list. */
export interface Row {
  id: string | null
}

export interface Column<T> {
  head: string
  /** In the first column, `open` makes words the link or the button that opens the row, which the keyboard needs. */
  cell: (row: T, open: (words: ReactNode) => ReactNode) => ReactNode
  /** In the narrow form the first column has no label, and one of actions is in the corner. */
  kind?: 'actions'
  className?: string
}

/** The column of a time. */
export const timeColumn = <T,>(head: string, at: (row: T) => string | null): Column<T> => ({
  head,
  className: 'muted nowrap',
  cell: (row) => <Time at={at(row)} />,
})

type ListResult<T> = UseInfiniteQueryResult<InfiniteData<Page<T>>> & { rows: T[] | undefined }

export interface RecordsProps<T> {
  label: string
  list: ListResult<T>
  columns: Column<T>[]
  empty: ReactNode
  /** The page of a row, or what opens it otherwise: wherever it is pressed. */
  link?: (row: T) => ToOptions
  open?: ((row: T) => void) | undefined
}

/** Controls in a row have a press of their own, and a person who marks text does not open it. */
const isOwnPress = ({ target }: MouseEvent) =>
  (target instanceof Element && target.closest('a, button, input, select, label, time, [role=menu]') !== null) ||
  String(getSelection()) !== ''

export function Records<T extends Row>({ label, list, columns, empty, link, open }: RecordsProps<T>) {
  const navigate = useNavigate()
  const problem = list.error ? <Problem error={list.error} retry={() => list.refetch()} /> : null
  if (list.rows === undefined) return problem ?? <Skeleton />
  if (list.rows.length === 0)
    return (
      <>
        {problem}
        {empty}
      </>
    )
  const press = link ? (row: T) => void navigate(link(row)) : open
  const opener = (row: T) => (words: ReactNode) => {
    if (link) return <Link {...link(row)}>{words}</Link>
    if (!open) return words
    return (
      <button type="button" className="row-button" onClick={() => open(row)}>
        {words}
      </button>
    )
  }
  return (
    <>
      {problem}
      <section className={`card${list.isPlaceholderData ? ' dimmed' : ''}`} aria-busy={list.isPlaceholderData}>
        <table className="rows" aria-label={label}>
          <thead>
            <tr>
              {columns.map(({ head, kind }) => (
                <th key={head} scope="col">
                  {kind === 'actions' ? <span className="vh">{head}</span> : head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {list.rows.map((row) => (
              <tr
                key={row.id}
                className={press ? 'opens' : undefined}
                onClick={press && (({ nativeEvent }) => (isOwnPress(nativeEvent) ? undefined : press(row)))}
              >
                {columns.map(({ head, cell, kind, className }, place) => (
                  <td
                    key={head}
                    className={[className, kind === 'actions' ? 'act' : '', place === 0 ? 'kn' : ''].filter(Boolean).join(' ')}
                    {...(kind || place === 0 ? {} : { 'data-l': head })}
                  >
                    {cell(row, opener(row))}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <ShowMore list={list} of={label} />
    </>
  )
}

/** The heads of the columns of a short table. */
export const Heads = ({ of }: { of: readonly string[] }) => (
  <thead>
    <tr>
      {of.map((head) => (
        <th key={head} scope="col">
          {head}
        </th>
      ))}
    </tr>
  </thead>
)

/** The button for the next page of a list. `of` says what it lists, since a page can have several. */
export const ShowMore = ({
  list,
  of,
}: {
  list: Pick<ListResult<unknown>, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>
  of: string
}) => (list.hasNextPage ? <More of={of} is_busy={list.isFetchingNextPage} show={() => list.fetchNextPage()} /> : null)

const More = ({ of, is_busy = false, show }: { of: string; is_busy?: boolean; show: () => void }) => (
  <p className="load-more">
    <button type="button" className="btn" disabled={is_busy} onClick={show}>
      Show more<span className="vh">: {of}</span>
    </button>
  </p>
)

/** How many rows a page shows at first, and with each press. */
const step = 50

/** The first of rows that are all there, and the button for more. A page of a thousand tables or forms would be slow. */
export function useFirst<T>(rows: readonly T[], of: string) {
  const [most, setMost] = useState(step)
  return {
    first: rows.slice(0, most),
    more: rows.length > most ? <More of={of} show={() => setMost(most + step)} /> : null,
    /** Shows the row at a place too. */
    reach: (place: number) => setMost((now) => Math.max(now, Math.ceil((place + 1) / step) * step)),
  }
}

/** Whether a list is known to have no row. Then the button for the first one is in the list, and not in the head of the page too. */
export const hasNone = ({ rows }: { rows: readonly unknown[] | undefined }) => rows?.length === 0

export const Empty = ({ children, action, snippet }: { children: ReactNode; action?: ReactNode; snippet?: ReactNode }) => (
  <section className="card empty">
    <p>{children}</p>
    {action}
    {snippet}
  </section>
)
