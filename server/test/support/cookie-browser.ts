/** A browser without scripts: it keeps cookies, follows no redirect by itself, and fills in the forms of the hosted pages. */
import { createHash } from 'node:crypto'
import type { NewUser } from '@ostiary/contract/user.ts'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { expectStatus, type Reply, randomText, type TestEnvironment, type World } from './world.ts'

export type Agent = ReturnType<typeof createAgent>

/** `reach` maps a URL to the address where the service listens; see `world`. */
export function createAgent(reach = (url: string) => url) {
  const cookies = new Map<string, string>()

  interface Sent {
    form?: Record<string, string> | undefined
    headers?: Record<string, string> | undefined
    signal?: AbortSignal | undefined
  }
  async function send(method: string, url: string, { form, headers = {}, signal }: Sent): Promise<Reply> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(reach(url), {
      method,
      redirect: 'manual',
      signal: signal ?? null,
      headers: { ...(cookie ? { cookie } : {}), ...headers },
      ...(form ? { body: new URLSearchParams(form) } : {}),
    })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const at = pair.indexOf('=')
      if (/max-age=0/i.test(line)) cookies.delete(pair.slice(0, at))
      else cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
    const body = (await response.text()).replaceAll('<wbr>', '') // a place where a line may break is not part of the text
    return { status: response.status, headers: response.headers, body }
  }

  /** The page to which a form led. A refused form keeps the reference of its POST, which has the record. */
  async function follow(posted: Reply, headers?: Record<string, string>): Promise<Reply> {
    const page = await send('GET', posted.headers.get('location') ?? '', { headers: ofNavigation(headers) })
    if (!isRefusedForm(posted)) return page
    const both = new Headers(page.headers)
    both.set('x-request-id', posted.headers.get('x-request-id') ?? '')
    both.set(posted_status, String(posted.status))
    for (const line of posted.headers.getSetCookie()) both.append('set-cookie', line)
    return { ...page, headers: both }
  }

  async function submitForm(
    { action, hidden }: ReturnType<typeof formOf>,
    fields: Record<string, string>,
    headers?: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<Reply> {
    const reply = await send('POST', action, { form: { ...reloaded(hidden), ...fields }, headers, signal })
    return isOfStep(reply) ? follow(reply, headers) : reply
  }

  /** Posts a form. One that is refused leads to the page of its step, as every browser follows. */
  async function post(url: string, form: Record<string, string>, headers?: Record<string, string>): Promise<Reply> {
    const reply = await send('POST', url, { form, headers })
    return isRefusedForm(reply) ? follow(reply, headers) : reply
  }

  return {
    cookies,
    get: (url: string, headers?: Record<string, string>) => send('GET', url, { headers }),
    post,
    /** The answer to the POST itself. */
    postOnly: (url: string, form: Record<string, string>, headers?: Record<string, string>) => send('POST', url, { form, headers }),

    /**
     * Sends the form of a page with these fields filled in, as if the page was loaded again before. Follows a redirect to a page that waits
     * for something, as every browser does; the other redirects are answers.
     */
    submit(page: Reply, fields: Record<string, string>, headers?: Record<string, string>, signal?: AbortSignal) {
      return submitForm(formOf(page.body), fields, headers, signal)
    },

    submitForm,

    /** Presses the button of a page: the same fields are the same form, which the service answers once. */
    press(page: Reply, fields: Record<string, string>, headers?: Record<string, string>) {
      const { action, hidden } = formOf(page.body)
      return post(action, { ...hidden, ...fields }, headers)
    },
  }
}

/** The browser sends its own Origin and Sec-Fetch-Site with the GET that follows. */
const ofNavigation = ({ origin: _origin, 'sec-fetch-site': _site, ...headers }: Record<string, string> = {}) => headers

/** A form that is refused sets what the page of its step shows, or says it in the address. */
const isRefusedForm = ({ status, headers }: Pick<Reply, 'status' | 'headers'>): boolean =>
  status === 303 &&
  (headers.getSetCookie().some((line) => /ostiary_refused_[^=]*=[^;]/.test(line)) ||
    /[?&]refused=(no_cookies|page)(&|$)/.test(headers.get('location') ?? ''))

/** Follows the answer to the POST of a form as its browser does. */
export async function followRefused(agent: Agent, reply: Reply): Promise<Reply> {
  if (!isRefusedForm(reply)) return reply
  for (const line of reply.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    agent.cookies.set(name, value)
  }
  return agent.get(reply.headers.get('location') ?? '')
}

/** On the page of a refused form, the status that its POST was answered with. */
export const posted_status = 'x-posted-status'

const isOfStep = (reply: Reply): boolean => isRefusedForm(reply) || is_waiting_page.test(reply.headers.get('location') ?? '')

const is_waiting_page = /^[^?]*\/(code|invitation-code|forgot-password|new-password|recovery-codes)\?/

/** The hidden fields of a form, as a page that is loaded again has them: its form token ends otherwise. */
export const reloaded = (hidden: Record<string, string>): Record<string, string> =>
  hidden.csrf === undefined ? hidden : { ...hidden, csrf: hidden.csrf.replace(/\..*/, () => `.${randomText().slice(0, 22)}`) }

/** The first form of a page. */
export function formOf(html: string): { action: string; hidden: Record<string, string> } {
  const action = /<form method="post" action="([^"]*)"/.exec(html)?.[1]
  if (action === undefined) throw new Error(`There is no form on the page: ${textOf(html)}`)
  const hidden = Object.fromEntries(
    [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(([, name = '', value = '']) => [
      name,
      unescapeHtml(value),
    ]),
  )
  return { action: unescapeHtml(action), hidden }
}

/** A page without its style sheets. */
const textOf = (html: string) => html.replace(/<style>.*?<\/style>/gs, '').slice(0, 1500)

const unescapeHtml = (text: string) =>
  text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

export interface Request {
  url: string
  code_verifier: string
  redirect_uri: string
  state: string
  nonce: string
}

export interface Client {
  client_id: string
  redirect_uris: string[]
  client_secret?: string | null
  token_endpoint_auth_method?: string
}

/** Fields of a form or a query: a list repeats the field, and `undefined` omits it. */
export type Fields = Record<string, string | readonly string[] | undefined>

const pairsOf = (parameters: Fields) =>
  Object.entries(parameters).flatMap(([name, value]) => [value ?? []].flat().map((one): [string, string] => [name, one]))

/** An authorization request with PKCE. */
export function authorizationRequest({ issuer }: Pick<TestEnvironment, 'issuer'>, client: Client, change: Fields = {}): Request {
  const code_verifier = randomText()
  const parameters = {
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: client.redirect_uris[0],
    scope: 'openid profile email offline_access',
    state: randomText(),
    nonce: randomText(),
    code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...change,
  }
  const query = new URLSearchParams(pairsOf(parameters))
  return {
    url: `${issuer}/oauth/authorize?${query}`,
    code_verifier,
    redirect_uri: parameters.redirect_uri ?? '',
    state: parameters.state ?? '',
    nonce: parameters.nonce ?? '',
  }
}

/** Signs in with a password and consents on the pages that ask for it. Returns the redirect to the client. */
export async function followToClient(
  agent: Agent,
  request: Pick<Request, 'url' | 'redirect_uri'>,
  user: { email: string; password: string },
): Promise<URL> {
  let reply: Reply = await agent.get(request.url)
  for (let steps = 0; steps < 10; steps++) {
    const location = reply.headers.get('location')
    if (location?.startsWith(request.redirect_uri)) return new URL(location)
    if (location !== null) reply = await agent.get(location)
    else if (reply.status !== 200) break
    else if (reply.body.includes('name="password"'))
      reply = await agent.submit(reply, { email: user.email, password: user.password, method: 'password' })
    else reply = await agent.submit(reply, { decision: 'allow' })
  }
  throw new Error(`There was no redirect to the client: ${reply.status} ${textOf(reply.body)}`)
}

/** Follows redirects within the service to a page. */
export async function followPages(agent: Agent, reply: Reply): Promise<Reply> {
  for (let steps = 0; steps < 5; steps++) {
    const location = reply.headers.get('location')
    if (location === null) return reply
    reply = await agent.get(location)
  }
  throw new Error('The redirects do not end.')
}

export async function obtainCode(agent: Agent, request: Request, user: { email: string; password: string }): Promise<string> {
  const redirect = await followToClient(agent, request, user)
  const code = redirect.searchParams.get('code')
  if (code === null) throw new Error(`No code: ${redirect}`)
  return code
}

/** Posts a form to an OAuth endpoint, with the authentication method of the client. */
export async function postAsClient(w: World, url: string, client: Client, form: Fields): Promise<Reply> {
  const { client_id, client_secret } = client
  const basic = client_secret && client.token_endpoint_auth_method !== 'client_secret_post'
  const headers = basic
    ? { authorization: `Basic ${Buffer.from(`${encodeURIComponent(client_id)}:${encodeURIComponent(client_secret)}`).toString('base64')}` }
    : {}
  const body = new URLSearchParams(
    pairsOf({ ...(basic ? {} : { client_id }), ...(client_secret && !basic ? { client_secret } : {}), ...form }),
  )
  return w.call('POST', url, {
    key: null,
    body: body.toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })
}

export function exchange(
  w: World,
  environment: Pick<TestEnvironment, 'issuer'>,
  client: Client,
  { request, code, change = {} }: { request: Request; code: string; change?: Fields },
) {
  const form = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: request.redirect_uri,
    code_verifier: request.code_verifier,
    ...change,
  }
  return postAsClient(w, `${environment.issuer}/v1/oauth/token`, client, form)
}

/** @param sent the refresh token, or the fields of the form with it */
export function refresh(w: World, environment: Pick<TestEnvironment, 'issuer'>, client: Client, sent: string | Fields) {
  const fields = typeof sent === 'string' ? { refresh_token: sent } : sent
  return postAsClient(w, `${environment.issuer}/v1/oauth/token`, client, { grant_type: 'refresh_token', ...fields })
}

/** Signs in and exchanges the code for tokens. */
export async function signInForTokens(
  w: World,
  environment: TestEnvironment,
  client: Client,
  { user, change = {}, agent = createAgent() }: { user: { email: string; password: string }; change?: Fields; agent?: Agent },
) {
  const request = authorizationRequest(environment, client, change)
  const code = await obtainCode(agent, request, user)
  return { agent, request, code, tokens: expectStatus(200, await exchange(w, environment, client, { request, code })) }
}

/** Calls UserInfo with a Bearer token. */
export function userinfo(w: World, environment: Pick<TestEnvironment, 'issuer'>, access_token: string): Promise<Reply> {
  return w.call('GET', `${environment.issuer}/v1/oauth/userinfo`, { key: null, headers: { authorization: `Bearer ${access_token}` } })
}

/** @param sent the token, or the fields of the form with it */
export function revoke(w: World, environment: Pick<TestEnvironment, 'issuer'>, client: Client, sent: string | Fields) {
  return postAsClient(w, `${environment.issuer}/v1/oauth/revoke`, client, typeof sent === 'string' ? { token: sent } : sent)
}

const Reuse = z.object({ user_id: z.string(), data: z.object({ grant_id: z.string(), presented: z.string() }) })

/** The events about codes and refresh tokens that an application presented again. */
export function reuseEvents(w: World, environment: Pick<TestEnvironment, 'id'>, application_id: string) {
  return w.deployment.db.all(
    Reuse,
    sql`select user_id, data from events
      where environment_id = ${environment.id} and type = 'token.reuse_detected' and application_id = ${application_id}`,
  )
}

/** A person with a browser: it signs in once, and then obtains any number of codes and tokens. */
export async function createPerson(w: World, environment: TestEnvironment, fields: Partial<NewUser> = {}) {
  const user = await w.createUser(environment, fields)
  const agent = createAgent()
  async function code(client: Client, change: Fields = {}) {
    const request = authorizationRequest(environment, client, change)
    return { request, code: await obtainCode(agent, request, user) }
  }
  return {
    ...user,
    agent,
    code,
    async tokens(client: Client, change: Fields = {}) {
      const obtained = await code(client, change)
      return expectStatus(200, await exchange(w, environment, client, { request: obtained.request, code: obtained.code }))
    },
  }
}
