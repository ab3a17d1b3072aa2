import type { routes } from '@ostiary/contract/routes.ts'
import { readPage } from '../api/lists.ts'
import type { Call, Handler } from '../api/mount.ts'
import type { Deployment } from '../deployment.ts'
import { notFound } from '../http/problem.ts'
import { environmentOf } from '../tenancy/environment.ts'
import { emailKey } from '../users/email.ts'
import { findMail, listMails } from './store.ts'

type Table = typeof routes

export const listInbox: Handler<Table['listInbox']> = async (deployment, call) => {
  const environment = await testEnvironmentOf(deployment, call)
  const { to, ...page } = call.query
  const now = deployment.now()
  const list = JSON.stringify(['inbox', environment.id, to === undefined ? null : emailKey(to)])
  return readPage(deployment, list, page, (rest) => listMails(deployment.db, environment.id, { to, now }, rest))
}

export const getInboxMail: Handler<Table['getInboxMail']> = async (deployment, call) => {
  const environment = await testEnvironmentOf(deployment, call)
  const mail = await findMail(deployment.db, environment.id, call.params.mail_id ?? '', deployment.now())
  if (!mail) throw notFound()
  return { ...mail, version: 1 } // a mail never changes
}

/** Live captures nothing, so an inbox there does not exist. */
async function testEnvironmentOf(deployment: Deployment, call: Pick<Call<Table['getInboxMail']>, 'caller' | 'params'>) {
  const environment = await environmentOf(deployment, call)
  if (environment.type !== 'test') throw notFound()
  return environment
}
