/** The shortcuts of single keys: their list, the switch that turns them off, and the keys themselves. They never fire in fields. */
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useEffectEvent, useRef, useState } from 'react'
import { usePages } from './sidebar.tsx'

const ShortcutList = lazy(() => import('./shortcut-list.tsx'))

const NAME = 'ostiary_shortcuts'

/** The choice is a cookie of the dashboard's own path, like the theme. Without one the keys are on. */
const areOff = () => /(?:^|; )ostiary_shortcuts=off/.test(document.cookie)
function keep(is_off: boolean): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in Safari
  document.cookie = `${NAME}=off; Path=/dashboard; Max-Age=${is_off ? 31_536_000 : 0}; SameSite=Strict`
}

const ours = 'input, textarea, select, [contenteditable], [role=dialog], [role=alertdialog], [role=menu], [role=listbox]'
/** The rows that `j` and `k` move between, by the first link or button of each. */
const rows = 'main table.rows tbody tr, main [data-row]'

function move(step: 1 | -1): void {
  const all = [...document.querySelectorAll<HTMLElement>(rows)].filter((row) => row.offsetParent !== null)
  const current = all.findIndex((row) => row.contains(document.activeElement))
  const next = all[current < 0 ? (step === 1 ? 0 : all.length - 1) : Math.min(Math.max(current + step, 0), all.length - 1)]
  const target = next?.matches('button, a') ? next : next?.querySelector<HTMLElement>('a, button')
  target?.focus()
}

interface ShortcutsProps {
  opened: boolean
  setOpened: (opened: boolean) => void
  openPalette: () => void
}

export function Shortcuts({ opened, setOpened, openPalette }: ShortcutsProps) {
  const pages = usePages()
  const navigate = useNavigate()
  const [is_off, setOff] = useState(areOff)
  const after_g = useRef(false)
  const [is_loaded, setLoaded] = useState(false) // once it was opened
  if (opened && !is_loaded) setLoaded(true)
  const targets = pages.environment.flatMap(({ pages }) => pages).filter(({ key }) => key !== undefined)
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey)) {
      event.preventDefault()
      openPalette()
      return
    }
    const target = event.target instanceof HTMLElement ? event.target : null
    if (is_off || target?.closest(ours) || event.metaKey || event.ctrlKey || event.altKey || event.isComposing) return
    const was_g = after_g.current
    after_g.current = event.key === 'g'
    const page = was_g ? targets.find(({ key }) => key === event.key) : undefined
    const acts: Record<string, () => void> = {
      j: () => move(1),
      k: () => move(-1),
      '?': () => setOpened(true),
      '/': () => document.querySelector<HTMLElement>('[data-filter]')?.focus(),
      c: () => document.querySelector<HTMLElement>(':is(.head, .empty) .btn.pri')?.click(),
    }
    const act = page ? () => void navigate(page.link) : acts[event.key]
    if (!act) return
    event.preventDefault()
    act()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event)
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
  const list: [keys: string[], does: string][] = [
    [['j', 'k'], 'Next and previous row; Enter opens it'],
    [['c'], 'Create, on pages with a list'],
    [['/'], 'Go to the filter'],
    ...targets.map(({ key, name }): [string[], string] => [['g', key ?? ''], name]),
    [['?'], 'This list'],
  ]
  const toggle = (off: boolean) => {
    keep(off)
    setOff(off)
  }
  return is_loaded ? (
    <Suspense fallback={null}>
      <ShortcutList list={list} is_off={is_off} toggle={toggle} opened={opened} close={() => setOpened(false)} />
    </Suspense>
  ) : null
}
