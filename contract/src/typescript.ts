/** TypeScript of a JSON Schema, as far as the schemas of the contract use it. */
import type { Json } from './openapi-schemas.ts'

/** The type of a schema. `indent` is the indentation of the line on which it begins. */
export function typescriptOf(schema: Json, indent = ''): string {
  if (typeof schema.$ref === 'string') return referencedName(schema.$ref)
  if (schema.const !== undefined) return literal(schema.const)
  if (Array.isArray(schema.enum)) return union(schema.enum.map(literal))
  const variants = schema.anyOf ?? schema.oneOf ?? schema['x-any-of']
  if (Array.isArray(variants)) return union(variants.map((variant) => typescriptOf(variant, indent)))
  const types = Array.isArray(schema.type) ? schema.type : [schema.type]
  return union(types.map((type) => typeOf(type, schema, indent)))
}

/** The names of the components that a schema refers to. */
export function namesIn(schema: unknown): string[] {
  const found: string[] = []
  JSON.stringify(schema ?? null, (key, value) => {
    if (key === '$ref' && typeof value === 'string') found.push(referencedName(value))
    return value
  })
  return [...new Set(found)]
}

/** A text as a comment of the next declaration. */
export function commented(text: string, indent: string): string {
  const lines = text.replaceAll('*/', '*\\/').split('\n')
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`).join('')}${indent} */\n`
}

function typeOf(type: unknown, schema: Json, indent: string): string {
  switch (type) {
    case 'object':
      return objectOf(schema, indent)
    case 'array': {
      const item = typescriptOf((schema.items ?? {}) as Json, indent) // as: JSON Schema
      return /[ |{]/.test(item) ? `(${item})[]` : `${item}[]`
    }
    case 'integer':
      return 'number'
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return type
    case undefined:
      return 'unknown'
    default:
      throw new Error(`There is no TypeScript for the type ${JSON.stringify(type)} of a schema.`)
  }
}

function objectOf(schema: Json, indent: string): string {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>) // as: JSON Schema
  const required = new Set((schema.required ?? []) as string[]) // as: JSON Schema
  const inner = `${indent}  `
  const others = schema.additionalProperties
  const open = others === true ? {} : others
  const index = typeof open === 'object' && open !== null ? typescriptOf(open as Json, inner) : undefined // as: JSON Schema
  if (properties.length === 0) return index === undefined ? 'Record<string, never>' : `Record<string, ${index}>`
  const members = properties.map(([name, property]) => {
    const comment = typeof property.description === 'string' ? commented(property.description, inner) : ''
    const optional = !required.has(name)
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name)
    return `${comment}${inner}${key}${optional ? '?' : ''}: ${typescriptOf(property, inner)}${optional ? ' | undefined' : ''}\n`
  })
  return `{\n${members.join('')}${index === undefined ? '' : `${inner}[name: string]: unknown\n`}${indent}}`
}

const referencedName = (reference: string): string => reference.replace('#/components/schemas/', '')

const literal = (value: unknown): string => (typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value))

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ')
