import type { ReactNode } from 'react'
import { useScope } from '../scope.tsx'
import { Icon, type IconName } from './icon.tsx'

/** A status: a word, usually with an icon, and a colour that only repeats the word. */
export const Tag = ({
  tone = '',
  icon,
  mono = false,
  children,
}: {
  tone?: '' | 'ok' | 'warn' | 'bad' | 'acc' | 'test' | 'live'
  icon?: IconName
  mono?: boolean
  children: ReactNode
}) => (
  <span className={`tag ${tone}${mono ? ' m' : ''}`}>
    {icon ? <Icon name={icon} size={12} /> : null}
    {children}
  </span>
)

export const EnvironmentTag = ({ type }: { type: 'test' | 'live' }) => (
  <Tag tone={type} icon={type === 'test' ? 'flask' : 'signal'}>
    {type === 'test' ? 'Test' : 'Live'}
  </Tag>
)

/** The environment of the page, if it has one. */
export function ThisEnvironment() {
  const { environment } = useScope()
  return environment ? <EnvironmentTag type={environment.type} /> : null
}
