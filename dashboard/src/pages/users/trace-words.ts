/** The words of the last seven days of a person. */
import type { Decision, Obstacle, TraceStep } from '@ostiary/sdk'
import { event_labels } from '../../generated/event-kinds.ts'
import { settings_groups } from '../../generated/settings.ts'
import { labelsOf } from '../../parts/object-fields.tsx'
import { methodWords, reasonWords } from '../../parts/words.ts'

// biome-ignore format: this table is read by column
export const obstacle_words: Readonly<Record<Obstacle['what'], string>> = {
  no_account:               'No account here has this address.',
  sign_up_closed:           'People cannot sign up here, so nobody without an account gets in.',
  sign_up_domain:           'The domain of the address may not sign up.',
  no_way_in:                'The account has no way to sign in that is switched on.',
  blocked:                  'The account is blocked.',
  deleted:                  'The account is deleted, and can be restored.',
  waits_for_approval:       'The account waits for an approval.',
  refused:                  'The account was refused.',
  locked_everywhere:        'Too many attempts failed: the account is locked for browsers that it does not know.',
  locked_in_known_browsers: 'Too many attempts failed in the browsers that the account knows.',
  locked_from_one_place:    'Too many attempts failed from one place, which has to wait. Other places do not.',
  locked_second_factor:     'Too many second factors were wrong, so none is accepted.',
}

// biome-ignore format: this table is read by column
const code_kinds: Readonly<Record<string, string>> = {
  sign_in:             'a sign-in',
  sign_up:             'a sign-up',
  enrolment:           'a second factor',
  verify_email:        'a verification of the address',
  reset_password:      'a new password',
  change_email:        'a change of the address',
  change_email_notice: 'a change of the address',
  invitation:          'an invitation',
}

/** A step in a sentence. */
export function stepWords({ what, method, second_factor, code }: TraceStep): string {
  if (what === 'code_asked') {
    const asked = `A code or link for ${code_kinds[method ?? ''] ?? 'something'} was asked for`
    return code === 'mailed' ? `${asked}, and mailed` : `${asked}, and none was mailed`
  }
  if (what === 'refused_call') return code === null ? 'Refused' : reasonWords(code)
  const how = [method, second_factor].filter((one) => one !== null).map(methodWords)
  const words = event_labels[what]
  return `${words}${how.length === 0 ? '' : `, by ${how.join(' and ')}`}${code === null ? '' : `: ${reasonWords(code)}`}`
}

export const isRefused = ({ what, code }: TraceStep): boolean =>
  what === 'refused_call' || what === 'sign_in.failed' || what === 'mail.failed' || code === 'not_mailed'

const settings_labels: Readonly<Record<string, string>> = Object.fromEntries(
  settings_groups.flatMap(({ fields }) => fields.map(({ path, label }) => [`/${path.replaceAll('.', '/')}`, label])),
)

const object_words = { settings: 'Settings', application: 'Application', provider: 'Provider', user: 'User' } as const

/** `Settings, Second factor: required`. */
export function decisionWords({ object, pointer, value }: Decision): string {
  const labels =
    object === 'settings'
      ? (at: string) => settings_labels[at]
      : object === 'application' || object === 'provider'
        ? labelsOf(object)
        : () => undefined
  return `${object_words[object]}, ${partWords(labels, pointer, value)}`
}

const longest_value = 80

/** Each part of an object by itself: `Password: on, Emailed codes: off`. */
function partWords(labels: (pointer: string) => string | undefined, pointer: string, value: unknown): string {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return Object.entries(value)
      .map(([name, part]) => partWords(labels, `${pointer}/${name}`, part))
      .join(', ')
  return `${labels(pointer) ?? pointer}: ${valueWords(value)}`
}

function valueWords(value: unknown): string {
  if (value === true) return 'on'
  if (value === false) return 'off'
  if (Array.isArray(value) && value.length === 0) return 'none'
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > longest_value ? `${text.slice(0, longest_value)}…` : text
}
