import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'

/** A remark within a page or a dialog: a fact, advice, or a warning. */
export const Note = ({ tone, children }: { tone?: 'acc' | 'warn' | 'bad'; children: ReactNode }) => (
  <div className={`note ${tone ?? ''}`}>
    <Icon name={tone === 'warn' || tone === 'bad' ? 'warn' : 'info'} size={16} />
    <div>{children}</div>
  </div>
)
