/** A picker of the top bar: a button with where the page is, and behind it a search field over links to the other places. */
import { Popover } from '@mantine/core'
import { Link, type ToOptions, useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useState } from 'react'
import { Icon } from '../parts/icon.tsx'

interface Place {
  id: string
  name: string
  link: ToOptions
}

interface PickerProps {
  /** The name of the choice, such as "Project", in the singular and the plural. */
  what: string
  several: string
  current: string
  className?: string
  /** `undefined` while they are read. */
  places: readonly Place[] | undefined
  /** The places are those of earlier words, until the answer for these is there. */
  are_earlier?: boolean
  words: string
  search: (words: string) => void
  /** A link below the others. */
  all?: { name: string; link: ToOptions }
  onOpen?: () => void
}

export function Picker({ what, several, current, className = '', places, are_earlier = false, words, search, all, onOpen }: PickerProps) {
  const [is_open, setOpen] = useState(false)
  const [is_entered, setEntered] = useState(false)
  const navigate = useNavigate()
  const find = (words: string) => {
    setEntered(false)
    search(words)
  }
  const show = (open: boolean) => {
    setOpen(open)
    find('')
    if (open) onOpen?.()
  }
  const found = are_earlier ? undefined : places
  const openFirst = useEffectEvent(() => {
    const [first] = found ?? []
    if (!first) return setEntered(false)
    show(false)
    void navigate(first.link)
  })
  const is_due = is_entered && found !== undefined // Enter can come before the answer, and waits for it
  useEffect(() => {
    if (is_due) openFirst()
  }, [is_due])
  return (
    <Popover opened={is_open} onChange={show} position="bottom-start" width={280} trapFocus returnFocus>
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
          onChange={({ target }) => find(target.value)}
          onKeyDown={({ key }) => {
            if (key === 'Enter') setEntered(true)
          }}
        />
        {found?.length === 0 ? <p className="muted pad">Nothing has these words.</p> : null}
        <ul aria-label={several} aria-busy={are_earlier} className={are_earlier ? 'dimmed' : ''}>
          {places?.map(({ id, name, link }) => (
            <li key={id}>
              <Link {...link} onClick={() => show(false)}>
                {name}
              </Link>
            </li>
          ))}
        </ul>
        {all ? (
          <Link className="all" {...all.link} activeOptions={{ exact: true }} onClick={() => show(false)}>
            {all.name}
          </Link>
        ) : null}
      </Popover.Dropdown>
    </Popover>
  )
}
