/** The configuration of an environment as a file, against a running service: pull, diff, apply and promote. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
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
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../server/src/db/db.ts'
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

test('a file keeps the byte order mark that it begins with, and places do not count it', async () => {
  const file = at('marked.yaml')
  const marked = (text: string) => Buffer.from(`\ufeff${text}`)
  writeFileSync(file, marked('version: 1\nproviders: {}\n'))
  assert.equal((await ostiary(['pull', '--file', file, ...inTest])).code, 0)
  const bytes = readFileSync(file)
  assert.deepEqual([...bytes.subarray(0, 12)], [...marked('version: ')])
  assert.match((await ostiary(['pull', '--file', file, ...inTest])).err, /is up to date\.\n$/)
  assert.deepEqual(readFileSync(file), bytes)
  assert.equal((await ostiary(['diff', '--file', file, ...inTest])).code, 0)
  assert.equal((await ostiary(['pull', '--fresh', '--file', file, ...inTest])).code, 0)
  assert.deepEqual(readFileSync(file), readFileSync(at('fresh.yaml')))
  writeFileSync(file, marked('version: 2\n'))
  assert.match((await ostiary(['pull', '--file', file, ...inTest])).err, /marked\.yaml:1:10: The version is 1\.\n$/)
})

const huge = Buffer.alloc(4_194_305, '# \n')

// biome-ignore format: this table is read by column
const files: [why: string, content: string | Buffer, code: number, err: RegExp][] = [
  ['a broken file',                     'version: 1\n\tsettings: {}',                     2, /^\S+:2:1: A tab stands here\. .*\n$/],
  ['a file of another environment',     'version: 1\nenvironment: live\n',                2, /^\S+:2:14: This is the file of another environment than test\./],
  ['a version to come',                 'version: 2\n',                                   2, /^\S+:1:10: The version is 1\.\n$/],
  ['a file of something else',          '- a\n',                                          2, /^\S+:1:1: A configuration is a map/],
  ['a file without a known key',        'services:\n  web: {}\n',                         2, /^\S+:1:1: This place is written in a form .* --fresh\.\n$/],
  ['a file of other bytes',             Buffer.from('a: 1\nb: \xff\n', 'latin1'),         2, /^\S+:2:4: This is not UTF-8\.\n$/],
  ['a file of 4 MiB and a byte',        huge,                                             2, /^\S+:1398102:2: The file has 4,194,305 bytes\. The limit is 4 MiB \(4,194,304\)\.\n$/],
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
  const fresh = readFileSync(at('fresh.yaml'), 'utf8')
  for (const [content, expected] of [
    ['# ours\n', `# ours\n${fresh}`],
    ['', fresh],
    ['# ours', `# ours\n${fresh}`],
    ['# ours\r\n# too', `# ours\r\n# too\r\n${fresh.replaceAll('\n', '\r\n')}`],
  ] as const) {
    writeFileSync(at('comments.yaml'), content)
    assert.equal((await ostiary(['pull', '--file', at('comments.yaml'), ...inTest])).code, 0)
    assert.equal(readFileSync(at('comments.yaml'), 'utf8'), expected)
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
  [['--project', 'none'],                           1, /^There is no project "none"\. There is "shop"\. "ostiary projects list" lists them\.\n$/],
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

const settingsOf = async (e: { path: string }) => expectStatus(200, await w.call('GET', `${e.path}/settings`))
const eventsOf = async ({ id }: { id: string }) =>
  (await w.deployment.db.all(z.object({ id: z.string() }), sql`select id from events where environment_id = ${id} order by id`)).length
const versionOf = async (e: { path: string }) => expectStatus(200, await w.call('GET', e.path)).config_version
const promotions_path = `/v1/platform/projects/${w.project.id}/promotions`
const promotions = async () => expectStatus(200, await w.call('GET', `${promotions_path}?limit=100`)).data
const inLive = ['--project', 'shop', '--env', 'live']
const written = (name: string, content: string | Buffer) => {
  writeFileSync(at(name), content)
  return at(name)
}
const secrets = { OSTIARY_SECRET_GOOGLE: 'hunter2-hunter2' }

test('a file that pull wrote has no difference, and one that differs shows the plan in words, and stores nothing', async () => {
  const before = await promotions()
  assert.deepEqual(await ostiary(['diff', '--file', at('fresh.yaml'), ...inTest]), { code: 0, out: 'test: nothing to change\n', err: '' })
  const file = written(
    'differs.yaml',
    `version: 1\nenvironment: test\nsettings: {password: {min_length: 16}}\napplications:\n  "123": {redirect_uris: [https://b.test/cb]}\n  new: {application_type: spa, name: New, redirect_uris: [https://n.test/cb]}\n`,
  )
  const { code, out } = await ostiary(['diff', '--file', file, ...inTest])
  assert.equal(code, 3)
  assert.match(out, /^test: 1 to create, 2 to change\n/)
  assert.match(out, /^~ settings\n {4}password\.min_length {2}12 → 16\n/m)
  assert.match(out, /^~ application 123\n {4}redirect_uris {2}\+ https:\/\/b\.test\/cb {2}- \S+\n/m)
  assert.match(out, /^\+ application new\n/m)
  const json = await ostiary(['diff', '--file', '-', '--json', ...inTest], { input: readFileSync(file, 'utf8') })
  assert.deepEqual([json.code, JSON.parse(json.out).id, JSON.parse(json.out).changes.length], [3, null, 3])
  assert.deepEqual(await promotions(), before)
})

// biome-ignore format: this table is read by column
const wrong: [why: string, content: string | Buffer, code: number, err: RegExp][] = [
  ['a value out of range',      'version: 1\nsettings:\n  password: {min_length: 7}\n',                                      2, /^\S+:3:26: \/settings\/password\/min_length: /],
  ['an unknown field',          'version: 1\napplications:\n  "123": {nmae: x}\n',                                           2, /^\S+:3:17: \/applications\/123\/nmae: /],
  ['a number as text',          'version: 1\napplications:\n  "123":\n    name: 123\n',                                      2, /^\S+:4:11: .* If it is text, write it in quotes\.\n$/],
  ['an unknown section',        'version: 1\nusers:\n  a: {}\n',                                                             2, /^\S+:2:1: \/users: /],
  ['a missing field',           'version: 1\napplications:\n  fresh:\n    application_type: spa\n    name: x\n',              2, /^\S+:3:3: \/applications\/fresh\/redirect_uris: /],
  ['a version to come',         'version: 2\n',                                                                              2, /^\S+:1:10: \/version: /],
  ['a secret in the clear',     'version: 1\nproviders:\n  google:\n    client_secret: hunter2\n',                            2, /^\S+:4:20: \/providers\/google\/client_secret: /],
  ['a foreign variable',        `version: 1\nproviders:\n  google:\n    client_secret: \${HOME}\n`,                            2, /^\S+:4:20: /],
  ['a broken file',             'version: 1\na: [\n',                                                                        2, /^\S+:\d:\d: /],
  ['something else',            '- 1\n',                                                                                     2, /^\S+:1:1: A configuration is a map/],
  ['a tab as indentation',      'version: 1\nsettings:\n\tmfa: {}\n',                                                        2, /^\S+:3:1: .*tab/],
  ['an open quote',             'version: 1\nenvironment: "test\n',                                                          2, /^\S+:3:1: .*quote/],
  ['a duplicate key',           'version: 1\nproviders: {}\nproviders: {}\n',                                                2, /^\S+:3:1: .*second time/],
  ['a tag',                     'version: !!int 1\n',                                                                        2, /^\S+:1:10: Tags/],
  ['a merge key',               'version: 1\nwebhooks:\n  a: &a {url: https://a.test}\n  b: {<<: *a}\n',                      2, /^\S+:4:7: Merge/],
  ['an alias bomb',             ['a: &a [x, x, x, x, x, x, x, x, x, x]', ...'bcdefgh'.split('').map((name, i) => `${name}: &${name} [${Array(10).fill(`*${'abcdefg'[i]}`).join(', ')}]`)].join('\n'), 2, /^\S+:1:1: With its aliases the file has .* The limit is 200,000\./],
  ['two documents',             'version: 1\n---\nversion: 1\n',                                                            2, /^\S+:2:1: A second document/],
  ['__proto__',                 'version: 1\nwebhooks:\n  __proto__: {url: https://a.test}\n',                               2, /^\S+:3:3: No field/],
  ['a number where a list is',  'version: 1\nwebhooks:\n  w: {url: https://a.test, events: 5}\n',                            2, /^\S+:3:36: \/webhooks\/w\/events: /],
  ['a text where a switch is',  'version: 1\nsettings: {sign_in: {password: "yes"}}\n',                                      2, /^\S+:2:32: \/settings\/sign_in\/password: /],
  ['a secret of the mail in the clear', 'version: 1\nsettings:\n  email:\n    smtp:\n      password: hunter2\n',             2, /^\S+:5:17: \/settings\/email\/smtp\/password: /],
  ['a lower-case secret name',  `version: 1\nproviders:\n  google:\n    client_secret: \${ostiary_secret_google}\n`,           2, /^\S+:4:20: /],
  ['an unknown scope of no one', 'version: 1\napplications:\n  "123": {allowed_scopes: [openid, none]}\n',                   1, /^\S+:3:36: error: .*unknown_scope/],
  ['other bytes than UTF-8',    Buffer.from('version: 1\nenvironment: \xff\n', 'latin1'),                                    2, /^\S+:2:14: This is not UTF-8\.\n$/],
  ['4 MiB and a byte',          huge,                                                                                        2, /:\d+:\d+: The file has 4,194,305 bytes\. The limit is 4 MiB/],
]
for (const [why, text, code, err] of wrong)
  for (const command of ['diff', 'apply'])
    test(`${command} of a file with ${why} names its place, changes nothing, and never shows a secret`, async () => {
      const before = [await versionOf(w.test), (await promotions()).length]
      const result = await ostiary([command, '--file', written('wrong.yaml', text), ...inTest, ...(command === 'apply' ? ['--yes'] : [])])
      assert.equal(result.code, code, result.err)
      assert.match(result.err, err)
      assert.doesNotMatch(result.err + result.out, /hunter2/)
      assert.deepEqual([await versionOf(w.test), (await promotions()).length], before)
    })

test('apply changes the environment with --yes or after a question, and a second time raises no version and no event', async () => {
  const file = written('apply.yaml', 'version: 1\nsettings: {password: {min_length: 15}}\n')
  const before = await versionOf(w.test)
  const unanswered = await ostiary(['apply', '--file', file, ...inTest])
  assert.deepEqual([unanswered.code, unanswered.err], [2, 'Nothing was changed. --yes makes the changes without a question.\n'])
  const no = await ostiary(['apply', '--file', file, ...inTest], { is_interactive: true, input: 'n\n' })
  assert.deepEqual([no.code, no.err], [3, 'Change test? [y/N] Nothing was changed.\n'])
  const json = await ostiary(['apply', '--json', '--file', file, ...inTest], { is_interactive: true, input: 'n\n' })
  assert.match(json.err, /^test: 1 to change\n~ settings\n {4}password\.min_length {2}12 → 15\nChange test\? \[y\/N\] /)
  assert.equal(JSON.parse(json.out).changes.length, 1)
  assert.equal(await versionOf(w.test), before)
  assert.equal((await ostiary(['apply', '--file', file, ...inTest], { is_interactive: true, input: 'y\n' })).code, 0)
  assert.deepEqual([(await settingsOf(w.test)).password.min_length, await versionOf(w.test)], [15, before + 1])
  const events = await eventsOf(w.test)
  assert.equal((await ostiary(['apply', '--file', file, '--yes', ...inTest])).code, 0)
  assert.deepEqual([await versionOf(w.test), await eventsOf(w.test)], [before + 1, events])
  const stdin = await ostiary(['apply', '--file', '-', ...inTest], {
    is_interactive: true,
    input: 'version: 1\nsettings: {password: {min_length: 12}}\n',
  })
  assert.equal(stdin.code, 2)
})

test('a pulled file gives an empty environment the same configuration, byte for byte', async () => {
  expectStatus(
    201,
    await w.call('POST', `/v1/platform/projects/${w.project.id}/environments`, { body: { slug: 'copy', name: 'Copy', type: 'test' } }),
  )
  const inCopy = ['--project', 'shop', '--env', 'copy']
  const text = (await ostiary(['pull', ...inTest])).out
  const file = written(
    'copy.yaml',
    text.replace('environment: test\n', 'environment: copy\n').replaceAll(/"\$\{OSTIARY_SECRET_\w+\}"/g, `"\${OSTIARY_SECRET_GOOGLE}"`),
  )
  const { code, out, err } = await ostiary(['apply', '--file', file, '--yes', '--json', ...inCopy], { secrets })
  assert.equal(code, 0, err)
  assert.doesNotMatch(out, /hunter2/)
  assert.equal((await ostiary(['pull', ...inCopy])).out.replace('environment: copy\n', 'environment: test\n'), text)
  assert.equal((await ostiary(['diff', '--file', file, ...inCopy])).code, 0)
  const made = JSON.parse(out).secrets
  assert.equal(made.length, mistaken.length)
})

test('the value of a secret comes from its variable: needed once, then the stored one stays', async () => {
  const file = written(
    'secret.yaml',
    `version: 1\nproviders:\n  partner:\n    type: google\n    client_id: x\n    client_secret: \${OSTIARY_SECRET_GOOGLE}\n`,
  )
  const missing = await ostiary(['apply', '--file', file, '--yes', ...inTest])
  assert.equal(missing.code, 2)
  assert.ok(missing.err.includes(`${file}:6:20: The variable OSTIARY_SECRET_GOOGLE is not set, and no such secret is stored.`), missing.err)
  assert.equal((await ostiary(['apply', '--file', file, '--yes', ...inTest], { secrets })).code, 0)
  writeFileSync(file, readFileSync(file, 'utf8').replace('client_id: x', 'client_id: z'))
  const stays = await ostiary(['apply', '--file', file, '--yes', ...inTest])
  assert.equal(stays.code, 0, stays.err)
  assert.match(stays.err, /secret\.yaml:6:20: OSTIARY_SECRET_GOOGLE is not set, so the stored secret stays\.\n/)
  const version = await versionOf(w.test)
  assert.equal((await ostiary(['apply', '--file', file, '--yes', ...inTest], { secrets })).code, 0)
  assert.equal(await versionOf(w.test), version, 'an equal secret changes nothing')
  const unasked = await ostiary(['apply', '--file', file, ...inTest], { secrets, is_interactive: true, input: 'y\n' })
  assert.deepEqual([unasked.code, unasked.err], [0, 'Nothing was changed. Secrets are compared with --yes only.\n'])
})

test('a plan that deletes in Live wants the word of the environment, beside --yes or typed', async () => {
  const inLive = ['--project', 'shop', '--env', 'live']
  await w.createApplication(w.live, { slug: 'old' })
  const count = async () => expectStatus(200, await w.call('GET', `${w.live.path}/applications`)).data.length
  const before = await count()
  const file = written('live.yaml', 'version: 1\nenvironment: live\napplications: {}\n')
  const call = ['apply', '--prune', '--file', file, ...inLive]
  for (const args of [['--yes'], ['--yes', '--confirm', 'test']]) {
    const refused = await ostiary([...call, ...args])
    assert.deepEqual(
      [refused.code, /\nRepeat the command with --confirm live to do it\. Nothing was changed\.\n$/.test(refused.err)],
      [2, true],
    )
  }
  assert.equal((await ostiary(call, { is_interactive: true, input: 'y\n' })).code, 1)
  assert.equal(await count(), before)
  const done = await ostiary([...call, '--yes', '--confirm', 'live'])
  assert.equal(done.code, 0, done.err)
  assert.equal(await count(), 0)
})

test('--prune deletes what the sections of the file lack, by a file of the environment itself', async () => {
  await w.createApplication(w.test, { slug: 'spare' })
  const keep = mistaken.map(([slug]) => `  "${slug}": {}\n`).join('')
  const file = written('prune.yaml', `version: 1\napplications:\n${keep}`)
  assert.equal((await ostiary(['diff', '--file', file, ...inTest])).code, 0)
  const { code, out, err } = await ostiary(['apply', '--prune', '--yes', '--file', file, ...inTest])
  assert.deepEqual([code, /^- application spare$/m.test(out)], [0, true], err)
  const foreign = await ostiary(['diff', '--prune', '--file', written('foreign.yaml', 'version: 1\nenvironment: live\n'), ...inTest])
  assert.deepEqual([foreign.code, /:2:14: --prune deletes by a file of test itself\.\n$/.test(foreign.err)], [2, true])
})

test('promote names the values that are missing, takes them from a file, and shows a new secret once', async () => {
  const only = ['--only', 'application/123']
  const blocked = await ostiary(['promote', 'test', 'live', ...only, '--yes', '--project', 'shop'])
  assert.equal(blocked.code, 1)
  assert.match(blocked.err, /^error: application 123 redirect_uris: .* \(value_required\)$/m)
  assert.match(
    blocked.err,
    /^Fill in the values for live, and give them with --values FILE:\n\napplications:\n {2}"123":\n {4}redirect_uris:\n$/m,
  )
  const wrong_values = written('values.yaml', 'applications:\n  "123":\n    name: x\n')
  const refused_values = await ostiary(['promote', 'test', 'live', ...only, '--values', wrong_values, '--project', 'shop'])
  assert.deepEqual(
    [refused_values.code, /^\S+values\.yaml:3:11: \/applications\/123\/name: /.test(refused_values.err)],
    [2, true],
    refused_values.err,
  )
  const values = ['--values', written('values.yaml', 'applications:\n  "123":\n    redirect_uris: [https://shop.example.com/cb]\n')]
  assert.equal((await ostiary(['promote', 'test', 'live', ...only, ...values, '--project', 'shop'])).code, 3)
  const of_live = ['--values', written('of-live.yaml', `environment: live\n${readFileSync(at('values.yaml'), 'utf8')}`)]
  const by_ids = await ostiary(['promote', w.test.id, w.live.id, ...only, ...of_live, '--project', 'shop'])
  assert.deepEqual([by_ids.code, by_ids.out.split('\n')[0]], [3, 'live: 1 to create'], by_ids.err)
  const of_test = ['--values', written('of-test.yaml', 'environment: test\n')]
  const other = await ostiary(['promote', w.test.id, w.live.id, ...only, ...of_test, '--project', 'shop'])
  assert.deepEqual([other.code, /:1:14: These are values of another environment than live\.\n$/.test(other.err)], [2, true], other.err)
  const { code, out, err } = await ostiary(['promote', 'test', 'live', ...only, ...values, '--yes', '--note', 'v1', '--project', 'shop'])
  assert.equal(code, 0, err)
  assert.match(out, /^application 123 {2}client_secret {2}\S{20,}$/m)
  assert.match(err, /^These secrets are shown once\. Keep them now\.$/m)
  assert.equal((await promotions())[0].note, 'v1')
  assert.equal((await ostiary(['promote', 'test', 'live', ...only, '--project', 'shop'])).code, 0)
  assert.equal((await ostiary(['promote', 'test', 'live', '--only', 'shop', '--project', 'shop'])).code, 2)
})

test('what was edited there stops a promotion, and --overwrite replaces it', async () => {
  const list = expectStatus(200, await w.call('GET', `${w.live.path}/applications?slug=123`))
  expectStatus(200, await w.call('PATCH', `${w.live.path}/applications/${list.data[0].id}`, { body: { name: 'Edited' } }))
  const promote = ['promote', 'test', 'live', '--only', 'application/123', '--yes', '--project', 'shop']
  const stopped = await ostiary(promote)
  assert.deepEqual([stopped.code, /edited_there[\s\S]*--overwrite replaces/.test(stopped.err)], [3, true], stopped.err)
  assert.equal((await ostiary([...promote, '--overwrite'])).code, 0)
})

test('a change of Live needs --env live, and an approval where the project asks for one', async () => {
  const live = openClient(w)
  assert.equal(
    (await ostiary(['apply', '--file', written('live.yaml', 'version: 1\nsettings: {mfa: {mode: optional}}\n'), '--project', 'shop'])).code,
    2,
  )
  await w.deployment.db.run(sql`update projects set promotion = '{"require_approval":true}' where id = ${w.project.id}`)
  const { code, out, err } = await live.ostiary(['apply', '--file', at('live.yaml'), '--yes', '--json', ...inLive], { key: w.key })
  const { id, status } = JSON.parse(out)
  assert.deepEqual([code, status], [3, 'planned'])
  assert.ok(err.includes(`/dashboard/go/${id}\nThen run: ostiary promotions apply ${id} --project shop\n`), err)
  expectStatus(201, await w.call('POST', `${w.live.path}/providers`, { body: provider }))
  const before = await promotions()
  const same = written('same.yaml', `version: 1\nproviders:\n  google: {type: google, client_secret: "\${OSTIARY_SECRET_GOOGLE}"}\n`)
  assert.deepEqual(await ostiary(['apply', '--file', same, '--yes', ...inLive], { secrets }), {
    code: 0,
    out: 'live: nothing to change\n',
    err: 'Nothing was changed. Secrets are not compared where an approval is needed.\n',
  })
  assert.deepEqual(await promotions(), before)
  await w.deployment.db.run(sql`update projects set promotion = '{"require_approval":false}' where id = ${w.project.id}`)
})

const red = '\u001b[31m'

/** The service behind a way that lets something happen after each answer to a call, or answers something else. */
async function openBusyClient(
  after_answer: (path: string, body: { dry_run?: boolean }) => Promise<void>,
  answered: (url: string, text: string) => string = (_, text) => text,
) {
  const server = createServer(async (request, response) => {
    const { method = '', headers } = request
    const url = (request.url ?? '').replaceAll(encodeURIComponent(red), '')
    const body = Buffer.concat(await request.toArray())
    const passed = Object.entries(headers).filter(([name]) => /^(content-type|x-api-key|idempotency-key)$/.test(name)) as [string, string][] // as: these are single
    const answer = await fetch(`${w.base_url}${url}`, { method, headers: passed, ...(body.length > 0 ? { body } : {}) })
    const text = answered(url, await answer.text())
    await after_answer(`${method} ${url}`, body.length > 0 ? JSON.parse(String(body)) : {})
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' }).end(text)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  after(() => server.close())
  return openClient(w, { OSTIARY_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }) // as: it listens at a port
}

for (const command of ['diff', 'apply'])
  test(`${command} says first where a file is only a source, and not where it is the environment's own or of none that exists`, async () => {
    const first = async (environment: string) => {
      const file = written('source.yaml', `version: 1\n${environment}settings: {password: {min_length: 17}}\n`)
      return (await ostiary([command, '--file', file, ...inTest])).err.split('\n')[0] ?? ''
    }
    assert.match(
      await first('environment: live\n'),
      /source\.yaml is a file of live, and only a source for test: .* stays in test as it is\.$/,
    )
    assert.doesNotMatch(await first('environment: test\n'), /only a source/)
    assert.doesNotMatch(await first(''), /only a source/)
    assert.doesNotMatch(await first('environment: liev\n'), /only a source/)
  })

// biome-ignore format: this table is read by column
const busy: [why: string, change: object, code: number, err: RegExp][] = [
  ['another field changes in between, and the plan does not',    { mfa: { mode: 'optional' } },      0, /^test is changed: pro_/m],
  ['the field itself changes in between',                        { password: { min_length: 20 } },   3, /has changed in between, and the plan with it/],
  ['another run makes the same change in between',               { password: { min_length: 18 } },   0, /^test was changed by another run, .*: nothing to change\.$/m],
]
for (const [why, change, code, err] of busy)
  test(`apply exits with ${code} where ${why}`, async () => {
    let is_changed = false
    const records = (await promotions()).length
    const busy_client = await openBusyClient(async (path, { dry_run }) => {
      if (is_changed || dry_run || path !== `POST ${promotions_path}`) return
      is_changed = true
      expectStatus(200, await w.call('PATCH', `${w.test.path}/settings`, { body: change }))
    })
    const file = written('busy.yaml', 'version: 1\nsettings: {password: {min_length: 18}}\n')
    const result = await busy_client.ostiary(['apply', '--file', file, '--yes', '--overwrite', ...inTest], { key: w.key })
    assert.equal(is_changed, true)
    assert.equal(result.code, code, result.err)
    assert.match(result.err, err)
    if (/nothing to change/.test(result.err)) assert.equal((await promotions()).length, records + 1, 'the stale plan alone is kept')
    expectStatus(200, await w.call('PATCH', `${w.test.path}/settings`, { body: { password: { min_length: 12 }, mfa: { mode: null } } }))
  })

test('text of the service never controls the terminal, and the command after an approval has the options of the first', async () => {
  let required = false
  const hostile = await openBusyClient(
    async () => {},
    (url, text) => {
      if (!url.includes('/promotions')) return text
      const marked = text.replaceAll(/"(id|code|level|client_secret)":"/g, (before) => before + JSON.stringify(red).slice(1, -1))
      return required ? marked.replaceAll('"required":false', '"required":true') : marked
    },
  )
  const application = 'application_type: web, name: Red, redirect_uris: [https://red.test/cb]'
  const apply = async () => {
    const file = written('red.yaml', `version: 1\napplications:\n  red: {${application}}\n  red-${required}: {${application}}\n`)
    return hostile.ostiary(['apply', '--file', file, '--yes', '--tenant', 'acme', ...inTest], { key: w.key })
  }
  const shown_red = '\\u{001b}[31m'
  const applied = await apply()
  assert.equal(applied.code, 0, applied.err)
  for (const text of [`test is changed: ${shown_red}pro_`, `${shown_red}warning: `, `(${shown_red}secret_made)`])
    assert.ok(applied.err.includes(text), applied.err)
  assert.ok(applied.out.includes(`application red  client_secret  ${shown_red}`), applied.out)
  required = true
  const waiting = await apply()
  assert.equal(waiting.code, 3, waiting.err)
  assert.ok(waiting.err.includes(`/dashboard/go/${shown_red}pro_`), waiting.err)
  assert.match(waiting.err, /Then run: ostiary promotions apply \S+pro_\w+ --tenant acme --project shop\n$/)
  assert.ok(![applied, waiting].some(({ out, err }) => (out + err).includes(red)))
})

test('the usage of diff and apply shows that they need a file', async () => {
  for (const name of ['diff', 'apply'])
    assert.ok((await ostiary([name, '--help'])).out.startsWith(`Usage: ostiary ${name} --file FILE [--prune]`))
})

test('the pipeline of the guide shows a plan by a key that only reads, and applies it by another key', async () => {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/guides/configuration.md'), 'utf8')
  const commands = [...guide.matchAll(/^ +run: ostiary (.+?)(?: \|\| .*)?$/gm)].map(([, line = '']) =>
    line.split(' ').map((word) => (word === 'live.yaml' ? at('live.yaml') : word.replaceAll('"', ''))),
  )
  const [diff = [], apply = []] = commands
  assert.deepEqual([commands.length, diff[0], apply[0]], [2, 'diff', 'apply'])
  const administrator = { tenant_id: w.tenant_id, token: await administratorToken(w, owner) }
  const kinds = ['env.settings', 'applications', 'resource_servers', 'providers', 'webhooks']
  const reading = ['projects:read', 'environments:read', ...kinds.map((kind) => `${kind}:read`)]
  const { key: reader } = await createPlatformKey(w, administrator, { scopes: reading })
  const { key: writer } = await createPlatformKey(w, administrator, { scopes: [...reading, 'projects:write', 'env.settings:write'] })
  written('live.yaml', 'version: 1\nenvironment: live\nsettings: {password: {min_length: 20}}\n')
  const run = async (words: string[], key: string) => (await ostiary(words, { key })).code
  assert.deepEqual([await run(diff, reader), await run(apply, reader)], [3, 1])
  assert.deepEqual([await run(apply, writer), await run(diff, reader), await run(apply, writer)], [0, 0, 0])
})
