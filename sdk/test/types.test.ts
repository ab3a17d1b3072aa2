/** The calls of support/calls.ts that compile also send the right requests. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '@ostiary/sdk'
import { rightCalls } from './support/calls.ts'

test('the calls that compile send their requests', async () => {
  const sent: string[] = []
  const client = createClient({
    base_url: 'https://id.example.com',
    fetch: async (input, init) => {
      sent.push(`${init?.method} ${String(input).slice('https://id.example.com/v1'.length)}`)
      return Response.json({})
    },
  })
  for (const call of rightCalls(client)) await ('page' in call ? call.page() : call)
  assert.deepEqual(sent.toSorted(), [
    'GET /api-keys/whoami',
    'GET /platform/projects',
    'GET /platform/projects?slug=shop',
    'PATCH /platform/projects/prj_1',
    'PATCH /platform/projects/prj_1/environments/env_1/settings',
    'POST /platform/projects',
    'POST /platform/projects/prj_1/environments/env_1/applications',
  ])
})
