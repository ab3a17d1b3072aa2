/** The entry `@ostiary/sdk/sessions/hono`: sign-in for a Hono application, without an import of it. */
import { createSessions as createCore, type Session, type SessionOptions } from './sessions.ts'

export { type Session, SessionError, type SessionErrorCode, type SessionOptions, type SessionUser } from './options.ts'

/** The parts of Hono that the middleware uses. */
interface Context {
  req: { raw: Request }
  header(name: string, value: string, options: { append: boolean }): void
}
type Next = () => Promise<void>

export function createSessions(options: SessionOptions) {
  const sessions = createCore(options)
  const found = new WeakMap<Request, Session>()

  return {
    /** Middleware for the whole application: answers `/auth/…`, and finds the session of any other request. */
    middleware: async (context: Context, next: Next): Promise<Response | undefined> => {
      const { raw } = context.req
      const answered = await sessions.handle(raw)
      if (answered) return answered
      const { session, set_cookies } = await sessions.load(raw.headers.get('cookie'))
      if (session) found.set(raw, session)
      await next()
      for (const cookie of set_cookies) context.header('set-cookie', cookie, { append: true })
      return undefined
    },
    /** Middleware for routes that need a session. A page of a browser goes to the sign-in and comes back; other requests get 401. */
    require: async ({ req: { raw } }: Context, next: Next): Promise<Response | undefined> => {
      if (!found.has(raw)) {
        const { pathname, search } = new URL(raw.url)
        const is_page = raw.method === 'GET' && (raw.headers.get('accept') ?? '').includes('text/html')
        if (!is_page) return new Response(null, { status: 401 })
        return new Response(null, { status: 303, headers: { location: sessions.signInPath(`${pathname}${search}`) } })
      }
      await next()
      return undefined
    },
    /** The session of a request; `null` for a visitor. */
    of: ({ req: { raw } }: Context): Session | null => found.get(raw) ?? null,
  }
}
