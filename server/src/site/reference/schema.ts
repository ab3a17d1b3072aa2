// pure
/** The fields of a schema as a list. A named schema is a link. */
import { thousands } from '@ostiary/contract/thousands.ts'
import { type Html, html } from '../../base/html.ts'
import { referencedName, type Schema } from './document.ts'
import { inline } from './layout.ts'

/** The members of an object, its inline objects included. */
export function fields(schema: Schema): Html | null {
  const members = Object.entries(schema.properties ?? {})
  if (members.length === 0) return null
  return html`<dl class="fields">${members.map(([name, member]) => field(name, member, schema.required?.includes(name) ?? false))}</dl>`
}

function field(name: string, schema: Schema, is_required: boolean): Html {
  const inner = innerObject(schema)
  return html`<div><dt><code>${name}</code> <span>${typeOf(schema)}</span>${is_required && html` <span class="must">required</span>`}</dt>
<dd>${schema.description && inline(schema.description)}${limits(schema)}${inner && fields(inner)}</dd></div>`
}

/** The object that a field, or each element of its list, is. */
function innerObject(schema: Schema): Schema | null {
  if (schema.properties) return schema
  if (schema.items?.properties) return schema.items
  return schema.anyOf?.find(({ properties }) => properties !== undefined) ?? null
}

export function typeOf(schema: Schema): Html {
  if (schema.$ref !== undefined) return link(schema.$ref)
  const variants = schema.oneOf ?? schema.anyOf
  if (variants) return join(variants.map(typeOf))
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`
  if (schema.enum) return join(schema.enum.map((value) => html`<code>${JSON.stringify(value)}</code>`))
  if (schema.items) return html`list of ${typeOf(schema.items)}${[schema.type].flat().includes('null') && ' or null'}`
  return html`${[schema.type ?? 'any'].flat().join(' or ')}${schema.format && ` (${schema.format})`}`
}

const link = (ref: string): Html => html`<a href="/docs/api/schemas#schema-${referencedName(ref)}">${referencedName(ref)}</a>`

function join(parts: readonly Html[]): Html {
  return html`${parts.map((part, i) => html`${i > 0 && ' or '}${part}`)}`
}

function limits(schema: Schema): Html | null {
  const known = [
    range(schema.minLength || undefined, schema.maxLength, 'characters'),
    range(schema.minItems, schema.maxItems, 'elements'),
    schema.maximum === Number.MAX_SAFE_INTEGER ? null : range(schema.minimum, schema.maximum, ''),
  ].filter((text) => text !== null)
  const texts = schema.default === undefined || schema.default === null ? known : [...known, `default ${JSON.stringify(schema.default)}`]
  return texts.length === 0 ? null : html` <span class="fine">(${texts.join('; ')})</span>`
}

function range(min: number | undefined, max: number | undefined, unit: string): string | null {
  if (max === undefined) return null
  const bounds = min === undefined ? `at most ${thousands(max)}` : `${thousands(min)} to ${thousands(max)}`
  return `${bounds} ${unit}`.trim()
}
