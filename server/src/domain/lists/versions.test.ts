import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeVersioned } from './versions.ts'

for (const if_match of [null, new Set(['"1"'])])
  test(`a change that another change came before is tried again while the version stays, ${if_match ? 'with' : 'without'} If-Match`, async () => {
    let tries = 0
    const write = async () => (++tries < 3 ? null : 'written')
    assert.equal(await changeVersioned(if_match, async () => ({ version: 1 }), write), 'written')
    assert.equal(tries, 3)
  })

test('a change with If-Match is refused once another change has raised the version', async () => {
  let version = 1
  const raise = async () => {
    version++
    return null
  }
  await assert.rejects(
    changeVersioned(new Set(['"1"']), async () => ({ version }), raise),
    { code: 'stale_version' },
  )
  assert.equal(version, 2)
})

test('a change with If-Match is 404 once the object is deleted', async () => {
  let object: { version: number } | null = { version: 1 }
  const remove = async () => {
    object = null
    return null
  }
  await assert.rejects(
    changeVersioned(new Set(['"1"']), async () => object, remove),
    { code: 'not_found' },
  )
})
