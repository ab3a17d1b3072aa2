/** Reads the visible parts of an answer, for tests that two accounts get the same one. */
import type { Reply } from './world.ts'

/** Everything in an answer that could reveal a difference between two accounts. */
export function visibleIn(reply: Reply, email: string) {
  const { 'x-request-id': _, date: __, 'set-cookie': ___, ...headers } = Object.fromEntries(reply.headers)
  const body = reply.body
    .replace(/<style>.*<\/style>/s, '')
    .replaceAll(email, '{email}')
    .replaceAll(/name="(csrf|request)" value="[^"]*"/g, '')
    .replaceAll(/href="[^"]*"/g, '')
    .replaceAll(/(action="[^"?]*)\?[^"]*"/g, '$1"')
  return { status: reply.status, headers: { ...headers, 'content-length': '' }, body }
}
