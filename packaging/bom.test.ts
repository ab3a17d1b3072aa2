import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Bom, bomOf, licenceList } from './bom.ts'

const component = (name: string, id: string, ref = name) => ({
  'bom-ref': `${ref}@1.0.0`,
  name,
  version: '1.0.0',
  licenses: [{ license: { id } }],
})
const all: Bom = {
  metadata: { component: component('clone-folder', 'Apache-2.0', 'ostiary') },
  components: [
    component('cli', 'Apache-2.0', '@ostiary/cli'),
    component('direct', 'MIT'),
    component('indirect', 'ISC'),
    component('circle', 'MIT'),
    component('for-tests', 'GPL-3.0'),
    component('native-windows', 'MIT'),
  ],
  dependencies: [
    { ref: '@ostiary/cli@1.0.0', dependsOn: ['direct@1.0.0', 'for-tests@1.0.0'] },
    { ref: 'direct@1.0.0', dependsOn: ['indirect@1.0.0', 'native-windows@1.0.0'] },
    { ref: 'indirect@1.0.0', dependsOn: ['circle@1.0.0'] },
    { ref: 'circle@1.0.0', dependsOn: ['indirect@1.0.0'] },
  ],
}
const bom = bomOf(all, ['@ostiary/cli', '@ostiary/absent'], (_, name) => name !== 'for-tests' && name !== 'native-windows')

test('a bill of materials has what the released packages need, directly and through others, and nothing else', () => {
  assert.deepEqual(
    bom.components.map(({ name }) => name),
    ['cli', 'direct', 'indirect', 'circle'],
  )
  assert.equal(bom.metadata.component.name, 'ostiary')
})

test('every dependency in it refers to a component in it', () => {
  const refs = [...bom.components, bom.metadata.component].map((each) => each['bom-ref'])
  for (const { ref, dependsOn } of bom.dependencies) for (const each of [ref, ...dependsOn]) assert.ok(refs.includes(each), each)
})

test('the list of licences has each foreign package with its licence and its text', () => {
  const list = licenceList(bom, (name) => (name === 'circle' ? '' : `Text of ${name}`))
  assert.match(list, /^circle 1\.0\.0: MIT\ndirect 1\.0\.0: MIT\nindirect 1\.0\.0: ISC$/m)
  assert.match(list, /Text of direct/)
  assert.match(list, /The package has no text of its licence/)
  assert.doesNotMatch(list, /cli/)
})
