/** A person with passkeys in a browser without scripts: the test answers for the script and the authenticator. */
import { type Changes, createAuthenticator, type SoftwareAuthenticator } from './authenticator.ts'
import {
  type Agent,
  authorizationRequest,
  type Client,
  createAgent,
  type Fields,
  followToClient,
  formOf,
  reloaded,
} from './cookie-browser.ts'
import { expectStatus, type Reply, type TestEnvironment, type World } from './world.ts'

/** The options that a page has for its script. */
export function optionsOf({ body }: Reply) {
  const json = / data-options="([^"]*)"/.exec(body)?.[1]
  if (json === undefined) throw new Error('The page has no passkey ceremony.')
  return JSON.parse(json.replaceAll('&quot;', '"').replaceAll('&amp;', '&'))
}

/** The form of the page with the field `credential`. */
export function passkeyForm(page: Reply) {
  const block = /<div hidden data-passkey=.*?<\/form>/s.exec(page.body)?.[0] ?? ''
  return formOf(block.replace('<form class="alts" ', '<form '))
}

/** Posts a response in the passkey form of a page. */
export function postCredential(agent: Agent, page: Reply, credential: unknown, headers?: Record<string, string>): Promise<Reply> {
  const { action, hidden } = passkeyForm(page)
  return agent.post(
    action,
    { ...reloaded(hidden), credential: typeof credential === 'string' ? credential : JSON.stringify(credential) },
    headers,
  )
}

/** As the script of the sign-in page does: the browser can use passkeys. */
export function setAble(agent: Agent, environment: Pick<TestEnvironment, 'id'>) {
  agent.cookies.set(`ostiary_able_${environment.id}`, '1')
}

/** Signs in by password and stops at the offer of a passkey. */
export async function reachOffer(
  environment: TestEnvironment,
  client: Client,
  user: { email: string; password: string },
  { agent = createAgent(), change = {} }: { agent?: Agent; change?: Fields } = {},
) {
  const request = authorizationRequest(environment, client, change)
  setAble(agent, environment)
  const page = await agent.get(request.url)
  const signed_in = await agent.submit(page, { email: user.email, password: user.password, method: 'password' })
  const offer = await agent.get(signed_in.headers.get('location') ?? '')
  if (!offer.body.includes('data-step="offer-passkey"')) throw new Error(`There is no offer of a passkey: ${offer.status}`)
  return { agent, request, offer }
}

/** A user with a password and a passkey. */
export async function createPasskeyPerson(
  w: World,
  environment: TestEnvironment,
  client: Client,
  {
    device = createAuthenticator(new URL(environment.issuer).origin),
    enrol = {},
  }: { device?: SoftwareAuthenticator; enrol?: Changes } = {},
) {
  const user = await w.createUser(environment)
  const { agent, request, offer } = await reachOffer(environment, client, user)
  const stored = await postCredential(agent, offer, device.create(optionsOf(offer), enrol))
  expectStatus(303, stored)
  await followToClient(agent, { ...request, url: stored.headers.get('location') ?? '' }, user)
  return { ...user, agent, device }
}

/** Opens the sign-in page in a browser that is signed out. */
export async function openSignIn(environment: TestEnvironment, client: Client, agent = createAgent(), change: Fields = {}) {
  const request = authorizationRequest(environment, client, change)
  return { agent, request, page: await agent.get(request.url) }
}

/** Signs in with the passkey, and returns the answer to the form. */
export async function signInByPasskey(
  environment: TestEnvironment,
  client: Client,
  device: SoftwareAuthenticator,
  { more = {}, agent = createAgent() }: { more?: Changes; agent?: Agent } = {},
) {
  const { page, request } = await openSignIn(environment, client, agent, { prompt: 'login' })
  return { agent, request, page, reply: await postCredential(agent, page, device.get(optionsOf(page), more)) }
}
