// pure
/** Orders the members of an answer as its schema lists them, so that equal resources read alike, whichever route answers. */
import { z } from 'zod'
import { isRecord } from '../base/record.ts'

type Order = (value: unknown) => unknown

const orders = new WeakMap<z.ZodType, Order>()

/** Returns the value with its members in the order of the schema. Members that the schema does not name follow in their own order. */
export function inOrderOf(schema: z.ZodType, value: unknown): unknown {
  let order = orders.get(schema)
  if (!order) {
    order = orderOf(schema)
    orders.set(schema, order)
  }
  return order(value)
}

const asIs: Order = (value) => value

function orderOf(type: z.ZodType): Order {
  const { innerType, element, options } = type.def as { innerType?: z.ZodType; element?: z.ZodType; options?: z.ZodType[] } // as: the public, untyped introspection of zod
  if (type instanceof z.ZodObject) return orderOfObject(type)
  if (type instanceof z.ZodArray && element) {
    const order = orderOf(element)
    return order === asIs ? asIs : (value) => (Array.isArray(value) ? value.map(order) : value)
  }
  if (type instanceof z.ZodUnion && options) return orderOfUnion(options)
  return innerType ? orderOf(innerType) : asIs
}

function orderOfObject(type: z.ZodObject): Order {
  const members = Object.entries(type.shape).map(([name, inner]) => [name, orderOf(inner as z.ZodType)] as const) // as: a shape holds types only
  return (value) => {
    if (!isRecord(value)) return value
    const ordered: Record<string, unknown> = {}
    for (const [name, order] of members) if (Object.hasOwn(value, name)) ordered[name] = order(value[name])
    return { ...ordered, ...Object.fromEntries(Object.entries(value).filter(([name]) => !Object.hasOwn(ordered, name))) }
  }
}

/** Of the objects in a union, the first one that names every member of the value gives the order. */
function orderOfUnion(options: readonly z.ZodType[]): Order {
  const objects = options.filter((option) => option instanceof z.ZodObject)
  if (objects.length === 0) return asIs
  return (value) => {
    if (!isRecord(value)) return value
    const names = Object.keys(value).filter((name) => value[name] !== undefined) // JSON omits the others
    const fitting = objects.find(({ shape }) => names.every((name) => Object.hasOwn(shape, name)))
    return fitting ? inOrderOf(fitting, value) : value
  }
}
