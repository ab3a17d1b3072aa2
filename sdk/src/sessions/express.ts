/** The entry `@ostiary/sdk/sessions/express`: sign-in for an Express application, 4 and 5, without an import of it. */
import { createSessions as createCore, type Session, type SessionOptions } from './sessions.ts'

export { type Session, SessionError, type SessionErrorCode, type SessionOptions, type SessionUser } from './options.ts'

/** The parts of Express that the middleware uses. */
interface Incoming {
  method: string
  originalUrl: string
  headers: Readonly<Record<string, string | string[] | undefined>>
}
interface Outgoing {
  status(code: number): this
  append(name: string, value: string): unknown
  set(name: string, value: string): unknown
  redirect(status: number, url: string): void
  end(body?: string): unknown
}
type Next = (error?: unknown) => void

export function createSessions(options: SessionOptions) {
  const sessions = createCore(options)
  const found = new WeakMap<object, Session>()

  async function answer(request: Incoming, response: Outgoing): Promise<boolean> {
    const headers = new Headers()
    for (const name of ['cookie', 'origin']) {
      const value = request.headers[name]
      if (typeof value === 'string') headers.set(name, value)
    }
    const answered = await sessions.handle(new Request(new URL(request.originalUrl, options.base_url), { method: request.method, headers }))
    if (answered === null) {
      const { session, set_cookies } = await sessions.load(headers.get('cookie'))
      if (session) found.set(request, session)
      for (const cookie of set_cookies) response.append('set-cookie', cookie)
      return false
    }
    response.status(answered.status)
    for (const [name, value] of answered.headers) if (name !== 'set-cookie') response.set(name, value)
    for (const cookie of answered.headers.getSetCookie()) response.append('set-cookie', cookie)
    response.end(await answered.text())
    return true
  }

  return {
    /** Middleware for the whole application: answers `/auth/…`, and finds the session of any other request. */
    middleware(request: Incoming, response: Outgoing, next: Next): void {
      answer(request, response).then((is_done) => is_done || next(), next)
    },
    /** Middleware for routes that need a session. A page of a browser goes to the sign-in and comes back; other requests get 401. */
    require(request: Incoming, response: Outgoing, next: Next): void {
      const is_page = request.method === 'GET' && String(request.headers.accept ?? '').includes('text/html')
      if (found.has(request)) next()
      else if (is_page) response.redirect(303, sessions.signInPath(request.originalUrl))
      else response.status(401).end()
    },
    /** The session of a request; `null` for a visitor. */
    of: (request: object): Session | null => found.get(request) ?? null,
  }
}
