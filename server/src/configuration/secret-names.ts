// pure
/** Names of secrets in documents: `${OSTIARY_SECRET_PROVIDERS_GOOGLE_CLIENT_SECRET}`. */
import { hash } from 'node:crypto'
import { documentObjects, type ObjectKind } from '@ostiary/contract/configuration.ts'

/** Between the braces. */
const longest_name = 100

/** The name under which a secret that is set appears. A slug has no `_`, so the names of two objects differ. */
export function secretName(object: 'settings' | ObjectKind, slug: string | null, field: string): string {
  const section = object === 'settings' ? 'SMTP' : documentObjects[object].section
  const nameWith = (slug: string) => `OSTIARY_SECRET_${[section, slug, field].filter((part) => part !== '').join('_')}`
  const name = nameWith(slug ?? '')
  return `\${${upper(name.length > longest_name ? nameWith(shortened(slug ?? '')) : name)}}`
}

const upper = (name: string) => name.replaceAll('-', '_').toUpperCase()

/** Slugs have up to 63 characters. A digest tells two long ones apart. */
const shortened = (slug: string) => `${slug.slice(0, 40)}_${hash('sha256', slug).slice(0, 12)}`
