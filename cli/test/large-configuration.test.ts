/** As many applications as an environment has at most, with five addresses each: applied, pulled, and pulled again into a file with comments. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { world } from '../../server/test/support/world.ts'
import { openClient } from './support/terminal-of-client.ts'

const w = await world()
const client = openClient(w)
const ostiary = (words: readonly string[]) => client.ostiary(words, { key: w.key })
const inTest = ['--project', 'shop', '--env', 'test']
const folder = mkdtempSync(join(tmpdir(), 'ostiary-large-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const addresses = (slug: string) => Array.from({ length: 5 }, (_, i) => `https://${slug}.example.com/callback/${i}`)
const slugs = Array.from({ length: 1_000 }, (_, i) => `app-${String(i).padStart(4, '0')}`)

test('1,000 applications with five addresses each are applied and pulled, and a file keeps its comments', async () => {
  const file = join(folder, 'configuration.yaml')
  const applications = slugs.map(
    (slug) => `  ${slug}: {application_type: web, name: ${slug}, redirect_uris: [${addresses(slug).join(', ')}]}\n`,
  )
  writeFileSync(file, `version: 1\nenvironment: test\napplications:\n${applications.join('')}`)
  const applied = await ostiary(['apply', '--file', file, '--yes', ...inTest])
  assert.equal(applied.code, 0, applied.err)

  const fresh = join(folder, 'fresh.yaml')
  const pulled = await ostiary(['pull', '--file', fresh, ...inTest])
  assert.equal(pulled.code, 0, pulled.err)
  const text = readFileSync(fresh, 'utf8')
  for (const slug of slugs) for (const address of addresses(slug)) assert.ok(text.includes(address), address)
  assert.equal((await ostiary(['diff', '--file', fresh, ...inTest])).code, 0)

  const commented = text.replace(/^ {2}app-/gm, '  # of the shop\n\n  app-').replace('name: app-0500', 'name: another')
  writeFileSync(fresh, commented)
  const again = await ostiary(['pull', '--file', fresh, ...inTest])
  assert.equal(again.code, 0, again.err)
  assert.equal(readFileSync(fresh, 'utf8'), commented.replace('name: another', 'name: app-0500'))
})
