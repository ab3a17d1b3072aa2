/** The button of a step of a promotion. While it is closed, the reason is beside it. */
import { type ReactNode, useId } from 'react'
import { Icon } from '../../parts/icon.tsx'

interface StepButtonProps {
  /** Why the step cannot be taken now; `null` where it can. */
  why: string | null
  busy?: boolean
  className?: string
  onClick: () => void
  children: ReactNode
}

export function StepButton({ why, busy = false, className = 'btn', onClick, children }: StepButtonProps) {
  const id = useId()
  return (
    <div className="row closed-by">
      <button
        type="button"
        className={className}
        disabled={why !== null || busy}
        aria-describedby={why === null ? undefined : id}
        onClick={onClick}
      >
        {children}
      </button>
      {why === null ? null : (
        <span id={id} className="muted">
          <Icon name="lock" size={14} /> {why}.
        </span>
      )}
    </div>
  )
}
