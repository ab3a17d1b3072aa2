/** The palette (Ctrl K): pages, environments, the common tasks, objects and documents by name, and any id. */
import { Modal } from '@mantine/core'
import { linkOptions, type ToOptions, useNavigate } from '@tanstack/react-router'
import { type FocusEvent, type KeyboardEvent, lazy, Suspense, useEffect, useState } from 'react'
import { useEscape } from '../parts/escape.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { environment_route, environmentParams, useScope } from '../scope.tsx'
import { usePages } from './sidebar.tsx'

const Finder = lazy(() => import('./finder.tsx'))

export interface Entry {
  name: string
  hint: string
  icon: IconName
  link?: ToOptions
  /** Runs instead of opening a page. */
  run?: () => void
}

/** The objects found by name, for these words. */
export interface Found {
  words: string
  /** Whether every part of the search was answered. */
  is_whole: boolean
  entries: Entry[]
}

/** One or two letters are part of too many names. */
const SHORTEST = 3

/** An id, also within pasted text such as a line of a log: a prefix of two or three letters, `_` and 26 characters. */
const ID = /\b([a-z]{2,3}_[0-7][0-9a-hjkmnp-tv-z]{25})\b/

interface PaletteProps {
  opened: boolean
  setOpened: (opened: boolean) => void
  showKeys: () => void
}

export function Palette({ opened, setOpened, showKeys }: PaletteProps) {
  const close = () => setOpened(false)
  useEscape(opened, close)
  /** A record that opens below, as its page arrives, would take the focus. */
  const keepFocus = ({ currentTarget, relatedTarget, target }: FocusEvent) => {
    if (opened && relatedTarget !== null && !currentTarget.contains(relatedTarget) && target instanceof HTMLElement) target.focus()
  }
  return (
    <Modal.Root opened={opened} onClose={close} size={560} classNames={{ content: 'palette' }} yOffset="12vh">
      <Modal.Overlay />
      <Modal.Content aria-label="Search" onBlur={keepFocus}>
        <Search close={close} showKeys={showKeys} />
      </Modal.Content>
    </Modal.Root>
  )
}

function Search({ close, showKeys }: { close: () => void; showKeys: () => void }) {
  const [words, setWords] = useState('')
  const [chosen, setChosen] = useState(0)
  const navigate = useNavigate()
  const [by_name, setByName] = useState<Found>({ words: '', is_whole: true, entries: [] })
  const wanted = words.trim()
  const is_id = ID.test(words)
  const is_named = wanted.length >= SHORTEST && !is_id
  const names = is_named && by_name.words === wanted ? by_name : null
  const found = [...useEntries(words, showKeys), ...(names?.entries ?? [])]
  const open = (entry: Entry | undefined) => {
    if (!entry) return
    close()
    entry.run?.()
    if (entry.link) void navigate(entry.link)
  }
  useEffect(() => {
    document.getElementById(`found-${chosen}`)?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) setChosen((chosen + step + found.length) % Math.max(found.length, 1))
    else if (event.key === 'Enter') open(found[chosen])
    else return
    event.preventDefault()
  }
  return (
    <>
      <div className="seek-field">
        <Icon name="search" size={17} />
        <input
          data-autofocus
          value={words}
          placeholder="A page, a task, a name or any id"
          aria-label="Search pages, or paste an id"
          role="combobox"
          aria-expanded="true"
          aria-controls="found"
          aria-activedescendant={found[chosen] ? `found-${chosen}` : undefined}
          autoComplete="off"
          spellCheck={false}
          onKeyDown={press}
          onChange={({ target }) => {
            setWords(target.value)
            setChosen(0)
          }}
        />
      </div>
      <div className="found" id="found" role="listbox" aria-label="Results">
        {found.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above moves and opens by keys
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows have no state, and two environments can have one name
            key={index}
            id={`found-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => open(entry)}
          >
            <Icon name={entry.icon} size={17} /> {entry.name} <span className="faint">{entry.hint}</span>
          </div>
        ))}
      </div>
      {is_named ? (
        <Suspense fallback={null}>
          <Finder words={wanted} report={setByName} />
        </Suspense>
      ) : null}
      {found.length === 0 ? (
        <p className="muted pad" aria-live="polite">
          {nothingFound(is_named, names)}
        </p>
      ) : null}
    </>
  )
}

/** Why the list is empty. `names` is `null` while the requests run. */
function nothingFound(is_named: boolean, names: Found | null): string {
  if (!is_named) return 'No page has this name. Type three letters to search names too; ids are searched when they are complete.'
  if (names === null) return 'Searching…'
  if (!names.is_whole) return 'Part of the search failed, and the rest found nothing. Change a letter to try again.'
  return 'Nothing has this name. Ids are searched when they are complete.'
}

/** The tasks that can be started from anywhere: the page with its form, and the role that may. */
const tasks = [
  ['/applications', 'New application'],
  ['/users', 'Add user'],
  ['/organizations', 'Create organization'],
  ['/api-keys', 'Create key'],
  ['/webhooks', 'Add webhook'],
  ['/providers', 'Add provider'],
  ['/resource-servers', 'Add resource server'],
  ['/roles', 'Create role'],
] as const
const tenant_tasks = [
  ['', 'New project', 'developer'],
  ['/members', 'Invite a member', 'admin'],
  ['/platform-keys', 'Create platform key', 'admin'],
] as const

function useEntries(words: string, showKeys: () => void): Entry[] {
  const { tenant, project, environments, environment, can, is_root } = useScope()
  const pages = usePages()
  const id = ID.exec(words)?.[1]
  if (id)
    return [
      {
        name: `Open ${id}`,
        hint: '',
        icon: 'search',
        link: linkOptions({ to: '/go/$id', params: { id }, search: environment ? { searched_in: environment.id } : {} }),
      },
    ]
  const entries: Entry[] = [
    ...pages.environment.flatMap(({ pages }) => pages.map((page) => ({ ...page, hint: page.key ? `g ${page.key}` : '' }))),
    ...pages.project.map((page) => ({ ...page, hint: project?.name ?? '' })),
    ...pages.tenant.map((page) => ({ ...page, hint: tenant.name })),
    ...(project
      ? environments.map((environment) => ({
          name: environment.name,
          hint: project.name,
          icon: environment.type === 'test' ? ('flask' as const) : ('signal' as const),
          link: linkOptions({ to: environment_route, params: environmentParams(tenant.slug, project.slug, environment) }),
        }))
      : []),
    ...(project && environment && can('developer') && !is_root
      ? tasks.map(([path, name]) => ({
          name,
          hint: environment.name,
          icon: 'plus' as const,
          link: linkOptions({
            to: `${environment_route}${path}`,
            params: environmentParams(tenant.slug, project.slug, environment),
            search: { new: '1' },
          }),
        }))
      : []),
    ...tenant_tasks
      .filter(([path, , role]) => can(role) && (!is_root || path === '/members'))
      .map(([path, name]) => ({
        name,
        hint: tenant.name,
        icon: 'plus' as const,
        link: linkOptions({ to: `/t/$tenant${path}`, params: { tenant: tenant.slug }, search: { new: '1' } }),
      })),
    { name: 'Keyboard shortcuts', hint: '?', icon: 'info', run: showKeys },
  ]
  const wanted = words.toLowerCase().split(/\s+/)
  return entries.filter(({ name }) => wanted.every((word) => name.toLowerCase().includes(word)))
}
