/** The form of a person who is asked for a name in a sign-in (`sign_up.name`). */
import { reason } from '../../../base/reason.ts'
import { refusal } from '../../../base/refusal.ts'
import { untilWritten } from '../../../base/until-written.ts'
import { byUser, originOf } from '../../../domain/events/origin.ts'
import { insertEvent } from '../../../domain/events/store.ts'
import { holdSession } from '../../../domain/sessions/sessions.ts'
import { findUser, updateUser } from '../../../domain/users/store.ts'
import { withoutNameAsked, withSession } from '../../../protocol/next-step.ts'
import { hasName, nameProblem } from '../../../protocol/sign-up.ts'
import { type OidcEndpoint, redirect, refused, typedOf } from '../../call.ts'
import { formProblem, formRefusals } from '../../form-token.ts'
import { sessionEnded } from '../../hosted-page.ts'
import { continueInteraction } from '../shared/begin.ts'
import { continueUrl } from '../shared/continue.ts'
import { keepPress } from '../shared/press.ts'
import { showProfile } from '../shared/screens.ts'

/** In UTF-16 code units. The page shows again what was typed, even where it is longer than a stored name. */
const longest_typed = 1_000

/** The request is judged again afterwards, so `not-now` leads on only where the name can stay empty. */
export const saveProfile: OidcEndpoint = async (services, call) => {
  const interaction = await continueInteraction(services, call)
  if ('answer' in interaction) return interaction.answer
  const { client, browser, query } = interaction
  if (!client) return redirect(continueUrl(call, query))
  const { db } = services
  const { now, request_id } = call
  const { environment_id } = call.issuer
  // The account that the page named: another window may have changed the current account.
  const session = browser.sessions.find(({ id }) => id === call.form?.get('session'))
  const name = typedOf(call, 'name', longest_typed)
  const problem = formProblem(services, call, browser)
  if (!session)
    return problem ? refused(redirect(continueUrl(call, query)), formRefusals[problem]) : sessionEnded(call, continueUrl(call, query))
  const { id: session_id, user_id } = session
  if (problem) return showProfile(services, call, interaction, { session_id, name, problem, refusal: formRefusals[problem] })
  call.subject.user_id = user_id
  const on = redirect(
    continueUrl(call, keepPress(services, call, { from: query, to: withSession(withoutNameAsked(query), session_id), session_id })),
  )
  if (call.form?.get('decision') === 'not-now') return on
  const wrong = nameProblem(name, 'required')
  if (wrong) return showProfile(services, call, interaction, { session_id, name, problem: wrong, refusal: no_name })

  return untilWritten(
    most_tries,
    async () => {
      const user = await findUser(db, environment_id, user_id)
      if (!user || hasName(user.name)) return on // another window was faster
      const event = { type: 'user.updated', user_id, data: { changed: ['name'] } } as const
      const written = await db
        .of(environment_id)
        .batch([
          ...updateUser(user, { ...user, name }, undefined, now),
          holdSession(environment_id, session, now),
          insertEvent(environment_id, originOf(services, byUser(user_id), request_id), event, now),
        ])
      return written ? on : null
    },
    () => on,
  )
}

/** A try fails where the user was changed at the same time, or the session has ended. */
const most_tries = 10

const no_name = refusal('validation_failed', reason`The name is missing, or cannot be stored.`)
