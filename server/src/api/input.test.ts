import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from '@ostiary/contract/routes.ts'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ApiError } from '../http/problem.ts'
import { parseBody } from './input.ts'

test('a field that is missing is called so, whatever sentences another copy of the validator has set for this process', (t) => {
  const { localeError } = z.config()
  t.after(() => z.config({ localeError }))
  z.config({ localeError: () => 'Invalid input' })
  const request = { headers: { 'content-type': 'application/json' } } as FastifyRequest // as: what is read of it
  assert.throws(
    () => parseBody(routes.createPromotion, request, Buffer.from('{"document":{}}')),
    (error) => error instanceof ApiError && error.message.startsWith('This field is required.'),
  )
})
