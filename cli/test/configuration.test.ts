/** `ostiary pull`, against a running service: the file that it writes, and what it leaves alone. */
import assert from 'node:assert/strict'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { administratorToken } from '../../server/test/support/administrator.ts'
import { createPlatformKey } from '../../server/test/support/tenants.ts'
import { expectStatus, owner, world } from '../../server/test/support/world.ts'
import { readYaml } from '../src/client/configuration/yaml-read.ts'
import { openClient } from './support/terminal-of-client.ts'

const w = await world()
const client = openClient(w)
const ostiary = (words: readonly string[], options = {}) => client.ostiary(words, { key: w.key, ...options })
const inTest = ['--project', 'shop', '--env', 'test']
const folder = mkdtempSync(join(tmpdir(), 'ostiary-configuration-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const at = (name: string) => join(folder, name)

// biome-ignore format: this table is read by column
const mistaken = [
  ['true', '- a'], ['123', '#1'], ['0x1f', '"quoted"'], ['no', "it's"], ['00', 'a: b'], ['1e3', '🦀 & co'],
]
for (const [slug = '', name = ''] of mistaken) await w.createApplication(w.test, { slug, name })
const provider = { slug: 'google', type: 'google', client_id: '123.apps', client_secret: 'hunter2' }
expectStatus(201, await w.call('POST', `${w.test.path}/providers`, { body: provider }))
const shown = async () => expectStatus(200, await w.call('GET', `${w.test.path}/configuration`))

test('pull writes the whole configuration as YAML, with its schema, without a secret', async () => {
  const file = at('fresh.yaml')
  const { code, out, err } = await ostiary(['pull', '--file', file, ...inTest])
  assert.deepEqual([code, out, err], [0, '', `${file} has the configuration of test.\n`])
  const text = readFileSync(file, 'utf8')
  assert.match(
    text,
    /^# yaml-language-server: \$schema=http:\S+\/schemas\/configuration-1\.json\nversion: 1\nenvironment: test\nsettings:\n/,
  )
  assert.match(text, /[^\n]\n$/)
  assert.doesNotMatch(text, /hunter2|[ \t]\n/)
  const read = readYaml(text)
  assert.deepEqual('file' in read && read.file.value, await shown())
  assert.equal((await ostiary(['pull', ...inTest])).out, text)
  assert.equal((await ostiary(['pull', '--file', '-', ...inTest])).out, text)
  assert.deepEqual(JSON.parse((await ostiary(['pull', '--json', ...inTest])).out), await shown())
  assert.match((await ostiary(['pull', '--file', file, ...inTest])).err, /is up to date\.\n$/)
})

test('pull into a file keeps comments, the mode of the file and the link to it, and leaves nothing beside it', async () => {
  const place = at('repository')
  mkdirSync(place)
  const file = join(place, 'configuration.yaml')
  const text = `# ours\nversion: 1\nproviders:\n  google: {type: google, client_id: 123.apps, client_secret: "\${OSTIARY_SECRET_OURS}"} # keep\n`
  writeFileSync(file, text)
  chmodSync(file, 0o640)
  symlinkSync(file, at('link.yaml'))
  assert.equal((await ostiary(['pull', '--file', at('link.yaml'), ...inTest])).code, 0)
  assert.ok(lstatSync(at('link.yaml')).isSymbolicLink())
  assert.equal(statSync(file).mode & 0o777, 0o640)
  assert.ok(readFileSync(file, 'utf8').startsWith(text.slice(0, text.indexOf('providers'))))
  assert.match(
    readFileSync(file, 'utf8'),
    /\n {2}google: \{type: google, client_id: 123\.apps, client_secret: "\$\{OSTIARY_SECRET_OURS\}"\} # keep\n/,
  )
  assert.deepEqual(readdirSync(place), ['configuration.yaml'])
  assert.equal((await ostiary(['pull', '--fresh', '--file', file, ...inTest])).code, 0)
  assert.equal(readFileSync(file, 'utf8'), readFileSync(at('fresh.yaml'), 'utf8'))
})

const huge = Buffer.alloc(1_048_577, '# \n')

// biome-ignore format: this table is read by column
const files: [why: string, content: string | Buffer, code: number, err: RegExp][] = [
  ['a broken file',                     'version: 1\n\tsettings: {}',                     2, /^\S+:2:1: A tab stands here\. .*\n$/],
  ['a file of another environment',     'version: 1\nenvironment: live\n',                2, /^\S+:2:14: This is the file of another environment than test\./],
  ['a version to come',                 'version: 2\n',                                   2, /^\S+:1:10: The version is 1\.\n$/],
  ['a file of something else',          '- a\n',                                          2, /^\S+:1:1: A configuration is a map/],
  ['a file without a known key',        'services:\n  web: {}\n',                         2, /^\S+:1:1: This place is written in a form .* --fresh\.\n$/],
  ['a file of other bytes',             Buffer.from('a: 1\nb: \xff\n', 'latin1'),         2, /^\S+:2:4: This is not UTF-8\.\n$/],
  ['a file of 1 MiB and a byte',        huge,                                             2, /^\S+ is larger than 1 MiB\.\n$/],
]
for (const [why, content, code, err] of files)
  test(`pull leaves ${why} alone`, async () => {
    writeFileSync(at('other.yaml'), content)
    const result = await ostiary(['pull', '--file', at('other.yaml'), ...inTest])
    assert.equal(result.code, code)
    assert.match(result.err, err)
    assert.deepEqual(readFileSync(at('other.yaml')), Buffer.from(content))
  })

test('a file of comments, or of nothing, gets the configuration below them', async () => {
  for (const content of ['# ours\n', '']) {
    writeFileSync(at('comments.yaml'), content)
    assert.equal((await ostiary(['pull', '--file', at('comments.yaml'), ...inTest])).code, 0)
    assert.equal(readFileSync(at('comments.yaml'), 'utf8'), content + readFileSync(at('fresh.yaml'), 'utf8'))
  }
})

symlinkSync(at('nothing'), at('dangling'))

// biome-ignore format: this table is read by column
const refused: [words: string[], code: number, err: RegExp][] = [
  [['--file', folder],                              2, / cannot be read: it is a folder\.\n$/],
  [['--file', at('dangling')],                      2, / cannot be read: there is no such file/],
  [['--fresh', '--file', at('dangling')],           1, / is a link to nothing\.\n$/],
  [['--fresh', '--file', '/dev/null'],              1, /^\/dev\/null is not a file\.\n$/],
  [['--file', at('none/a.yaml')],                   1, / cannot be written: there is no such file or folder\.\n$/],
  [['--file', at('a\u001b[31m\n/b.yaml')],          1, /\/a\\u\{001b\}\[31m\\u\{000a\}\/b\.yaml cannot be written/],
  [['--file', at('a\0b')],                          2, / cannot be read/],
  [['--file', at('a'.repeat(300))],                 2, / cannot be read: its name is too long\.\n$/],
  [['--file', ''],                                  2, /^--file takes the name of a file\.\n$/],
  [['--file', 'a', '--json'],                       2, /^--json prints the document, and --file writes it\./],
  [['--project', 'none'],                           1, /^There is no project "none"\.\n$/],
]
for (const [words, code, err] of refused)
  test(`pull ${words.join(' ').replaceAll(folder, '…')} exits with ${code}`, async () => {
    const scope = words[0] === '--project' ? ['--env', 'test'] : inTest
    const result = await ostiary(['pull', ...words, ...scope])
    assert.equal(result.code, code, result.err)
    assert.match(result.err, err)
    assert.equal(result.out, '')
  })

test('a key without the scopes of a document is refused, with the command that says more', async () => {
  const scopes = ['projects:read', 'environments:read']
  const { key } = await createPlatformKey(w, { tenant_id: w.tenant_id, token: await administratorToken(w, owner) }, { scopes })
  const { code, err } = await ostiary(['pull', '--file', at('never.yaml'), ...inTest], { key })
  assert.equal(code, 1)
  assert.match(err, /^Insufficient scope \(insufficient_scope\): .*\n {2}needed: .*applications:read/)
  assert.match(err, /More: ostiary requests get req_\w+ --project shop --env test\n$/)
  assert.ok(!readdirSync(folder).includes('never.yaml'))
})
