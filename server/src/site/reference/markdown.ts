// pure
/** The API reference and the pages of errors as Markdown, for programs that read. The same texts as the pages, without links within them. */
import { whyNoExample } from '@ostiary/contract/api-examples.ts'
import { generalErrors } from '@ostiary/contract/errors.ts'
import { isCommon } from '@ostiary/contract/openapi-answers.ts'
import { type Document, type Operation, referencedName, type Schema } from './document.ts'
import { type Described, described, errorsOf } from './error-pages.ts'
import { answerText, exampleOf, parametersOf, waysOf } from './example.ts'
import { type Entry, groupsOf } from './page.ts'

export function referenceMarkdown(document: Document): string {
  const groups = groupsOf(document).map(
    ({ name, description, url, entries }) =>
      `## [${name}](${url}.md)\n\n${description}\n\n${entries.map(({ method, path, operation }) => `- \`${method} ${path}\` ${operation.operationId}: ${operation.summary}`).join('\n')}\n`,
  )
  return `# API reference\n\n${document.info.description}\n\n${groups.join('\n')}\n[Schemas](/docs/api/schemas.md) · [Errors](/docs/errors.md)\n`
}

/** `null` for a name that no group has. */
export function groupMarkdown(document: Document, name: string): string | null {
  if (name === 'schemas') return schemasMarkdown(document)
  const group = groupsOf(document).find(({ url }) => url === `/docs/api/${name}`)
  if (!group) return null
  return `# ${group.name}\n\n${group.description}\n\n${group.entries.map((entry) => operationMarkdown(document, entry)).join('\n')}`
}

function operationMarkdown(document: Document, { method, path, operation }: Entry): string {
  const { operationId, summary, description, requestBody } = operation
  const body = Object.values(requestBody?.content ?? {})[0]?.schema
  const parameters = parametersOf(document, operation).map(
    ({ name, in: place, required, description }) => `- \`${name}\` (${place}${required ? ', required' : ''}): ${description}`,
  )
  return `## ${summary}

\`${method} ${path}\` (${operationId})

${description}
${section('Parameters', parameters)}${body ? section('Body', bodyLines(body)) : ''}${section('Errors', errorLines(operation))}${exampleMarkdown(method, path, operation)}`
}

const section = (title: string, lines: readonly string[]) => (lines.length === 0 ? '' : `\n### ${title}\n\n${lines.join('\n')}\n`)

const bodyLines = (schema: Schema) =>
  schema.$ref === undefined ? memberLines(schema) : [`[${referencedName(schema.$ref)}](/docs/api/schemas.md)`]

const memberLines = ({ properties = {}, required = [] }: Schema) =>
  Object.entries(properties).map(
    ([name, { description = '' }]) => `- \`${name}\`${required.includes(name) ? ' (required)' : ''}: ${description}`,
  )

const errorLines = ({ 'x-own-errors': own = [] }: Operation) => own.map((code) => `- [\`${code}\`](/docs/errors/${code}.md)`)

function exampleMarkdown(method: string, path: string, operation: Operation): string {
  const example = exampleOf(operation)
  if (example === null) return `\n### Example\n\nNone. ${whyNoExample(operation.operationId)}\n`
  const ways = waysOf(method, path, operation).map(({ id, label, text }) => `${label}:\n\n${block(id === 'sdk' ? 'js' : 'sh', text)}`)
  return `\n### Example\n\n${ways.join('\n')}\nAnswer ${example.status}:\n\n${block(example.answer === undefined ? 'text' : 'json', answerText(example))}`
}

const block = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\`\n`

function schemasMarkdown({ components }: Document): string {
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `## ${name}\n\n${schema.description ?? ''}\n\n${memberLines(schema).join('\n')}\n`,
  )
  return `# Schemas\n\nThe objects that operations take and return.\n\n${schemas.join('\n')}`
}

export function errorsMarkdown(): string {
  const lines = errorsOf().map(({ code, explanation }) => `- [\`${code}\`](/docs/errors/${code}.md): ${explanation}`)
  const common = generalErrors.filter(isCommon).map((code) => `\`${code}\``)
  return `# Errors\n\nPrograms decide by the code, which never changes. The texts are for people.\n\nAny operation of the API can answer ${common.join(', ')}.\n\n${lines.join('\n')}\n`
}

/** `null` for an unknown code. */
export function errorMarkdown(document: Described, code: string): string | null {
  const parts = described(document, code).map(
    ({ title, status, explanation, example }) =>
      `# ${title}\n\n\`${code}\`${status === null ? '' : `, status ${status}`}\n\n${explanation}\n\n${block('json', JSON.stringify(example, null, 2))}`,
  )
  return parts.length === 0 ? null : parts.join('\n')
}
