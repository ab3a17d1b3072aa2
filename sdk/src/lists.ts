/** Lists as pages and as iterables. */
import type { List, Page } from './options.ts'

/** A list whose pages `read` fetches; without a cursor it fetches the first. */
export function listOf<T>(read: (cursor?: string) => Promise<Page<T>>): List<T> {
  async function* pages(): AsyncGenerator<Page<T>, void, undefined> {
    let page = await read()
    yield page
    while (page.has_more && page.next_cursor !== null) {
      page = await read(page.next_cursor)
      yield page
    }
  }
  return {
    page: () => read(),
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { data } of pages()) yield* data
    },
  }
}
