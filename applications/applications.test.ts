/** The data of the runner: what `npm run applications` relies on before it installs anything. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { templates } from '../contract/src/application-templates/index.ts'
import { fillSetup } from '../contract/src/template-setup.ts'
import type { Product } from './product.ts'
import { products, without_packages } from './products.ts'
import { readResults } from './results.ts'
import { filled, stepsIn } from './setup.ts'

const values = { issuer: 'http://localhost:1/e/env_1', client_id: 'app_1', client_secret: 'svc_client_1', url: 'http://localhost:2' }

const partsOf = ({ files = {}, environment = [] }: Product) => [...Object.values(files).flat(), ...environment]

for (const product of products)
  test(`${product.template} has a template, exact versions and steps that its template prints`, () => {
    const template = templates.find(({ slug }) => slug === product.template)
    assert.ok(template)
    const versions = Object.entries({ ...product.pypi, ...product.npm, ...product.go, ...product.maven })
    for (const [name, version] of versions) assert.match(version, /^\d+(\.\d+)+$/, name)
    assert.ok([...versions.map(([name]) => name), ...(product.debian ?? [])].includes(product.version_of))
    const steps = partsOf(product).flatMap((part) => ('setup' in part ? [part.setup] : []))
    assert.ok(steps.length > 0 && steps.every((step) => step in template.setup), 'the product is set up by its template')
    const own = partsOf(product).flatMap((part) => ('own' in part ? [part.own] : []))
    assert.doesNotMatch(own.join('\n'), /\{(issuer|client_id|client_secret)\}/, 'what the service gave comes from the template alone')
  })

test('no product is listed twice, and one without packages has a template', () => {
  const names = [...products.map(({ template }) => template), ...Object.keys(without_packages)]
  assert.equal(new Set(names).size, names.length)
  for (const name of names) assert.ok(templates.some(({ slug }) => slug === name))
})

for (const template of templates)
  test(`the setup of ${template.slug} is found in what the command prints`, () => {
    const steps = template.setup.map((step) => ({ title: step.title, text: fillSetup(step, values) }))
    const notes = template.notes.map((note) => `- ${note}\n`).join('')
    const printed = `id  app_1\n${steps.map(({ title, text }) => `\n# ${title}\n${text}\n`).join('')}${notes && `\n${notes}`}`
    assert.deepEqual(
      stepsIn(printed, template).map((text) => text.trimEnd()),
      steps.map(({ text }) => text.trimEnd()),
    )
  })

test('tried of a template and the results of the runner are of one run', () => {
  const tried = templates.flatMap(({ slug, tried }) => (tried === null ? [] : [{ slug, ...tried }]))
  assert.deepEqual(
    tried.toSorted((a, b) => (a.slug < b.slug ? -1 : 1)),
    readResults().map(({ slug, version, at }) => ({ slug, version, at })),
  )
})

test('places of values are filled, and other braces stay', () => {
  assert.equal(filled('listen {port} on {folder} for f"{user}" {{ x }}', { port: 1, folder: '/f' }), 'listen 1 on /f for f"{user}" {{ x }}')
})
