/** An authenticator app of a person, and the pages of the second factor. */
import { createHmac } from 'node:crypto'
import { type Agent, authorizationRequest, type Client, createAgent, type Fields, followPages, type Request } from './cookie-browser.ts'
import { expectStatus, type Reply, type TestEnvironment, type World } from './world.ts'

const step_ms = 30_000
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

function bytesOf(secret: string): Buffer {
  const bits = [...secret].map((character) => alphabet.indexOf(character).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

/** The code of a secret in base32 at a time (RFC 6238), written again here so that the service is not its own judge. */
export function appCode(secret: string, at: Date, steps = 0): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(at.getTime() / step_ms) + steps))
  const mac = createHmac('sha1', bytesOf(secret)).update(counter).digest()
  return String((mac.readUInt32BE((mac[19] ?? 0) & 15) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

/** A code that the app does not show now. */
export const wrongCode = (secret: string, at: Date): string => {
  const right = [-2, -1, 0, 1, 2].map((steps) => appCode(secret, at, steps))
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !right.includes(code)) ?? ''
}

/** The step that a page names. */
export const stepOn = ({ body }: Reply): string | undefined => /<main [^>]*data-step="([^"]*)"/.exec(body)?.[1]

export const secretOn = ({ body }: Reply): string => /otpauth:\/\/totp\/[^"]*secret=([A-Z2-7]{32})&amp;/.exec(body)?.[1] ?? ''

export const recoveryCodesOn = ({ body }: Reply): string[] =>
  [...body.matchAll(/<code data-recovery-code>([^<]+)<\/code>/g)].map(([, code = '']) => code)

/** The code of a redirect to the client, after the redirects within the service; `null` where a page comes first. */
export async function codeAfter(agent: Agent, reply: Reply, { redirect_uri }: Pick<Request, 'redirect_uri'>) {
  let last = reply
  for (let steps = 0; steps < 6; steps++) {
    const location = last.headers.get('location')
    if (location === null) return { page: last, code: null, error: null }
    const url = new URL(location)
    if (location.startsWith(redirect_uri)) return { page: last, code: url.searchParams.get('code'), error: url.searchParams.get('error') }
    last = await agent.get(location)
  }
  throw new Error('The redirects do not end.')
}

interface Person {
  email: string
  password: string
}

/** Opens a request and submits the password. Returns the page after it. */
export async function passwordStep(
  environment: TestEnvironment,
  client: Client,
  person: Person,
  { change = {}, agent = createAgent() }: { change?: Fields; agent?: Agent } = {},
) {
  const request = authorizationRequest(environment, client, change)
  const page = await followPages(agent, await agent.get(request.url))
  const reply = await agent.submit(page, { email: person.email, password: person.password })
  return { agent, request, ...(await codeAfter(agent, reply, request)) }
}

/** Moves the clock to the beginning of a step (RFC 6238 §4.1), so that the app shows one code for the 30 seconds that follow. */
function beginStep(w: World): void {
  w.advance((step_ms - (w.now().getTime() % step_ms)) / 1000)
}

/** A person who has enrolled an authenticator app in a sign-in, in an environment with `mfa.mode` required and without mail. */
export async function enrolPerson(w: World, environment: TestEnvironment, client: Client, fields: { email?: string } = {}) {
  const person = await w.createUser(environment, fields)
  const { agent, request, page } = await passwordStep(environment, client, person)
  const secret = secretOn(page)
  beginStep(w)
  const shown = expectStatus200(await agent.submit(page, { code: appCode(secret, w.now()) }))
  return { ...person, agent, request, secret, codes: recoveryCodesOn(shown), shown }
}

function expectStatus200(reply: Reply): Reply {
  expectStatus(200, reply)
  return reply
}
