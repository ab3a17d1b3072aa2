// pure
/** Names of secrets in documents: `${OSTIARY_SECRET_PROVIDERS_GOOGLE_CLIENT_SECRET}`. */
import { type ObjectKind, object_descriptions } from '@ostiary/contract/objects/objects.ts'
import { sha256 } from '../../base/digest.ts'

/** Between the braces. */
const longest_name = 100

/** The name under which a secret that is set appears. A slug has no `_`, so the names of two objects differ. */
export function secretName(object: 'settings' | ObjectKind, slug: string | null, field: string): string {
  const section = object === 'settings' ? 'SMTP' : object_descriptions[object].section
  const nameWith = (slug: string) => `OSTIARY_SECRET_${[section, slug, field].filter((part) => part !== '').join('_')}`
  const name = nameWith(slug ?? '')
  return `\${${upper(name.length > longest_name ? nameWith(shortened(slug ?? '')) : name)}}`
}

const upper = (name: string) => name.replaceAll('-', '_').toUpperCase()

/** Slugs have up to 63 characters. A digest tells two long ones apart. */
const shortened = (slug: string) => `${slug.slice(0, 40)}_${sha256(slug, 'hex').slice(0, 12)}`

interface MissingSecret {
  readonly object: 'settings' | ObjectKind
  readonly slug: string | null
  readonly field: string
}

/**
 * Says how to supply a missing secret. Only a document of the target itself names secrets: other sources and values have none.
 * @param can_wait whether nothing needs the secret while its provider is disabled
 */
export function wayToGive({ object, slug, field }: MissingSecret, { is_own, can_wait }: { is_own: boolean; can_wait: boolean }): string {
  const name = secretName(object, slug, field)
  if (is_own) {
    const or_later = can_wait ? ' Or leave the provider disabled.' : ''
    return `Name it in the document as ${name}, and give its value with the call that applies the plan.${or_later}`
  }
  const there = can_wait ? 'Leave the provider disabled until the target has its secret' : `Set ${withSecret(object)} in the target itself`
  return `${there}, or name the secret as ${name} in a document of the target.`
}

const withSecret = (object: MissingSecret['object']) =>
  object === 'settings' ? 'the mail server with its password' : 'the issuer with its secret'
