import type { ReactNode } from 'react'
import { useScope } from '../scope.tsx'
import { Icon, type IconName } from './icon.tsx'

interface TagProps {
  tone?: '' | 'ok' | 'warn' | 'bad' | 'acc' | 'test' | 'live'
  /** Another icon than that of the tone; `null` for none. */
  icon?: IconName | null
  mono?: boolean
  children: ReactNode
}

const icons = { ok: 'check', warn: 'warn', bad: 'cross', test: 'flask', live: 'signal', acc: null, '': null } as const

/** A status: a word, usually with an icon, and a colour that only repeats the word. */
export const Tag = ({ tone = '', icon = icons[tone], mono = false, children }: TagProps) => (
  <span className={`tag ${tone}${mono ? ' m' : ''}`}>
    {icon ? <Icon name={icon} size={12} /> : null}
    {children}
  </span>
)

export const EnvironmentTag = ({ type }: { type: 'test' | 'live' }) => <Tag tone={type}>{type === 'test' ? 'Test' : 'Live'}</Tag>

/** The environment of the page, if it has one. */
export function ThisEnvironment() {
  const { environment } = useScope()
  return environment ? <EnvironmentTag type={environment.type} /> : null
}
