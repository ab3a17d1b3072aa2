import type { ReactNode } from 'react'
import { Icon } from '../../parts/icon.tsx'
import type { CheckState } from '../../parts/readiness.ts'

const icons = { done: 'check', open: 'dots', not_needed: 'minus' } as const
const said = { done: 'Done.', open: 'Open.', not_needed: '' }

interface StepLineProps {
  title: string
  state: CheckState
  detail: ReactNode
  /** At the end of the line. */
  children?: ReactNode
}

export const StepLine = ({ title, state, detail, children }: StepLineProps) => (
  <li className={state === 'open' ? '' : 'done'}>
    <span className={state === 'done' ? 'd' : 'd o'}>
      <Icon name={icons[state]} size={13} />
    </span>
    <div className="t">
      <b>{title}</b>
      <span className="vh">{said[state]}</span>
      {state === 'open' ? <span>{detail}</span> : null}
    </div>
    {children}
  </li>
)
