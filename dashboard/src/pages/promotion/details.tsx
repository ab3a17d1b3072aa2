/** Details whose content is read and rendered only when they are opened: a plan can have a thousand of them. */
import { type ReactNode, useState } from 'react'

interface DetailsProps {
  summary: ReactNode
  className?: string
  /** Whether something inside is marked, which opens it. */
  is_marked?: boolean
  children: () => ReactNode
}

export function Details({ summary, className, is_marked = false, children }: DetailsProps) {
  const [is_open, setOpen] = useState(false)
  const [was_marked, setMarked] = useState(false)
  if (was_marked !== is_marked) {
    setMarked(is_marked)
    if (is_marked) setOpen(true)
  }
  return (
    <details className={className} open={is_open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {is_open ? children() : null}
    </details>
  )
}
