/**
 * One run of Try sign-in: a window goes through the real flow, `/try/callback` reports the code by a channel whose name has the
 * state, and the steps follow here. Secret and tokens stay in the memory of the page. The tokens are revoked when it is left.
 */
import type { Application } from '@ostiary/sdk'
import { useCallback, useEffect, useRef, useState } from 'react'
import {
  type Asker,
  authorizationUrl,
  type Begun,
  begin,
  type Claims,
  checkIdToken,
  codeOf,
  discover,
  type Endpoints,
  exchange,
  type Options,
  Refused,
  readUserInfo,
  revoke,
  type Tokens,
} from './oidc.ts'
import { notGiven, took } from './words.ts'

export interface Step {
  name: string
  detail: string
  /** When it happened, or how long it took. */
  aside: string
}

export interface Failure {
  /** The step that failed. */
  name: string
  code: string
  description: string
  request_id: string | null
}

export interface Run {
  state: 'waiting' | 'working' | 'done' | 'failed' | 'code_only'
  steps: Step[]
  failure: Failure | null
  tokens: Tokens | null
  userinfo: Claims | null
  /** Scopes that were asked for and that the access token does not have. */
  not_given: string[]
  is_window_closed: boolean
}

export const tryCallback = () => `${location.origin}/try/callback`

/** The resources of a run that are not shown. */
interface Live {
  channel: BroadcastChannel
  popup: Window
  poll: ReturnType<typeof setInterval>
}

interface Held {
  endpoints: Endpoints
  asker: Asker
  tokens: Tokens
}

export function useTry(application: Application, issuer: string) {
  const [run, setRun] = useState<Run | null>(null)
  const live = useRef<Live | null>(null)
  const held = useRef<Held | null>(null)
  /** The number of the run that is shown. Results of an earlier one are not shown, and its tokens are revoked. */
  const current = useRef(0)

  const end = useCallback(() => {
    current.current++
    if (live.current) {
      live.current.channel.close()
      live.current.popup.close()
      clearInterval(live.current.poll)
    }
    if (held.current) dropTokens(held.current)
    live.current = null
    held.current = null
  }, [])
  useEffect(() => {
    addEventListener('pagehide', end)
    return () => {
      removeEventListener('pagehide', end)
      end()
    }
  }, [end])

  /** Called by a press, since browsers open windows only then. */
  async function start(options: Options, secret: string) {
    end()
    const number = current.current
    const began = performance.now()
    const asker = { application, secret }
    let shown = nothing
    let name = 'Open a window'
    const show = (change: Partial<Run>) => {
      shown = { ...shown, ...change }
      if (number === current.current) setRun(shown)
    }
    const done = (step: Step) => show({ steps: [...shown.steps, step] })
    /** Runs a step and shows how long it took. `doing` names it if it fails. */
    async function step<T>(doing: string, done_name: string, work: () => Promise<T>, describe: (result: T) => string): Promise<T> {
      name = doing
      const from = performance.now()
      const result = await work()
      done({ name: done_name, detail: describe(result), aside: took(performance.now() - from) })
      return result
    }
    const fail = (error: unknown) => {
      if (number === current.current) live.current?.popup.close()
      show({ state: 'failed', failure: failureOf(name, error) })
    }

    async function finish(answer: URLSearchParams, endpoints: Endpoints, begun: Begun) {
      live.current?.channel.close()
      live.current?.popup.close()
      clearInterval(live.current?.poll)
      show({ state: 'working' })
      name = 'Come back with a code'
      const code = codeOf(answer, begun, issuer)
      done({ name: 'Came back with a code', detail: 'state and iss are the expected ones', aside: took(performance.now() - began) })
      if (needsSecret(application) && secret === '') return show({ state: 'code_only' })
      const tokens = await step(
        'Exchange the code for tokens',
        'Exchanged for tokens',
        () => exchange(endpoints, asker, code, begun),
        contentsOf,
      )
      if (number !== current.current) return dropTokens({ endpoints, asker, tokens })
      held.current = { endpoints, asker, tokens }
      show({ tokens, not_given: notGiven(options.scope, tokens.scope ?? '') })
      const { id_token } = tokens
      if (id_token !== undefined) {
        const check = () => checkIdToken(endpoints, application.client_id, id_token, begun.nonce)
        const { sub } = await step('Check the ID token', 'ID token checked', check, () => 'RS256 signature, issuer, audience and nonce')
        const read = () => readUserInfo(endpoints, tokens, sub)
        show({ userinfo: await step('Read UserInfo', 'UserInfo read', read, (claims) => `${Object.keys(claims).length} claims`) })
      }
      show({ state: 'done' })
    }

    try {
      if (!globalThis.isSecureContext) throw new Refused('insecure', 'Browsers allow cryptography only by https and at localhost.')
      const popup = window.open('about:blank', '_blank', 'popup,width=480,height=760')
      if (!popup) throw new Refused('blocked_window', 'The browser blocked the window of the sign-in.')
      popup.opener = null // a page of an identity provider could otherwise send this tab elsewhere
      const begun = begin(tryCallback())
      const channel = new BroadcastChannel(`ostiary-try-${begun.state}`)
      const poll = setInterval(() => {
        if (popup.closed !== shown.is_window_closed) show({ is_window_closed: popup.closed })
      }, 1_000)
      live.current = { channel, popup, poll }
      show({})
      const find = () => discover(issuer)
      const endpoints = await step('Read the discovery document', 'Discovery read', find, () => 'the addresses of the issuer')
      name = 'Send to the sign-in page'
      const url = await authorizationUrl(endpoints, application, options, begun)
      channel.onmessage = ({ data }) => void finish(new URLSearchParams(String(data)), endpoints, begun).catch(fail)
      popup.location.href = url
      done({ name: 'Sent to the sign-in page', detail: `code, S256, scope ${options.scope}`, aside: clock() })
      show({ state: 'waiting' })
    } catch (error) {
      fail(error)
    }
  }

  return { run, start }
}

const nothing: Run = { state: 'working', steps: [], failure: null, tokens: null, userinfo: null, not_given: [], is_window_closed: false }

/** Whether the exchange of the code needs the client secret. A key for assertions is never in a browser. */
export const needsSecret = ({ token_endpoint_auth_method }: Application) => token_endpoint_auth_method !== 'none'

function failureOf(name: string, error: unknown): Failure {
  if (error instanceof Refused) return { name, code: error.code, description: error.message, request_id: error.request_id }
  return { name, code: 'unexpected', description: error instanceof Error ? error.message : '', request_id: null }
}

/** Ends the tokens at the issuer. If that fails they expire, and nobody else has them. */
const dropTokens = ({ endpoints, asker, tokens }: Held) => void revoke(endpoints, asker, tokens).catch(() => {})

const clock = () => new Date().toLocaleTimeString('en-GB')

function contentsOf({ access_token, expires_in, id_token, refresh_token }: Tokens): string {
  const format = access_token.split('.').length === 3 ? 'JWT' : 'opaque'
  const others = [id_token && 'ID token', refresh_token && 'refresh token'].filter(Boolean).map((token) => `, ${token}`)
  return `access token (${format}) for ${Math.round(expires_in / 60)} min${others.join('')}`
}
