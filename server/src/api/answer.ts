/** Writes the response of a management route: JSON with its ETag, or one object per line, as JSON or as comma-separated values. */
import { Readable } from 'node:stream'
import type { Route } from '@ostiary/contract/route.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { csvLine } from '../base/csv.ts'
import { sha256 } from '../base/digest.ts'
import { entityTag } from '../domain/lists/if-match.ts'
import { isKnown } from '../http/if-none-match.ts'
import { write } from '../http/write.ts'
import { inOrderOf } from './field-order.ts'

const lines = Symbol('lines')

interface Lines {
  [lines]: AsyncIterable<readonly object[]>
}

/** Streams a list of any length, one object per line. */
export function inLines(pages: Lines[typeof lines]): Lines {
  return { [lines]: pages }
}

/** Each line has the members of its object in the order of the schema of the list. */
async function* toText(list: z.ZodType, { [lines]: pages }: Lines, type: Route['lines']): AsyncGenerator<string> {
  const names = membersOf(list)
  if (type === 'text/csv') yield csvLine(names)
  for await (const page of pages) {
    const { data } = inOrderOf(list, { data: page }) as { data: readonly Record<string, unknown>[] } // as: the same page
    yield data.map((object) => (type === 'text/csv' ? csvLine(names.map((name) => object[name])) : `${JSON.stringify(object)}\n`)).join('')
  }
}

/** The members of the objects of a list. */
function membersOf(list: z.ZodType): string[] {
  const data = list instanceof z.ZodObject ? list.shape.data : null
  return data instanceof z.ZodArray && data.element instanceof z.ZodObject ? Object.keys(data.element.shape) : []
}

const text = Symbol('text')

interface TextAnswer {
  [text]: string
  version?: number
  id?: string
}

/** An answer whose bytes matter, or whose text takes long to write: JSON that is not written again. */
export const asText = (json: string, more: Omit<TextAnswer, typeof text> = {}): TextAnswer => ({ [text]: json, ...more })

/** The text of an answer as a repeat needs it: with its version, from which the ETag follows. */
export const recordedText = (json: string, version: number): string => `${json.slice(0, -1)},"version":${version}}`

const status_of_answer = Symbol('status')

/** An answer with another status than that of its row: of a POST that stored nothing. */
export const answeredWith = (status: 200, answer: object) => ({ ...answer, [status_of_answer]: status })

const isText = (answer: object): answer is TextAnswer => text in answer

interface Answer {
  /** The result of the handler. */
  answer: object | null
  /** The URL of the request without its query. */
  url: string
  /** Parse the body with the schema of the row. */
  check: boolean
}

export function send(reply: FastifyReply, request: FastifyRequest, route: Route, { answer, url, check }: Answer) {
  const [own_status, schema] = route.returns
  const status = (answer as { [status_of_answer]?: number } | null)?.[status_of_answer] ?? own_status // as: handlers may set one
  if (answer === null || schema === null) return write(reply, status, { 'cache-control': 'no-store' }, '')
  if (lines in answer)
    return reply
      .header('cache-control', 'no-store')
      .type(`${route.lines}; charset=utf-8`)
      .send(Readable.from(toText(schema, answer as Lines, route.lines))) // as: just checked

  // A member has no other id than that of the user.
  const { version, user_id, id = user_id } = answer as { version?: number; id?: string; user_id?: string } // as: handlers may return a versioned resource
  const body = version === undefined ? answer : { ...answer, version: undefined } // JSON omits it
  const json = isText(answer) ? answer[text] : JSON.stringify(inOrderOf(schema, body))
  if (check) schema.parse(JSON.parse(json))

  const tag = version !== undefined ? entityTag(version) : route.cache ? `"${sha256(json, 'base64url')}"` : null
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    ...((status === 201 || route.creates) && id ? { location: `${url}/${id}` } : {}),
    ...(tag ? { etag: tag } : {}),
    // A page may use the keys of two environments: a response cached for one key must not answer the other.
    ...(route.cache ? { 'cache-control': route.cache, vary: 'Origin, X-API-Key, Authorization' } : {}),
  }
  const is_known = tag !== null && route.method === 'GET' && isKnown(request.headers['if-none-match'], tag)
  return is_known ? write(reply, 304, headers, '') : write(reply, status, headers, json)
}
