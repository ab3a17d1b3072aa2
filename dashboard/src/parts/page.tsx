/** The head of a page, and the title of its tab. */
import { useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { operatorPages, pageAt } from '../frame/navigation.ts'
import { useScope } from '../scope.tsx'
import { useTab } from './tab.ts'

export interface PageProps {
  title: string
  lead?: ReactNode
  actions?: ReactNode
  logo?: ReactNode
  children?: ReactNode
}

export function Page(props: PageProps) {
  const { environment, project, tenant, is_root } = useScope()
  const page = pageAt(useLocation().pathname)
  const title = (is_root && page?.name === props.title && operatorPages[page.path]) || props.title
  useTab(`${title} · ${project?.name ?? tenant.name} · Ostiary`, environment?.type)
  return <Titled {...props} title={title} />
}

/** The head and the content of a page, in a tenant or outside of one. */
export function Titled({ title, lead, actions, children, logo }: PageProps) {
  useFocusAtTitle()
  return (
    <>
      <div className="head">
        <div className={logo ? 'apph' : ''}>
          {logo}
          <div>
            <h1 id="page-title" tabIndex={-1}>
              {title}
            </h1>
            {lead ? <p>{lead}</p> : null}
          </div>
        </div>
        {actions ? <div className="acts">{actions}</div> : null}
      </div>
      {children}
    </>
  )
}

/** The path of the page that was shown last. The first one of a visit keeps the focus at the start of the document. */
let shown = location.pathname

/** Whether the last press was one of a pointer: a person who clicks sees where the page begins, and the title needs no ring. */
let is_by_pointer = false
for (const kind of ['pointerdown', 'keydown'])
  addEventListener(
    kind,
    ({ type }) => {
      is_by_pointer = type === 'pointerdown'
    },
    true,
  )

/** On a new page the focus goes to its title: it was on a link that may be gone, and screen readers say the title. */
function useFocusAtTitle() {
  useEffect(() => {
    // A dialog that closed meanwhile gives the focus back a moment later, and one that opened keeps it.
    const timer = setTimeout(() => {
      if (shown === location.pathname) return
      shown = location.pathname
      const title = document.getElementById('page-title')
      if (title === null || document.querySelector('[role=dialog], [role=alertdialog]')) return
      title.classList.toggle('by-pointer', is_by_pointer)
      title.focus()
    }, 50)
    return () => clearTimeout(timer)
  }, [])
}

export interface ChangeButtonProps {
  needs?: 'developer' | 'admin' | 'owner' | undefined
  className?: string
  onClick: () => void
  children: ReactNode
  disabled?: boolean
  /** Why this person cannot press it, besides the role. */
  why?: string | undefined
  /** Whether operators can do it on a page of the deployment itself. */
  in_root?: boolean | undefined
}

/** A button for a change. Without the role it is disabled and says which role it needs. */
export function ChangeButton({
  needs = 'developer',
  className = 'btn',
  onClick,
  children,
  disabled = false,
  why,
  in_root = true,
}: ChangeButtonProps) {
  const { can, is_root } = useScope()
  const path = pageAt(useLocation().pathname)?.path ?? ''
  const is_closed = is_root && !(in_root && path in operatorPages)
  const reason = is_closed
    ? 'Not in the deployment itself: it concerns every administrator.'
    : can(needs)
      ? why
      : `Needs the role ${needs}.`
  return (
    <button type="button" className={className} disabled={disabled || reason !== undefined} title={reason} onClick={onClick}>
      {children}
      {reason ? <span className="vh"> ({reason})</span> : null}
    </button>
  )
}
