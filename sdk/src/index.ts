/**
 * The entry of `@ostiary/sdk`: the management client.
 *
 *   client.ts            an object with one function for each operation
 *   call.ts              one call: the request, retries, the answer
 *   lists.ts             lists as pages and as iterables
 *   options.ts           what a caller can set, for the client and for one call
 *   runtime.ts           the only use of the clock and of randomness
 *   generated/           the operations and the types, from the route table
 */
export { type Client, createClient, type Responses } from './client.ts'
export { type ClientErrorCode, OstiaryError, type RefusedField } from './error.ts'
export type { Operations } from './generated/operations.ts'
export type * from './generated/types.ts'
export type { Answer, CallOptions, ChangeOptions, ClientOptions, List, Page, PostOptions } from './options.ts'
