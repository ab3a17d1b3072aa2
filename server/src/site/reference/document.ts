// pure
/** The parts of the OpenAPI document that the reference shows. `contract/src/openapi.ts` makes it. */

export interface Schema {
  $ref?: string
  type?: string | readonly string[]
  description?: string
  format?: string
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  items?: Schema
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  enum?: readonly unknown[]
  const?: unknown
  default?: unknown
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
}

export interface Parameter {
  $ref?: string
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description: string
  schema: Schema & { examples?: readonly string[] }
}

export interface Content {
  schema: Schema
  example?: unknown
}

export interface Response {
  $ref?: string
  description: string
  content?: Readonly<Record<string, Content>>
}

export interface Operation {
  operationId: string
  summary: string
  description: string
  tags: readonly string[]
  security: readonly Readonly<Record<string, unknown>>[]
  parameters?: readonly Parameter[]
  requestBody?: { content: Readonly<Record<string, Content>> }
  responses: Readonly<Record<string, Response>>
  /** The errors of the operation itself, the frequent ones first. */
  'x-own-errors'?: readonly string[]
}

export interface Document {
  info: { title: string; description: string }
  servers: readonly { url: string }[]
  tags: readonly { name: string; description: string }[]
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  components: {
    schemas: Readonly<Record<string, Schema>>
    parameters: Readonly<Record<string, Parameter>>
    responses: Readonly<Record<string, Response>>
  }
}

/** The name at the end of a reference. */
export const referencedName = (ref: string): string => ref.replace(/^.*\//, '')
