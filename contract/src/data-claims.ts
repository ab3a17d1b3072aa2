/** Data of users and organizations that tokens can carry, where an application or a resource server asks for it. */
import { z } from 'zod'
import { isClaimTaken } from './jwt-claims.ts'

const most_bytes = 1_024
const most_names = 20
const deepest = 3

/** `{}` has the depth 1. */
const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

export const DataClaims = z
  .record(z.string(), z.unknown())
  .superRefine((claims, context) => {
    const refuse = (message: string, path: PropertyKey[] = []) => context.addIssue({ code: 'custom', path, message })
    if (new TextEncoder().encode(JSON.stringify(claims)).length > most_bytes)
      return refuse(`Use at most ${most_bytes} bytes, as compact JSON.`)
    if (Object.keys(claims).length > most_names) return refuse(`Use at most ${most_names} names.`)
    if (depthOf(claims) > deepest) return refuse(`Use at most ${deepest} levels of objects and lists, the outermost included.`)
    for (const name of Object.keys(claims))
      if (!/^[\x21-\x7e]{1,100}$/.test(name)) refuse('A name has 1 to 100 visible characters of ASCII.', [name])
      else if (isClaimTaken(name)) refuse('A standard or this service defines a claim with this name. Use another one.', [name])
  })
  .describe(
    `Data for tokens that ask for it: an object of at most ${most_bytes} bytes as compact JSON, with at most ${most_names} names and ${deepest} levels. No name is a registered claim of JWTs, is \`grant_id\` or begins with \`org_\`. Put nothing secret here.`,
  )
export type DataClaims = z.infer<typeof DataClaims>
