/** A browser without scripts for signing in before a measurement. It keeps cookies and follows redirects within its server. */
import { type Address, type Answer, type Connection, cookiesOf, headerOf, openConnection, request } from './connection.ts'

export interface Browser {
  readonly cookie: () => string
  /** Returns the page at an address, or the last answer before a redirect to another server. */
  get(url: string): Promise<Answer>
  /** Submits the first form of a page with these fields. */
  submit(page: Answer, fields: Record<string, string>): Promise<Answer>
  close(): void
}

/** @param from the Cookie header of a browser that goes on here */
export async function openBrowser(address: Address, from = ''): Promise<Browser> {
  const connection: Connection = await openConnection(address)
  const origin = `http://${address.host}:${address.port}`
  const pairs = from === '' ? [] : from.split('; ').map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)])
  const cookies = new Map(pairs as [string, string][]) // as: each has a name and a value
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

  async function send(method: string, path: string, body?: string): Promise<Answer> {
    const headers = {
      ...(cookies.size > 0 ? { cookie: cookie() } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
    }
    const answer = await connection.send(request(address, method, path, { headers, body: body ?? '' }))
    for (const pair of cookiesOf(answer)) {
      const at = pair.indexOf('=')
      if (pair.length === at + 1) cookies.delete(pair.slice(0, at))
      else cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
    const target = URL.parse(headerOf(answer, 'location') ?? '', origin + path)
    const follows = answer.status >= 300 && answer.status < 400 && target?.origin === origin
    return follows ? send('GET', target.pathname + target.search) : answer
  }
  const pathOf = (url: string) => url.replace(/^https?:\/\/[^/]+/, '')

  return {
    cookie,
    get: (url) => send('GET', pathOf(url)),
    submit(page, fields) {
      const { action, hidden } = formOf(page.body)
      return send('POST', pathOf(action), new URLSearchParams({ ...hidden, ...fields }).toString())
    },
    close: connection.close,
  }
}

/** Reads the action and hidden fields of the first form of a page. */
export function formOf(html: string): { action: string; hidden: Record<string, string> } {
  const action = /<form\b[^>]*\baction="([^"]*)"/.exec(html)?.[1]
  if (action === undefined) throw new Error(`There is no form on the page: ${html.slice(0, 500)}`)
  const inputs = [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
  return {
    action: unescapeHtml(action),
    hidden: Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, unescapeHtml(value)])),
  }
}

const unescapeHtml = (text: string) =>
  text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
