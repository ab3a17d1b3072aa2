/** How a user has access: sign-in methods, sessions as a whole, and the grants of applications. */
import { sql } from '../../db/db.ts'
import { signingOut } from '../../domain/accounts/administration.ts'
import { findMethod, isSecondFactor, listMethods, removalEvent, removeMethod } from '../../domain/accounts/methods.ts'
import { originOf } from '../../domain/events/origin.ts'
import { readPage } from '../../domain/lists/lists.ts'
import { changeVersioned } from '../../domain/lists/versions.ts'
import { mailStatements } from '../../domain/mail/send.ts'
import { disconnectApplication } from '../../domain/sessions/disconnect.ts'
import { endBegunWith } from '../../domain/sessions/endings.ts'
import { listGrants } from '../../domain/sessions/grants.ts'
import { findUser, holdUser, type UserRow } from '../../domain/users/store.ts'
import { findTrustedById, listTrusted, removeTrusted } from '../../domain/users/trusted-browsers.ts'
import { found } from '../../http/problem.ts'
import type { AnyCall, Handler } from '../handler.ts'
import type { Services } from '../services.ts'

type UserCall = Pick<AnyCall, 'params'> & { caller: { environment: NonNullable<AnyCall['caller']['environment']> } }

async function userOf({ db }: Services, { caller, params }: UserCall): Promise<UserRow> {
  return found(findUser(db, caller.environment.id, params.user_id ?? ''))
}

export const endUserSessions: Handler<'endUserSessions'> = (services, call) => {
  const environment_id = call.caller.environment.id
  const load = () => findUser(services.db, environment_id, call.params.user_id ?? '')
  return changeVersioned(call.if_match, load, async (user) => {
    const at = services.now()
    const origin = originOf(services, call.caller.actor, call.request_id)
    const { statements } = signingOut(user, origin, at)
    return (await call.commit({ statements, before: user, answer: user }, at)) ? user : null
  })
}

export const listUserMethods: Handler<'listUserMethods'> = async (services, call) => {
  const { id, environment_id } = await userOf(services, call)
  return readPage(services, call, `methods.${id}`, (rest) => listMethods(services.db, environment_id, id, rest))
}

/** The person is mailed, since only a backend or an administrator asked for it. A backend can also remove the last method. */
export const removeUserMethod: Handler<'removeUserMethod'> = async (services, call) => {
  const { db, now } = services
  const user = await userOf(services, call)
  const { environment_id } = user
  const load = async () => {
    const method = await findMethod(db, environment_id, user.id, call.params.method_id ?? '')
    return method && { ...method, version: 1 }
  }
  await changeVersioned(call.if_match, load, async (method) => {
    const at = now()
    const notice = { kind: 'method_removed' as const, method: method.type, name: method.name, device: null }
    const mail = { user_id: user.id, request_id: call.request_id, notice }
    const removed = await call.commit(
      {
        statements: [
          holdUser(environment_id, user.id), // the guards of `removeMethod` read its rows
          ...removeMethod(environment_id, user.id, method, at),
          ...(isSecondFactor(method) ? [] : endBegunWith(environment_id, user.id, method.id, at)),
          ...(user.email === null || user.deletes_at !== null
            ? []
            : await mailStatements(services, environment_id, { ...mail, to: user.email }, at)),
        ],
        before: { ...method, project_id: user.project_id, environment_id },
        answer: null,
        object: { type: 'user', id: user.id },
        event: { environment_id, user_id: user.id, ...removalEvent(method) },
      },
      at,
    )
    return removed || null
  })
  return null
}

/** Those that count now: a lower setting counts at once. */
export const listTrustedBrowsers: Handler<'listTrustedBrowsers'> = async (services, call) => {
  const user = await userOf(services, call)
  const issuer = await services.issuers.find(user.environment_id)
  const rule = { remember_days: issuer?.settings.mfa.remember_days ?? 0, now: services.now() }
  return readPage(services, call, `trusted_browsers.${user.id}`, (rest) => listTrusted(services.db, user, rule, rest))
}

export const removeTrustedBrowser: Handler<'removeTrustedBrowser'> = async (services, call) => {
  const user = await userOf(services, call)
  const { environment_id, project_id } = user
  const load = async () => {
    const browser = await findTrustedById(services.db, user, call.params.trusted_browser_id ?? '')
    return browser && { ...browser, version: 1 }
  }
  await changeVersioned(call.if_match, load, async (browser) => {
    const removed = await call.commit(
      {
        statements: [holdUser(environment_id, user.id), removeTrusted(user, browser.id)],
        before: { ...browser, project_id, environment_id },
        answer: null,
        event: {
          environment_id,
          user_id: user.id,
          type: 'trusted_browser.removed',
          data: { trusted_browser_id: browser.id },
        },
      },
      services.now(),
    )
    return removed || null
  })
  return null
}

export const listUserGrants: Handler<'listUserGrants'> = async (services, call) => {
  const { id, environment_id } = await userOf(services, call)
  const { organization_id = null } = call.query
  const list = organization_id === null ? `grants.${id}` : JSON.stringify(['grants', id, organization_id])
  const of_organization = organization_id === null ? sql`` : sql`and organization_id = ${organization_id}`
  return readPage(services, call, list, (rest) =>
    listGrants(services.db, { environment_id, id }, services.now(), sql`${of_organization} ${rest}`),
  )
}

/** Decision 0034: the whole application is disconnected, for the organization of the grant or for none, because its consent goes. */
export const disconnectGrant: Handler<'disconnectGrant'> = async (services, call) => {
  const { db, now } = services
  const { id: user_id, environment_id, project_id } = await userOf(services, call)
  const load = async () => {
    const [grant] = await listGrants(db, { environment_id, id: user_id }, now(), sql`and id = ${call.params.grant_id ?? ''}`)
    return grant ? { ...grant, version: 1 } : null
  }
  await changeVersioned(call.if_match, load, async (grant) => {
    const at = now()
    const { application_id, organization_id } = grant
    const ended = await call.commit(
      {
        statements: [
          holdUser(environment_id, user_id),
          ...disconnectApplication(
            environment_id,
            { user_id, application_id, organization_id, grant_id: grant.id },
            originOf(services, call.caller.actor, call.request_id),
            at,
          ),
        ],
        before: { ...grant, project_id, environment_id },
        answer: null,
      },
      at,
    )
    return ended || null
  })
  return null
}
