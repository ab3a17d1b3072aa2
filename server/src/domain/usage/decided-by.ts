// pure
/** Names the field that decided a step of a sign-in. Its value is that of now: nothing stores the one of then. */
import type { Event } from '@ostiary/contract/event.ts'
import { switched_methods } from '@ostiary/contract/sign-in-methods.ts'
import type { Decision, Obstacle } from '@ostiary/contract/sign-in-trace.ts'

type Known = Readonly<Record<string, unknown>> | null

/** The objects of a step, as far as they are still there. */
export interface Concerned {
  settings: object
  application: ({ id: string } & Known) | null
  provider: ({ id: string } & Known) | null
  user: ({ id: string } & Known) | null
}

type Field = readonly [object: Decision['object'], pointer: string]

/** The field behind a refusal, by its code. A code that no field decides is not here, and neither is one that several can cause. */
// biome-ignore format: this table is read by column
const by_code: Readonly<Record<string, Field>> = {
  locked_out:           ['settings',    '/lockout/max_attempts'],
  not_approved:         ['user',        '/approval'],
  user_blocked:         ['user',        '/blocked_at'],
  application_disabled: ['application', '/disabled'],
  invalid_redirect_uri: ['application', '/redirect_uris'],
  no_access:            ['application', '/allowed_roles'],
  not_a_member:         ['application', '/organizations'],
  provider_unreachable: ['provider',    '/issuer'],
  identifier_taken:     ['provider',    '/link_by_verified_email'],
}

/** A provider sent an address whose domain may not sign up. Where both lists have domains, either can be the cause. */
function fieldOfDomain(settings: object): Field | undefined {
  const lists: Field[] = [
    ['settings', '/sign_up/allowed_domains'],
    ['settings', '/sign_up/blocked_domains'],
  ]
  const filled = lists.filter(([, pointer]) => !isEmpty(valueAt(settings, pointer)))
  return filled.length === 1 ? filled[0] : undefined
}
const isEmpty = (value: unknown): boolean => !Array.isArray(value) || value.length === 0

const fieldOfCode = (code: string, { provider, settings }: Concerned): Field | undefined =>
  code === 'validation_failed' && provider !== null ? fieldOfDomain(settings) : by_code[code]

/** Which field let a person in: that of the second factor where there was one, else that of the way in. */
function fieldOfSuccess({ method, second_factor, trusted_browser_id }: Event['data'], { provider }: Concerned): Field | undefined {
  if (trusted_browser_id !== undefined) return ['settings', '/mfa/remember_days']
  if (second_factor !== undefined) return ['settings', '/mfa/mode']
  if (provider !== null) return ['provider', '/enabled']
  return switched_methods.some((name) => name === method) ? ['settings', `/sign_in/${method}`] : undefined
}

const valueAt = (object: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((value, name) => (typeof value === 'object' && value !== null ? (value as Known)?.[name] : undefined), object) // as: read by name

/** The field with its value; `null` where its object is gone. */
function decisionOf(field: Field | undefined, concerned: Concerned): Decision | null {
  if (field === undefined) return null
  const [object, pointer] = field
  const found = concerned[object]
  const value = valueAt(found, pointer)
  if (found === null || value === undefined) return null
  return { object, id: 'id' in found && typeof found.id === 'string' ? found.id : null, pointer, value }
}

export const decisionOfCode = (code: string, concerned: Concerned): Decision | null => decisionOf(fieldOfCode(code, concerned), concerned)

export const decisionOfSuccess = (data: Event['data'], concerned: Concerned): Decision | null =>
  decisionOf(fieldOfSuccess(data, concerned), concerned)

/** The field behind what stands in the way now. */
// biome-ignore format: this table is read by column
const by_obstacle: Readonly<Record<Obstacle['what'], Field | null>> = {
  no_account:               null,
  sign_up_closed:           ['settings', '/sign_up/mode'],
  sign_up_domain:           ['settings', '/sign_up/allowed_domains'],
  no_way_in:                ['settings', '/sign_in'],
  blocked:                  ['user',     '/blocked_at'],
  deleted:                  ['user',     '/deletes_at'],
  waits_for_approval:       ['user',     '/approval'],
  refused:                  ['user',     '/approval'],
  locked_everywhere:        ['settings', '/lockout/max_attempts'],
  locked_in_known_browsers: ['settings', '/lockout/max_attempts'],
  locked_from_one_place:    ['settings', '/lockout/max_attempts'],
  locked_second_factor:     ['settings', '/lockout/max_attempts'],
}

/** A domain that is blocked is blocked where it is allowed too. */
export function obstacleOf(
  what: Obstacle['what'],
  concerned: Concerned,
  { until = null, is_blocked = false }: { until?: Date | null; is_blocked?: boolean } = {},
): Obstacle {
  const field: Field | null = is_blocked ? ['settings', '/sign_up/blocked_domains'] : by_obstacle[what]
  return { what, until: until?.toISOString() ?? null, decided_by: decisionOf(field ?? undefined, concerned) }
}
