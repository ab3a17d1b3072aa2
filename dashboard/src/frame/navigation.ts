/** The pages of the sidebar, which the palette and the shortcuts also offer. */
import type { IconName } from '../parts/icon.tsx'
import type { Role } from '../scope.tsx'

export interface PageEntry {
  path: string
  name: string
  icon: IconName
  /** Who may read the page; others do not see it. */
  role: Role
  /** Only in environments of this type. */
  only?: 'test'
  /** The second key of its shortcut, after `g`. */
  key?: string
}

// biome-ignore format: these tables are read by column
export const environmentPages: { group: string; pages: PageEntry[] }[] = [
  { group: '', pages: [{ path: '', name: 'Overview', icon: 'home', role: 'viewer' }] },
  { group: 'Sign-in', pages: [
    { path: '/applications', name: 'Applications', icon: 'window', role: 'viewer', key: 'a' },
  ] },
  { group: 'Build', pages: [
    { path: '/api-keys', name: 'API keys', icon: 'key', role: 'viewer', key: 'k' },
  ] },
]

// biome-ignore format: these tables are read by column
export const tenantPages: PageEntry[] = [
  { path: '', name: 'Projects', icon: 'building', role: 'viewer' },
]
