/** The tabs of a page. Each is an address of its own. */
import { Link, useLocation } from '@tanstack/react-router'

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
  return (
    <nav className="tabs" aria-label={label}>
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
