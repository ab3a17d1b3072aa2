import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDocumentation } from '../src/documents/serve.ts'
import { type Question, tuned, unseen } from './support/questions.ts'

const documentation = createDocumentation('https://id.example', `${import.meta.dirname}/../..`)
const pageOf = (url: string) => (url.split('#', 1)[0] ?? '').replace('/docs/', '')

/** The questions of which the right page is not among the first three. */
async function missed(questions: readonly Question[]): Promise<string[]> {
  const answered = await Promise.all(
    questions.map(async ({ asked, pages }) => ({ asked, pages, found: await documentation.search(asked) })),
  )
  return answered
    .filter(({ pages, found }) => !found.slice(0, 3).some(({ url }) => pages.includes(pageOf(url))))
    .map(
      ({ asked, pages, found }) =>
        `${asked}: wanted ${pages.join(' or ')}, found ${found
          .slice(0, 3)
          .map(({ url }) => pageOf(url))
          .join(', ')}`,
    )
}

test('of questions as people ask them, nine of ten find the right page among the first three', async () => {
  const missing = await missed(tuned)
  assert.ok(missing.length <= tuned.length / 10, missing.join('\n'))
})

test('so do nine of ten of the questions that nobody looked at while the search was tuned', async () => {
  const { length } = await missed(unseen) // the number alone, see questions.ts
  assert.ok(length <= unseen.length / 10, `${length} of ${unseen.length} do not.`)
})

test('no decision record comes before a page that answers', async () => {
  for (const { asked } of [...tuned, ...unseen]) {
    const kinds = (await documentation.search(asked)).map(({ url }) => /^(decisions\/|changelog)/.test(pageOf(url)))
    assert.ok(!kinds[0], asked)
    assert.deepEqual(
      kinds,
      kinds.toSorted((a, b) => Number(a) - Number(b)),
      asked,
    )
  }
})

test('a decision is found by its number, an error by its code, an operation and a field by their names', async () => {
  for (const [asked, url] of [
    ['0028', '/docs/decisions/0028-quotas'],
    ['issuer_taken', '/docs/errors/issuer_taken'],
    ['endUserSessions', '/docs/api/users#endUserSessions'],
    ['require_pkce', '/docs/guides/web-application#require_pkce-code_challenge-is-missing'],
    ['client_secret_post', '/docs/guides/web-application#client_secret_post-or-client_secret_basic'],
  ] as const)
    assert.equal((await documentation.search(asked))[0]?.url, url, asked)
})

test('a word that is nowhere does not empty the result', async () => {
  assert.equal((await documentation.search('webhooks xyzzyplugh'))[0]?.url.startsWith('/docs/guides/webhooks'), true)
  assert.deepEqual(await documentation.search('xyzzyplugh'), [])
  assert.deepEqual(await documentation.search('how do I'), [])
})
