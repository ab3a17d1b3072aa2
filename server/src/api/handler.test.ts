import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ErrorCode, errors, generalErrors } from '@ostiary/contract/errors.ts'
import { routes } from '@ostiary/contract/routes.ts'
import type { FastifyInstance } from 'fastify'
import type { Handler, Handlers } from './handler.ts'
import { mount } from './mount.ts'

test('every error code is general or declared by a row', () => {
  const declared = Object.values(routes).flatMap((route): readonly ErrorCode[] => ('fails' in route ? route.fails : []))
  const reachable = new Set<string>([...generalErrors, ...declared])
  assert.deepEqual(
    Object.keys(errors).filter((code) => !reachable.has(code)),
    [],
  )
})

// The compiler checks the functions below; they never run. Each `@ts-expect-error` fails `npm run check` if its line compiles.

export const failsAsDeclared: Handler<'createProject'> = async (_, { fail }) => fail('slug_taken', 'The row declares slug_taken.')

export const failsOtherwise: Handler<'createProject'> = async (_, { fail }) =>
  // @ts-expect-error: the row of createProject does not declare last_owner
  fail('last_owner', 'Not declared.')

export const failsWithGeneralError: Handler<'createProject'> = async (_, { fail }) =>
  // @ts-expect-error: a general error has a helper in http/problem.ts
  fail('not_found', 'Not declared.')

export const failsWithoutDeclaration: Handler<'getProject'> = async (_, { fail }) =>
  // @ts-expect-error: the row of getProject declares no error
  fail('slug_taken', 'Not declared.')

export function mountsEveryRowOnce(app: FastifyInstance, mounting: Parameters<typeof mount>[1], handlers: Handlers) {
  const { getProject, ...others } = handlers
  mount(app, mounting, { ...others, getProject })
  // @ts-expect-error: getProject has no handler
  mount(app, mounting, others)
  // @ts-expect-error: no row has the name findProject
  mount(app, mounting, { ...handlers, findProject: getProject })
  // @ts-expect-error: rotateAuthKey takes the calls of its own row
  mount(app, mounting, { ...handlers, getProject: handlers.createAuthKey })
}
