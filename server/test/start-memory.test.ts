/** The memory of an idle process: what the start must not load (bench/RESULTS.md, Start). */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const refuse = `
  const refused = (name) => function () { throw new Error(name + ' is used while modules load. It makes an idle process 5 MB larger.') }
  for (const name of Object.getOwnPropertyNames(Intl)) if (typeof Intl[name] === 'function') Intl[name] = refused('Intl.' + name)
  for (const { prototype } of [Number, Date, BigInt, Array]) prototype.toLocaleString = refused('toLocaleString')
  for (const name of ['localeCompare', 'toLocaleLowerCase', 'toLocaleUpperCase']) String.prototype[name] = refused(name)`

test('no module of the service uses the data of a language when it is loaded', async () => {
  const main = join(import.meta.dirname, '../src/main.ts')
  const script = `${refuse}\nawait import(${JSON.stringify(main)})`
  const { stderr } = await promisify(execFile)(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    '--input-type=module',
    '--eval',
    script,
  ])
  assert.equal(stderr, '')
})
