/** The account page as a browser without scripts uses it. */
import type { SoftwareAuthenticator } from './authenticator.ts'
import { appCode, recoveryCodesOn, secretOn } from './authenticator-app.ts'
import { type Agent, createAgent, followPages } from './cookie-browser.ts'
import { optionsOf } from './passkeys.ts'
import type { Reply, TestEnvironment, World } from './world.ts'

const unescaped = (text: string) => text.replaceAll('&amp;', '&').replaceAll('&#39;', "'").replaceAll('&quot;', '"')

/** Opens the account page and signs in there. Returns the page that follows. */
export async function openAccount(
  environment: Pick<TestEnvironment, 'issuer'>,
  user: { email: string; password: string },
  agent: Agent = createAgent(),
  query = '',
): Promise<{ agent: Agent; page: Reply }> {
  return { agent, page: await signInOn(agent, await agent.get(`${environment.issuer}/account${query}`), user) }
}

/** Fills in a sign-in page, and follows to the page after it. */
export async function signInOn(agent: Agent, page: Reply, { email, password }: { email: string; password: string }): Promise<Reply> {
  return followPages(agent, await agent.submit(page, { email, password, method: 'password' }))
}

export interface ActionForm {
  action: string
  fields: Record<string, string>
}

/** The form with the button of an action, of the row `id` where one is given. */
export function formFor(page: Reply, action: string, id?: string): ActionForm {
  const forms = [...page.body.matchAll(/<form method="post" action="([^"]*)"[^>]*>(.*?)<\/form>/gs)].map(([, url = '', content = '']) => ({
    content,
    action: unescaped(url),
    fields: Object.fromEntries(
      [...content.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(([, name = '', value = '']) => [
        name,
        unescaped(value),
      ]),
    ),
  }))
  const found = forms.find(({ content, fields }) => content.includes(`data-action="${action}"`) && (id === undefined || fields.id === id))
  if (!found) throw new Error(`The page has no form with the action ${action}: ${page.status} ${stepOf(page)}`)
  return found
}

/** One of several buttons of an action, that of the row with an id, or one that is pressed with these headers. */
interface Button {
  action: string
  id?: string
  headers?: Record<string, string>
}

/** Presses the button of an action. */
export async function press(agent: Agent, page: Reply, button: string | Button, fields: Record<string, string> = {}): Promise<Reply> {
  const { action, id, headers }: Button = typeof button === 'string' ? { action: button } : button
  const form = formFor(page, action, id)
  return agent.submitForm({ action: form.action, hidden: form.fields }, fields, headers)
}

/** The address to which the link of an action leads. */
export function linkOf(page: Reply, action: string): string {
  const found = new RegExp(`href="([^"]*)" data-action="${action}"`).exec(page.body)?.[1]
  if (found === undefined) throw new Error(`The page has no link with the action ${action}: ${page.status} ${stepOf(page)}`)
  return unescaped(found)
}

export const stepOf = ({ body }: Reply) => /data-step="([^"]*)"/.exec(body)?.[1]

/** The words of the error, in the summary or at a field, if the page has one. */
export const problemOf = ({ body }: Reply) => {
  const summary = /<div class="problem".*?<\/svg><div>(.*?)<\/div><\/div>/s.exec(body)?.[1]
  const at_field = /<p class="wrong" id="\w+-problem">.*?<span>(.*?)<\/span>/s.exec(body)?.[1]
  return (summary ?? at_field)?.replaceAll(/<[^>]*>/g, '')
}

/** The actions that the page offers by a button or a link with the look of one. */
export const offersOf = ({ body }: Reply): string[] =>
  [...body.matchAll(/ class="b[^"]*"[^>]* data-action="([^"]*)"/g)].map(([, action = '']) => action)

/** The ids of the rows of a section. */
export function rowsOf(page: Reply, section: string): string[] {
  const [, content = ''] = new RegExp(`<section class="cd" id="${section}".*?>(.*?)</section>`, 's').exec(page.body) ?? []
  return [...content.matchAll(/<div class="it" data-id="([^"]*)"/g)].map(([, id = '']) => id)
}

type Place = Pick<TestEnvironment, 'issuer'>

/** Adds an authenticator app on the account page. `codes` are the recovery codes that the answer shows. */
export async function addApp({ now }: Pick<World, 'now'>, { issuer }: Place, agent: Agent) {
  const page = await agent.get(`${issuer}/account?action=add-totp`)
  const secret = secretOn(page)
  const reply = await press(agent, page, 'add-totp', { code: appCode(secret, now()) })
  return { secret, reply, codes: recoveryCodesOn(reply) }
}

/** Adds a passkey on the account page, in place of the script and the authenticator. */
export async function addPasskey({ issuer }: Place, agent: Agent, device: SoftwareAuthenticator): Promise<Reply> {
  const page = await agent.get(`${issuer}/account?action=add-passkey`)
  return press(agent, page, 'add-passkey', { credential: JSON.stringify(device.create(optionsOf(page))) })
}
