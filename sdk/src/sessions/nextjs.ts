/**
 * The entry `@ostiary/sdk/sessions/nextjs`: sign-in for a Next.js application (App Router), without an import of it.
 *
 *   app/auth/[...auth]/route.ts   export const { GET, POST } = sessions.handlers
 *   proxy.ts (16 and later) or middleware.ts   export const proxy = sessions.proxy(NextResponse)
 *   anywhere on the server        await sessions.get(await cookies())
 */
import { createSessions as createCore, type Session, type SessionOptions } from './sessions.ts'

export { type Session, SessionError, type SessionErrorCode, type SessionOptions, type SessionUser } from './options.ts'

/** The parts of Next.js that this uses. */
interface CookieStore {
  toString(): string
}
interface ResponseClass<R extends Response> {
  next(init: { request: { headers: Headers } }): R
}

export function createSessions(options: SessionOptions) {
  const sessions = createCore(options)
  /** Next.js tells a handler the address of its own listener. The public one is in the options. */
  const handler = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url)
    const headers = new Headers()
    for (const name of ['cookie', 'origin']) {
      const value = request.headers.get(name)
      if (value !== null) headers.set(name, value)
    }
    const asked = new Request(new URL(`${pathname}${search}`, options.base_url), { method: request.method, headers })
    return (await sessions.handle(asked)) ?? new Response(null, { status: 404 })
  }

  return {
    /** Route handlers for sign-in, callback, session and sign-out. */
    handlers: { GET: handler, POST: handler },
    /**
     * Refreshes the session before a page is made. Components cannot set cookies, so the new cookie goes both to the browser and into the
     * request that they read.
     */
    proxy:
      <R extends Response>(next: ResponseClass<R>) =>
      async (request: Request): Promise<R> => {
        const { set_cookies } = await sessions.load(request.headers.get('cookie'))
        const headers = new Headers(request.headers)
        for (const cookie of set_cookies) headers.set('cookie', withCookie(headers.get('cookie') ?? '', cookie))
        const response = next.next({ request: { headers } })
        for (const cookie of set_cookies) response.headers.append('set-cookie', cookie)
        return response
      },
    /** The session in a server component, a route handler or a server action; `null` for a visitor. */
    get: (cookies: CookieStore): Promise<Session | null> => sessions.peek(cookies.toString()),
    /** The address that begins a sign-in and returns to a path of the application, for `redirect`. */
    signInPath: sessions.signInPath,
  }
}

/** A header `Cookie` with the cookie of a header `Set-Cookie`. */
function withCookie(header: string, set_cookie: string): string {
  const [pair = ''] = set_cookie.split(';', 1)
  const name = pair.slice(0, pair.indexOf('=') + 1)
  const others = header.split('; ').filter((each) => each !== '' && !each.startsWith(name))
  return [...others, ...(pair.endsWith('=') ? [] : [pair])].join('; ')
}
