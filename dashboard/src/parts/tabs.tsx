/** The tabs of a page. Each is an address of its own. */
import { Link, useLocation } from '@tanstack/react-router'
import { useRef } from 'react'
import { useChosenInView } from './in-view.ts'

export const PageTabs = ({
  label,
  tabs,
  current,
}: {
  label: string
  tabs: readonly (readonly [id: string, name: string])[]
  current: string
}) => {
  const { pathname } = useLocation()
  const row = useRef<HTMLElement>(null)
  useChosenInView(row, current)
  return (
    <nav className="tabs" aria-label={label} ref={row}>
      {tabs.map(([id, name]) => (
        <Link
          key={id}
          to={pathname}
          search={{ tab: id }}
          aria-current={id === current ? 'page' : undefined}
          activeProps={{}}
          activeOptions={{ exact: true }}
        >
          {name}
        </Link>
      ))}
    </nav>
  )
}
