/** The roles that a person was given, as tags of a row. */
import type { EnvironmentRole } from '@ostiary/sdk'
import { Tag } from '../../parts/tag.tsx'
import { nameOfRole } from './role-words.ts'

interface GivenRolesProps {
  every: readonly EnvironmentRole[]
  slugs: readonly string[]
  none: string
}

export const GivenRoles = ({ every, slugs, none }: GivenRolesProps) =>
  slugs.length === 0 ? (
    <span className="faint">{none}</span>
  ) : (
    <span className="rs given-roles">
      {slugs.map((slug) => (
        <Tag key={slug}>{nameOfRole(every, slug)}</Tag>
      ))}
    </span>
  )
