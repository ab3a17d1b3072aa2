/** The palette (Ctrl K): pages, environments and any id. Also the shortcuts of single keys, which never fire in fields. */
import { Modal } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { Icon, type IconName } from '../parts/icon.tsx'
import { environmentBase, useScope } from '../scope.tsx'
import { usePages } from './sidebar.tsx'

interface Entry {
  name: string
  hint: string
  icon: IconName
  to: string
}

/** Ids have a prefix of two or three letters, `_` and 26 characters. */
const ID = /^\s*([a-z]{2,3}_[0-9a-z]{26})\s*$/

export function Palette({ opened, setOpened }: { opened: boolean; setOpened: (opened: boolean) => void }) {
  useShortcuts(setOpened)
  return (
    <Modal.Root
      opened={opened}
      onClose={() => setOpened(false)}
      size={560}
      padding={0}
      radius={14}
      transitionProps={{ duration: 0 }}
      classNames={{ content: 'palette' }}
      yOffset="12vh"
    >
      <Modal.Overlay className="dim" />
      <Modal.Content aria-label="Search">
        <Search close={() => setOpened(false)} />
      </Modal.Content>
    </Modal.Root>
  )
}

function Search({ close }: { close: () => void }) {
  const [words, setWords] = useState('')
  const [chosen, setChosen] = useState(0)
  const navigate = useNavigate()
  const found = useEntries(words)
  const open = (entry: Entry | undefined) => {
    if (!entry) return
    close()
    void navigate({ to: entry.to })
  }
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
          placeholder="A page, an environment, or any id"
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
            key={entry.to + entry.name}
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
      {found.length === 0 ? <p className="muted pad">Nothing has this name. Ids are searched when they are complete.</p> : null}
    </>
  )
}

function useEntries(words: string): Entry[] {
  const { tenant, project, environments } = useScope()
  const pages = usePages()
  const id = ID.exec(words)?.[1]
  if (id) return [{ name: `Open ${id}`, hint: '', icon: 'search', to: `/go/${id}` }]
  const entries: Entry[] = [
    ...pages.environment.flatMap(({ pages }) => pages.map((page) => ({ ...page, hint: page.key ? `g ${page.key}` : '' }))),
    ...pages.tenant.map((page) => ({ ...page, hint: tenant.name })),
    ...(project
      ? environments.map((environment) => ({
          name: environment.name,
          hint: project.name,
          icon: environment.type === 'test' ? ('flask' as const) : ('signal' as const),
          to: environmentBase(tenant.slug, project.slug, environment),
        }))
      : []),
  ]
  const wanted = words.toLowerCase().split(/\s+/)
  return entries.filter(({ name }) => wanted.every((word) => name.toLowerCase().includes(word)))
}

function useShortcuts(setOpened: (opened: boolean) => void) {
  const pages = usePages()
  const navigate = useNavigate()
  const latest = useRef(pages)
  latest.current = pages
  const after_g = useRef(false)
  useEffect(() => {
    const press = (event: globalThis.KeyboardEvent) => {
      if (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey)) {
        event.preventDefault()
        setOpened(true)
        return
      }
      const target = event.target instanceof HTMLElement ? event.target : null
      const is_typing = target?.closest('input, textarea, select, [contenteditable], [role=dialog], [role=alertdialog], [role=menu]')
      if (is_typing || event.metaKey || event.ctrlKey || event.altKey) return
      const was_g = after_g.current
      after_g.current = event.key === 'g'
      const all = latest.current.environment.flatMap(({ pages }) => pages)
      const page = was_g ? all.find(({ key }) => key === event.key) : undefined
      if (page) void navigate({ to: page.to })
      else if (event.key === '/') {
        const filter = document.querySelector<HTMLElement>('[data-filter]')
        if (!filter) return
        event.preventDefault()
        filter.focus()
      } else if (event.key === 'c') document.querySelector<HTMLElement>('.head .btn.pri')?.click()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [navigate, setOpened])
}
