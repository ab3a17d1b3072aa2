/** A client generated from the OpenAPI document: its types compile, and its calls work. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { world } from './support/world.ts'

const w = await world()
// Within the repository, so that the client finds openapi-fetch.
const folder = mkdtempSync(join(import.meta.dirname, '../../node_modules/.typed-client-'))
after(() => rmSync(folder, { recursive: true }))

const client = `
import createClient from 'openapi-fetch'
import type { components, paths } from './types.ts'

export async function setUp(baseUrl: string, key: string): Promise<{ slug: string; types: ('test' | 'live')[]; code: string | undefined }> {
  const api = createClient<paths>({ baseUrl, headers: { 'X-API-Key': key } })
  const made = await api.POST('/v1/platform/projects', { body: { slug: 'typed', name: 'Typed' } })
  if (!made.data) throw new Error(made.error.detail)
  const project: components['schemas']['Project'] = made.data
  const list = await api.GET('/v1/platform/projects/{project_id}/environments', {
    params: { path: { project_id: project.id }, query: { limit: 10 } },
  })
  const again = await api.POST('/v1/platform/projects', { body: { slug: 'typed', name: 'Typed' } })
  return { slug: project.slug, types: (list.data?.data ?? []).map(({ type }) => type).sort(), code: again.error?.code }
}
`

const wrong = `
import createClient from 'openapi-fetch'
import type { paths } from './types.ts'
const api = createClient<paths>({ baseUrl: '' })
await api.POST('/v1/platform/projects', { body: { slug: 'typed', name: 7 } })
await api.GET('/v1/platform/project')
`

/** The type errors of a file. */
function typeErrors(file: string): string[] {
  const program = ts.createProgram([file], {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    allowImportingTsExtensions: true,
    types: [],
    lib: ['lib.es2024.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  })
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

test('the generated types compile, accept right calls and refuse wrong ones', async () => {
  const { body: document } = await w.call('GET', '/openapi.json', { key: null })
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'types.ts'), astToString(await openapiTS(document)))
  writeFileSync(join(folder, 'client.ts'), client)
  writeFileSync(join(folder, 'wrong.ts'), wrong)
  assert.deepEqual(typeErrors(join(folder, 'client.ts')), [])
  assert.equal(typeErrors(join(folder, 'wrong.ts')).length, 2)
})

test('the generated client works against the service', async () => {
  // Node strips no types below node_modules.
  const { outputText } = ts.transpileModule(client, { compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2024 } })
  writeFileSync(join(folder, 'client.js'), outputText)
  const { setUp } = await import(pathToFileURL(join(folder, 'client.js')).href)
  assert.deepEqual(await setUp(w.reach(w.base_url), w.key), { slug: 'typed', types: ['live', 'test'], code: 'slug_taken' })
})
