/** Filters whose values are in the query of the address: chips that clear one each, and a range of time. */
import { type ReactNode, useEffect, useRef } from 'react'
import { localTime } from './clock.ts'
import { Icon } from './icon.tsx'
import { lasts } from './range.ts'
import type { Search, useQueryState } from './search.ts'
import { Empty } from './table.tsx'

type State = ReturnType<typeof useQueryState>

/** Maps the members of the query that filter to words. */
type Names = Readonly<Record<string, string>>

/** The words for an id or another value. */
type WordsOf = (value: string) => { name: string } | undefined

/** A chip for each filter that has a value. */
export function Chips({ names, nameOf, search, show }: { names: Names; nameOf?: WordsOf } & State) {
  const chosen = Object.entries(names).filter(([name]) => search[name] !== undefined)
  if (chosen.length === 0) return null
  const none = Object.fromEntries(chosen.map(([name]) => [name, undefined]))
  return (
    <>
      {chosen.map(([name, words]) => (
        <button
          key={name}
          type="button"
          className="chip"
          onClick={() => show({ [name]: undefined })}
          aria-label={`Clear the filter ${words}: ${shown(name, search[name] ?? '', nameOf)}`}
        >
          <span className="cut">
            {words}: {shown(name, search[name] ?? '', nameOf)}
          </span>
          <Icon name="cross" size={12} />
        </button>
      ))}
      {chosen.length > 1 ? (
        <button type="button" className="btn quiet s" onClick={() => show(none)}>
          Clear all
        </button>
      ) : null}
    </>
  )
}

/** The query has UTC; people enter and read local time. */
const shown = (name: string, value: string, nameOf?: WordsOf) =>
  name === 'from' || name === 'to' ? localTime(value) : (nameOf?.(value)?.name ?? value)

interface NoMatchProps {
  act?: 'Clear the filters' | 'Clear the search'
  clear: () => void
  children: ReactNode
}

/** The list that no row is left of, with a button that shows all of them again. */
export const NoMatch = ({ act = 'Clear the filters', clear, children }: NoMatchProps) => (
  <Empty
    action={
      <button type="button" className="btn" onClick={clear}>
        {act}
      </button>
    }
  >
    {children}
  </Empty>
)

/** A query without the filters of the chips, nor a range of time. */
export const without = (names: Names): Search => Object.fromEntries([...Object.keys(names), 'last'].map((name) => [name, undefined]))

interface FilterSelectProps {
  label: string
  /** The choice that filters nothing. */
  any: string
  options: readonly (readonly [value: string, words: string])[]
  value: string | undefined
  choose: (value: string | undefined) => void
  /** Whether the key / leads to it. */
  is_first?: boolean
}

/** A filter as a choice of one value. */
export const FilterSelect = ({ label, any, options, value = '', choose, is_first }: FilterSelectProps) => (
  <select
    className="in"
    data-filter={is_first}
    aria-label={label}
    value={value}
    onChange={({ target }) => choose(target.value || undefined)}
  >
    <option value="">{any}</option>
    {options.map(([value, words]) => (
      <option key={value} value={value}>
        {words}
      </option>
    ))}
  </select>
)

/** The value of a `datetime-local` field for a time, and the other way around. */
const localOf = (time: string | undefined) => {
  if (time === undefined || Number.isNaN(Date.parse(time))) return ''
  const at = new Date(time)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
const timeOf = (local: string) => (local === '' || Number.isNaN(Date.parse(local)) ? undefined : new Date(local).toISOString())

export function TimeRange({ search, show }: State) {
  const chosen = lasts[search.last ?? ''] ? search.last : search.last === 'between' || search.from || search.to ? 'between' : ''
  return (
    <span className="range">
      <FilterSelect
        label="Time"
        any="Any time"
        options={[...Object.entries(lasts).map(([last, { words }]) => [last, words] as const), ['between', 'Between…']]}
        value={chosen}
        choose={(last) => show({ last, from: undefined, to: undefined })}
      />
      {chosen === 'between'
        ? (['from', 'to'] as const).map((end) => (
            <label key={end}>
              {end === 'from' ? 'From' : 'to'}, local time{' '}
              <input
                className="in"
                type="datetime-local"
                value={localOf(search[end])}
                onChange={({ target }) => show({ [end]: timeOf(target.value) })}
              />
            </label>
          ))
        : null}
    </span>
  )
}

/**
 * A field whose text is in the query of the address, which follows a moment after each key. So the field keeps its own text while
 * someone types, and takes that of the address at other times, as when a button clears the search.
 */
export function SearchField({ label, placeholder, value, change }: SearchFieldProps) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (field.current && field.current !== document.activeElement) field.current.value = value
  }, [value])
  return (
    <input
      ref={field}
      className="in"
      data-filter
      aria-label={label}
      placeholder={placeholder}
      defaultValue={value}
      onChange={({ target }) => change(target.value)}
    />
  )
}

interface SearchFieldProps {
  label: string
  placeholder: string
  value: string
  change: (text: string) => void
}
