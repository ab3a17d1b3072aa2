/** `ostiary pull`: writes the configuration of an environment as YAML, into a new file or into one that a person wrote. Decision 0134. */
import { document_version } from '@ostiary/contract/configuration.ts'
import type { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import type { Written } from '../../arguments.ts'
import { UsageError } from '../../usage.ts'
import { type Connection, connect } from '../connection.ts'
import { rowOf } from '../derive.ts'
import type { Io } from '../io.ts'
import { Refused } from '../refused.ts'
import { rowFor, scopeFor, textOf } from '../run-command.ts'
import { inScope, type Scope } from '../scope.ts'
import { isObject, jsonLine, visible } from '../show.ts'
import { environmentOf, fileText, orderedDocument, ShownDocument } from './document.ts'
import { lineBreakOf } from './edits.ts'
import { exists, most_bytes, readYamlFile, replaceFile, tooManyBytes } from './file.ts'
import { mergedText } from './merge.ts'
import { placeText } from './places.ts'
import { readYaml, type YamlFile } from './yaml-read.ts'

export async function pull(io: Io, written: Written): Promise<number> {
  const path = textOf(written, 'file')
  const is_json = written.values.has('json')
  if (is_json && path !== null) throw new UsageError('--json prints the document, and --file writes it. Use one of them.')
  if (path === '') throw new UsageError('--file takes the name of a file.')
  const connection = connect(io, textOf(written, 'profile'))
  const { document, scope } = await readDocument(connection, written)
  if (is_json) {
    io.out(jsonLine(document))
    return 0
  }
  const fresh = readable(fileText(connection.base_url, orderedDocument(document)))
  if (path === null || path === '-') {
    io.out(fresh)
    return 0
  }
  const before = exists(path) && !written.values.has('fresh') ? await readYamlFile(io, path) : null
  const type = scope.environment_type ?? 'test'
  const text = before ? readable(before.root ? merged(path, before, document, type) : below(before.text, fresh)) : fresh
  if (text === before?.text) io.err(`${visible(path)} is up to date.\n`)
  else {
    replaceFile(io, path, (before?.mark ?? '') + text)
    io.err(`${visible(path)} has the configuration of ${visible(document.environment)}.\n`)
  }
  return 0
}

/** The document of the environment that the options name. */
export async function readDocument(connection: Connection, written: Written): Promise<{ document: ShownDocument; scope: Scope }> {
  const row = rowFor({ noun: 'configuration', verb: 'get', rows: [rowOf('getConfiguration')] }, connection.kind)
  const scope: Scope = await scopeFor(connection, row, written)
  const { data } = await connection.call(row, inScope(row, scope))
  const document = ShownDocument.safeParse(data)
  if (!document.success)
    throw new Refused('The service answers a configuration that this command does not know. Use the ostiary of its version.')
  return { document: document.data, scope }
}

/** A file of comments alone, with the configuration below them in its own line breaks. */
function below(comments: string, fresh: string): string {
  const line_break = lineBreakOf(comments)
  const end = comments === '' || comments.endsWith('\n') ? '' : line_break
  return comments + end + fresh.replaceAll('\n', line_break)
}

/** The text of a person's file with the configuration in it. @throws UsageError if it is another file than it seems */
function merged(path: string, { text, value, placeOf }: YamlFile, document: ShownDocument, type: EnvironmentType): string {
  const refuse = (offset: number, why: string) => new UsageError(`${placeText(path, text, offset)}: ${why}`)
  if (!isObject(value)) throw refuse(placeOf([]), 'A configuration is a map, which begins with "version: 1".')
  const { version = document_version } = value
  if (version !== document_version) throw refuse(placeOf(['version']), `The version is ${document_version}.`)
  const environment = environmentOf(value)
  if (environment !== null && environment !== document.environment)
    throw refuse(
      placeOf(['environment']),
      `This is the file of another environment than ${visible(document.environment)}. Name another file, or write it afresh with --fresh.`,
    )
  const result = mergedText(text, orderedDocument(document), type)
  if ('text' in result) return result.text
  throw refuse(result.offset, 'This place is written in a form that is not changed in place. Write the file afresh with --fresh.')
}

/** @throws Refused if the limits of files do not admit the text */
function readable(text: string): string {
  const read = readYaml(text)
  const bytes = Buffer.byteLength(text)
  if ('file' in read && bytes <= most_bytes) return text
  const why = 'mistakes' in read ? read.mistakes[0]?.text : tooManyBytes(bytes)
  throw new Refused(`This configuration is too large for a file. ${why}`)
}
