/** The back-channel logouts of an environment, for the developers of its applications. */
import { readPage } from '../../domain/lists/lists.ts'
import { findLogout, listLogouts, resendLogout } from '../../domain/sessions/backchannel-logouts.ts'
import { found, notFound } from '../../http/problem.ts'
import { environmentOf } from '../environment.ts'
import type { Handler } from '../handler.ts'

export const listBackchannelLogouts: Handler<'listBackchannelLogouts'> = async (services, call) => {
  const { id } = await environmentOf(services, call)
  return readPage(services, call, `backchannel-logouts.${id}`, (rest) => listLogouts(services.db, id, rest))
}

export const resendBackchannelLogout: Handler<'resendBackchannelLogout'> = async (services, call) => {
  const environment = await environmentOf(services, call)
  const message = await found(findLogout(services.db, environment.id, call.params.message_id ?? ''))
  const at = services.now()
  const answer = { ...message, status: 'waiting' as const, next_attempt_at: at.toISOString(), updated_at: at.toISOString() }
  const resent = await call.commit({ statements: resendLogout(message, at), before: message, answer }, at)
  if (!resent) throw notFound()
  return answer
}
