/**
 * Schemathesis (PyPI) calls every operation of the OpenAPI document with generated values: no answer is 5xx, and every answer has a
 * documented status, type and schema. `.ci/run` installs it; without it this file is skipped.
 */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openApi } from '@ostiary/contract/openapi.ts'
import { bearer } from './support/route-table.ts'
import { app_origin, createTwoTenants, type Tenant } from './support/tenants.ts'
import { type World, world } from './support/world.ts'

const installed = join(import.meta.dirname, '../../.node/schemathesis/bin/schemathesis')
const program = [installed, 'schemathesis'].find((name) =>
  name === installed ? existsSync(name) : spawnSync(name, ['--version']).status === 0,
)
const skip = program ? false : 'needs schemathesis (pip install schemathesis)'

const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
]

interface Parameter {
  name?: string
  in?: string
  schema?: { enum?: string[] }
}

/** The document with real ids as the only values of path parameters, so that calls reach the handlers. */
function documentFor(w: World, { test: environment, ...tenant }: Tenant): string {
  const document = openApi(w.base_url) as { paths: Record<string, Record<string, { parameters?: Parameter[] }>> } // as: the part that is changed here
  const ids: Record<string, string> = {
    ...environment,
    tenant_id: tenant.tenant_id,
    project_id: tenant.project_id,
    environment_id: environment.id,
  }
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path)))
    for (const { name = '', in: place, schema } of operation.parameters ?? []) {
      const id = name === 'id' ? environment.application_id : name === 'member_id' ? tenant.member_id : ids[name]
      if (place === 'path' && schema && id !== undefined) schema.enum = [id, 'unknown']
    }
  const file = join(w.data_dir, 'openapi.json')
  writeFileSync(file, JSON.stringify(document))
  return file
}

/** It reads documents of strangers, and is 503 `metadata_busy` after too many. */
const limited = 'readMetadataClient'

interface Part {
  title: string
  /** Options that choose the operations of this part. */
  chosen: readonly string[]
  can_be_busy?: boolean
  headers: (tenant: Tenant) => Record<string, string>
}

const parts: Part[] = [
  {
    title: 'the runtime API with a secret key',
    chosen: ['--include-path-regex', '^/v1/auth/(users|sessions|tokens)'],
    headers: ({ test }) => ({ 'X-API-Key': test.secret }),
  },
  {
    title: 'the runtime API with a publishable key',
    chosen: ['--include-path-regex', '^/v1/(auth/config|api-keys)'],
    headers: ({ test }) => ({ 'X-API-Key': test.publishable, Origin: app_origin }),
  },
  {
    title: 'the platform API with a platform key',
    chosen: ['--include-path-regex', '^/v1/platform', '--exclude-operation-id', limited],
    headers: ({ platform }) => ({ 'X-API-Key': platform }),
  },
  {
    title: 'the reading of a document',
    chosen: ['--include-operation-id', limited],
    can_be_busy: true,
    headers: ({ platform }) => ({ 'X-API-Key': platform }),
  },
  {
    title: 'the API of tenants with an administrator',
    chosen: ['--include-path-regex', '^/v1/(me|lookup|tenants)'],
    headers: (tenant) => bearer(tenant.token, tenant),
  },
  {
    title: 'OpenID Connect, hosted pages and the service',
    chosen: ['--include-path-regex', '^/(e/|[.]well-known|healthz|readyz|docs|openapi|demo)'],
    headers: () => ({}),
  },
]

test('every answer is as the document says', { skip }, async (t) => {
  const w = await world()
  const { ours } = await createTwoTenants(w)
  const file = documentFor(w, ours)
  for (const part of parts) await t.test(part.title, (t) => fuzz(t, w, file, { ...part, headers: part.headers(ours) }))
})

async function fuzz(
  t: TestContext,
  w: World,
  file: string,
  { chosen, can_be_busy = false, headers }: Pick<Part, 'chosen' | 'can_be_busy'> & { headers: Record<string, string> },
): Promise<void> {
  const args = [
    ...['run', file, '--url', w.reach(w.base_url), ...chosen],
    ...['--checks', checks.filter((check) => !can_be_busy || check !== 'not_a_server_error').join(',')],
    ...[
      '--phases',
      'examples,coverage,fuzzing',
      '--max-examples',
      '4',
      '--seed',
      '20261120',
      '--generation-database',
      'none',
      '--no-color',
    ],
    ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}:${value}`]),
  ]
  const { failed, output } = await new Promise<{ failed: boolean; output: string }>((resolve) =>
    execFile(program ?? '', args, { cwd: w.data_dir, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve({ failed: error !== null, output: stdout + stderr }),
    ),
  )
  t.diagnostic(/^ *[1-9]\d* generated.*$/m.exec(output)?.[0] ?? 'no cases')
  assert.ok(!failed, output.slice(0, 20_000))
  assert.match(output, /[1-9]\d* generated/)
}
