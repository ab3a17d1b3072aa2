/** Two versions of an object compared: what this person changed, and what another person saved meanwhile. */

export type Choice = 'mine' | 'theirs'

/** A field of both: its JSON pointer, and its value when the form began, as entered here, and as it is saved now. */
export interface Difference {
  pointer: string
  before: unknown
  mine: unknown
  theirs: unknown
}

/** Members that the service sets. They differ in every version and nobody chooses them. */
const bookkeeping = new Set([
  '/updated_at',
  '/created_at',
  '/version',
  '/last_success_at',
  '/last_failure',
  '/last_failure/at',
  '/last_failure/cause',
  '/last_failure/detail',
  '/failing_since',
  '/last_sign_in_at',
  '/last_used_at',
  '/last_used_ip',
  '/member_count',
  '/people',
  '/secret_rotated_at',
  '/previous_secret_until',
])

/** The secrets that a form sends. No version of an object has them, and no dialog shows them. */
const secrets = new Set(['/client_secret', '/private_key', '/email/smtp/password'])
export const isSecret = (pointer: string) => secrets.has(pointer)

/** The fields of the change, and the other fields that differ between both versions. */
export function differences(change: object, before: object, now: object): { fields: Difference[]; others: Difference[] } {
  const [mine, old, theirs] = [leavesOf(change), leavesOf(before), leavesOf(now)]
  const at = (pointer: string) => ({ pointer, before: old.get(pointer), mine: mine.get(pointer), theirs: theirs.get(pointer) })
  const others = [...new Set([...old.keys(), ...theirs.keys()])]
    .filter((pointer) => !mine.has(pointer) && !bookkeeping.has(pointer))
    .map(at)
  return { fields: [...mine.keys()].map(at), others: others.filter((field) => !isSame(field.before, field.theirs)) }
}

/** The change without the fields where the saved version was chosen. */
export function withChoices<C extends object>(change: C, choices: ReadonlyMap<string, Choice>, base = ''): C {
  const kept = Object.entries(change).flatMap(([name, value]): [string, unknown][] => {
    const pointer = `${base}/${name}`
    if (!isGroup(value)) return choices.get(pointer) === 'theirs' ? [] : [[name, value]]
    const inner = withChoices(value, choices, pointer)
    return Object.keys(inner).length === 0 ? [] : [[name, inner]]
  })
  return Object.fromEntries(kept) as C // as: fewer members of the same
}

const isGroup = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value)
const isSame = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)
/** Whether the other one changed this field too, to another value. Nobody can tell for a secret, so the person chooses. */
export const isContested = ({ pointer, before, mine, theirs }: Difference) =>
  isSecret(pointer) || (!isSame(before, theirs) && !isSame(mine, theirs))

function leavesOf(value: object, base = ''): Map<string, unknown> {
  return new Map(
    Object.entries(value).flatMap(([name, member]): [string, unknown][] =>
      isGroup(member) && Object.keys(member).length > 0 ? [...leavesOf(member, `${base}/${name}`)] : [[`${base}/${name}`, member]],
    ),
  )
}
