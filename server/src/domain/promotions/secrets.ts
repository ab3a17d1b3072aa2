/**
 * The secrets that come with the call that applies a promotion. Only this call compares them with those of the target: an equal one changes
 * nothing, and what it answers does not say whether one was equal.
 */
import type { ObjectOfConfiguration } from '@ostiary/contract/kept.ts'
import { ProviderChange } from '@ostiary/contract/objects/provider.ts'
import type { NeededSecret } from '@ostiary/contract/promotion.ts'
import { isText } from '../../base/text.ts'
import type { Db } from '../../db/db.ts'
import { sealed_columns } from '../../deployment/secrets/sealed-columns.ts'
import type { Secrets } from '../../deployment/secrets/secrets.ts'
import { pointerTo } from '../../http/problem.ts'
import type { Read } from '../configuration/store.ts'
import type { Problem } from '../configuration/wanted.ts'
import { findWithSecrets } from '../providers/store.ts'

/** The secrets that replace or set one, by their places. */
export interface SentSecrets {
  get(object: ObjectOfConfiguration, slug: string | null, pointer: string): string | undefined
  readonly places: readonly Pick<NeededSecret, 'object' | 'slug' | 'pointer'>[]
}

export const no_secrets: SentSecrets = { get: () => undefined, places: [] }

const longest_password = 1_000

/** Returns the problems with the secrets of a call: unknown names, missing ones, and values that the field refuses. */
export function secretProblems(sent: Readonly<Record<string, string>>, needed: readonly NeededSecret[]): Problem[] {
  const unknown = Object.keys(sent).filter((name) => !needed.some((secret) => secret.name === name))
  const missing = needed.filter(({ name, stored }) => !stored && !Object.hasOwn(sent, name))
  return [
    ...unknown.map((name) => problem(name, 'not_allowed', 'The plan needs no secret of this name.')),
    ...missing.map(({ name }) => problem(name, 'required', 'The target has no such secret yet. Send its value.')),
    ...needed.flatMap(({ name, pointer }) =>
      Object.hasOwn(sent, name) && !isAccepted(pointer, sent[name] ?? '')
        ? [problem(name, 'bad_format', 'The field does not accept this value.')]
        : [],
    ),
  ]
}

const problem = (name: string, code: string, detail: string): Problem => ({ pointer: pointerTo(['secrets', name]), code, detail })

function isAccepted(pointer: string, value: string): boolean {
  const { client_secret, private_key } = ProviderChange.shape
  if (pointer === '/private_key') return private_key.safeParse(value).success
  if (!isText(value)) return false
  return pointer === '/client_secret' ? client_secret.safeParse(value).success : value.length <= longest_password
}

/** Those that differ from the secrets of the target. One that goes to another place is sent again there, equal or not. */
export async function differingSecrets(
  { db, secrets }: { readonly db: Db; readonly secrets: Secrets },
  target: Read,
  sent: Readonly<Record<string, string>>,
  needed: readonly NeededSecret[],
): Promise<SentSecrets> {
  const values = new Map<string, string>()
  const places: NeededSecret[] = []
  for (const secret of needed) {
    const value = Object.hasOwn(sent, secret.name) ? sent[secret.name] : undefined
    if (value === undefined || (secret.stored && value === (await storedSecret({ db, secrets }, target, secret)))) continue
    values.set(keyOf(secret.object, secret.slug, secret.pointer), value)
    places.push(secret)
  }
  return { get: (...place) => values.get(keyOf(...place)), places }
}

const keyOf = (object: string, slug: string | null, pointer: string) => `${object}/${slug ?? ''}${pointer}`

async function storedSecret(
  { db, secrets }: { readonly db: Db; readonly secrets: Secrets },
  { id, settings, rows }: Read,
  { object, slug, pointer }: NeededSecret,
): Promise<string | null> {
  if (object === 'settings') {
    const { email } = settings.settings as { email?: { smtp?: { password?: string } | null } } // as: every member is optional
    const sealed = email?.smtp?.password
    return sealed === undefined ? null : secrets.unseal(sealed, sealed_columns.smtp_password.associatedData(id))
  }
  const row = rows.provider.get(slug ?? '')
  const stored = row ? await findWithSecrets(db, id, row.id) : null
  const name = pointer === '/private_key' ? 'private_key' : 'client_secret'
  const sealed = stored?.[name] ?? null
  return stored === null || sealed === null ? null : secrets.unseal(sealed, sealed_columns.providers.associatedData(id, stored.id, name))
}
