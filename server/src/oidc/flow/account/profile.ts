/** The form of the own profile. */
import { UserChange } from '@ostiary/contract/user.ts'
import { reason } from '../../../base/reason.ts'
import { refusal } from '../../../base/refusal.ts'
import { insertEvent } from '../../../domain/events/store.ts'
import { holdSession } from '../../../domain/sessions/sessions.ts'
import { updateUser } from '../../../domain/users/store.ts'
import { type ProfileField, profile_fields } from '../../../pages/account-forms.ts'
import { type OidcEndpoint, refused, typedOf } from '../../call.ts'
import { beginChange, changedMeanwhile, done, type OwnAccount, ownOrigin } from './gate.ts'
import { showProfile } from './screens.ts'

/** In UTF-16 code units: longer than every field, so that a field that is cut is too long. */
const longest_field = 1_000

/** A field that the form does not have stays as it is; an empty one is removed. */
export const changeOwnName: OidcEndpoint = async (services, call) => {
  const own = await beginChange(services, call, 'change-name')
  if ('answer' in own) return own.answer
  const { user, session } = own
  const { environment_id } = call.issuer
  const typed = profile_fields.filter((name) => call.form?.has(name))
  const values = { ...presentOf(own), ...Object.fromEntries(typed.map((name) => [name, typedOf(call, name, longest_field)])) }
  const wrong = typed.filter((name) => !isAllowed(name, values[name], own))
  if (wrong.length > 0) return refused(showProfile(services, call, own, { values, problem: null, wrong }), wrong_field)
  const changed = typed.filter((name) => values[name] !== (user[name] ?? ''))
  if (changed.length === 0) return done(call, own, 'change-name')
  const fields = Object.fromEntries(changed.map((name) => [name, values[name] || null]))
  const event = { type: 'user.updated', user_id: user.id, data: { changed } } as const
  const written = await services.db
    .of(environment_id)
    .batch([
      ...updateUser(user, { ...user, ...fields }, undefined, call.now),
      holdSession(environment_id, session, call.now),
      insertEvent(environment_id, ownOrigin(services, call, own), event, call.now),
    ])
  return written ? done(call, own, 'change-name') : changedMeanwhile(services, call, own, { action: 'change-name', id: null })
}

const presentOf = ({ user }: OwnAccount) =>
  Object.fromEntries(profile_fields.map((name) => [name, user[name] ?? ''])) as Record<ProfileField, string> // as: every field

/** The rules of the API for the field. */
function isAllowed(name: ProfileField, value: string, { user }: OwnAccount): boolean {
  if (value === '' || value === user[name]) return true
  return UserChange.shape[name].safeParse(value).success
}

const wrong_field = refusal('validation_failed', reason`A field of the profile has a value that cannot be stored.`)
