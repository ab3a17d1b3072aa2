/** A picker of the top bar: a button with where the page is, and behind it a search field over links to the other places. */
import { Popover } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Icon } from '../parts/icon.tsx'

interface Place {
  id: string
  name: string
  to: string
}

interface PickerProps {
  /** What is picked, such as "Project", and several of them. */
  what: string
  several: string
  current: string
  className?: string
  /** `undefined` while they are read. */
  places: readonly Place[] | undefined
  words: string
  search: (words: string) => void
  /** A link below the others. */
  all?: { name: string; to: string }
  onOpen?: () => void
}

export function Picker({ what, several, current, className = '', places, words, search, all, onOpen }: PickerProps) {
  const [is_open, setOpen] = useState(false)
  const navigate = useNavigate()
  const show = (open: boolean) => {
    setOpen(open)
    search('')
    if (open) onOpen?.()
  }
  const first = places?.[0]
  return (
    <Popover opened={is_open} onChange={show} position="bottom-start" width={280} trapFocus returnFocus transitionProps={{ duration: 0 }}>
      <Popover.Target>
        <button type="button" className={`pick ${className}`} aria-label={`${what}: ${current}`} onClick={() => show(!is_open)}>
          <span className="cut">{current}</span> <Icon name="down" size={14} />
        </button>
      </Popover.Target>
      <Popover.Dropdown className="picker">
        <input
          className="in"
          data-autofocus
          aria-label={`Search ${several}`}
          placeholder={`Search ${several}`}
          autoComplete="off"
          spellCheck={false}
          value={words}
          onChange={({ target }) => search(target.value)}
          onKeyDown={({ key }) => {
            if (key !== 'Enter' || !first) return
            show(false)
            void navigate({ to: first.to })
          }}
        />
        {places?.length === 0 ? <p className="muted pad">Nothing has these words.</p> : null}
        <ul aria-label={several}>
          {places?.map(({ id, name, to }) => (
            <li key={id}>
              <Link to={to} onClick={() => show(false)}>
                {name}
              </Link>
            </li>
          ))}
        </ul>
        {all ? (
          <Link className="all" to={all.to} activeOptions={{ exact: true }} onClick={() => show(false)}>
            {all.name}
          </Link>
        ) : null}
      </Popover.Dropdown>
    </Popover>
  )
}
