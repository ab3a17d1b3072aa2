/** A browser that is signed in to the dashboard. */
import { type Agent, createAgent, followToClient } from './cookie-browser.ts'
import { owner, type Reply, type World } from './world.ts'

type Person = { email: string; password: string }

export type Dashboard = ReturnType<typeof dashboardOf>

/** Signs in through the pages of the issuer. Returns the answer of the callback. */
export async function finishAtCallback(w: World, agent: Agent, person: Person, query = ''): Promise<Reply> {
  const begun = await agent.get(`${w.base_url}/dashboard/sign-in${query}`)
  const url = begun.headers.get('location') ?? ''
  const redirect = await followToClient(agent, { url, redirect_uri: `${w.base_url}/dashboard/callback` }, person)
  return agent.get(redirect.href)
}

export async function signInToDashboard(
  w: World,
  person: Person = owner,
  agent: Agent = createAgent(w.reach),
  query = '',
): Promise<Dashboard> {
  const reply = await finishAtCallback(w, agent, person, query)
  if (reply.status !== 303) throw new Error(`The callback answers ${reply.status}: ${reply.body}`)
  return dashboardOf(w, agent)
}

/** The name of its session cookie. */
export const cookieName = (w: World) => `${w.base_url.startsWith('https:') ? '__Secure-' : ''}ostiary_dashboard`

function dashboardOf(w: World, agent: Agent) {
  const cookie = () => `${cookieName(w)}=${agent.cookies.get(cookieName(w))}`
  const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    w.call(method, path, { key: null, body, headers: { cookie: cookie(), ...headers } })
  return {
    agent,
    cookie,
    /** Sends a request with the cookie and these headers only. */
    ask,
    /** Calls the API as the scripts of the dashboard do. */
    call: (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
      ask(method, `/dashboard/api${path}`, body, { ...dashboardHeaders(w), ...headers }),
    session: () => ask('GET', '/dashboard/session'),
    signOut: () => ask('POST', '/dashboard/sign-out', undefined, dashboardHeaders(w)),
  }
}

export const dashboardHeaders = (w: World) => ({ 'x-ostiary-dashboard': '1', origin: w.base_url })
