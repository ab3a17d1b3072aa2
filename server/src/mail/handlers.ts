import type { Call, Handler } from '../api/handler.ts'
import { readPage } from '../api/lists.ts'
import { notFound } from '../http/problem.ts'
import type { Services } from '../services.ts'
import { environmentOf } from '../tenancy/environment.ts'
import { emailKey } from '../users/email.ts'
import { findMail, listMails } from './store.ts'

export const listInbox: Handler<'listInbox'> = async (services, call) => {
  const environment = await testEnvironmentOf(services, call)
  const { to } = call.query
  const now = services.now()
  const list = JSON.stringify(['inbox', environment.id, to === undefined ? null : emailKey(to)])
  return readPage(services, call, list, (rest) => listMails(services.db, environment.id, { to, now }, rest))
}

export const getInboxMail: Handler<'getInboxMail'> = async (services, call) => {
  const environment = await testEnvironmentOf(services, call)
  const mail = await findMail(services.db, environment.id, call.params.mail_id ?? '', services.now())
  if (!mail) throw notFound()
  return { ...mail, version: 1 } // captured mail is immutable
}

/** Live captures no mail, so its inbox does not exist. */
async function testEnvironmentOf(services: Services, call: Pick<Call<'getInboxMail'>, 'caller' | 'params'>) {
  const environment = await environmentOf(services, call)
  if (environment.type !== 'test') throw notFound()
  return environment
}
