/** The commands and options that the route table makes. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { errors } from '@ostiary/contract/errors.ts'
import { routes } from '@ostiary/contract/routes.ts'
import { type Option, readArguments, readWords, type Syntax } from '../src/arguments.ts'
import { readBody } from '../src/client/body.ts'
import { clientOverview, helpOfCommand, helpOfNoun } from '../src/client/client-help.ts'
import { allOptions, optionsOf } from '../src/client/command-options.ts'
import { clientCommands, wordName } from '../src/client/derive.ts'
import type { Io } from '../src/client/io.ts'
import { called_by, commands_of_rows, nouns, reads } from '../src/client/names.ts'
import { ownCommands } from '../src/client/own-commands.ts'
import { commands, developer_commands, exit_codes } from '../src/commands.ts'
import { UsageError } from '../src/usage.ts'

const derived = clientCommands()
const nameOf = ({ noun, verb }: { noun: string; verb: string }) => `${noun} ${verb}`

test('every route of the management and runtime API has a command', () => {
  const called = [...derived.flatMap(({ rows }) => rows.map(({ name }) => name)), ...Object.keys(called_by)]
  assert.deepEqual(called.sort(), Object.keys(routes).sort())
  const own = ownCommands().map(({ name }) => name)
  for (const name of Object.values(called_by)) assert.ok(own.includes(name ?? ''), `${name} is a command`)
})

test('the help of a noun is about that noun: each has words of its own', () => {
  const texts = clientOverview().nouns.map(([, text]) => text)
  assert.deepEqual(
    texts.filter((text, index) => text === '' || texts.indexOf(text) !== index),
    [],
  )
  assert.match(helpOfNoun('names'), /The names of objects, found by their ids\./)
})

test('a command has several routes only where their credentials differ, and takes the same words for each', () => {
  for (const { rows, ...command } of derived) {
    const kinds = rows.map(({ route }) => route.credential.kind)
    assert.equal(new Set(kinds).size, kinds.length, nameOf(command))
    for (const { words } of rows) assert.deepEqual(words, rows[0].words, nameOf(command))
  }
})

test('nouns and verbs are words in lower case, and no other command has their name', () => {
  const names = [...derived.map(nameOf), ...ownCommands().map(({ name }) => name)]
  assert.equal(new Set(names).size, names.length)
  for (const name of names) assert.match(name, /^[a-z]+(-[a-z]+)*( [a-z]+(-[a-z]+)*)?$/)
  const first_words = new Set(names.map((name) => name.split(' ')[0] ?? ''))
  for (const name of [...Object.keys(commands), ...Object.keys(developer_commands), 'help']) assert.ok(!first_words.has(name), name)
})

test('no command has two options of one name, and each option has a help text', () => {
  for (const command of derived) {
    const options = allOptions(optionsOf(command))
    assert.deepEqual(
      [...new Set(options.map(({ name }) => name))],
      options.map(({ name }) => name),
      nameOf(command),
    )
    for (const { name, help } of options) assert.ok(help !== '' && name !== 'help', `${nameOf(command)} --${name}`)
    assert.ok(helpOfCommand(command).startsWith(`Usage: ostiary ${nameOf(command)}`))
  }
})

test('the tables of names hold nothing that the route table does not have', () => {
  for (const name of [...Object.keys(commands_of_rows), ...Object.keys(called_by), ...reads]) assert.ok(Object.hasOwn(routes, name), name)
  const paths = Object.values(routes).map(({ path }) => path)
  for (const segment of Object.keys(nouns))
    assert.ok(
      paths.some((path) => path.split('/').includes(segment)),
      segment,
    )
  assert.ok(Object.keys(errors).length > 0)
})

test('the help lists every exit code', () => {
  const [command] = derived
  const codes = exit_codes.map(([code]) => code)
  assert.deepEqual(codes, [0, 1, 2, 3, 130])
  for (const code of codes) assert.match(command ? helpOfCommand(command) : '', new RegExp(`^Exit codes: (.* · )?${code} `, 'm'))
})

// biome-ignore format: this table is read by column
const names: [row: keyof typeof routes, command: string][] = [
  ['listApplications',        'applications list'],
  ['createPlatformKey',       'platform-keys create'],
  ['changeSettings',          'settings update'],
  ['rotateClientSecret',      'applications rotate-secret'],
  ['listUsers',               'users list'],
  ['listAuthUsers',           'users list'],
  ['endSession',              'sessions delete'],
  ['resendDelivery',          'deliveries resend'],
  ['resendSince',             'webhooks resend'],
  ['summariseRefusedCalls',   'requests summary'],
  ['verifyAuditLog',          'audit verify'],
  ['rotateAuthKey',           'keys rotate'],
]
for (const [row, command] of names)
  test(`the route ${row} is called by "ostiary ${command}"`, () =>
    assert.ok(derived.find((each) => nameOf(each) === command)?.rows.some(({ name }) => name === row)))

/** Reads the body of a command, as it does before it calls the service. */
async function bodyOf(name: string, args: string[]): Promise<unknown> {
  const command = derived.find((each) => nameOf(each) === name)
  assert.ok(command)
  const options = optionsOf(command)
  try {
    const written = readWords({ call: name, options: allOptions(options), words: command.rows[0].words.map(wordName) }, args)
    const read = await readBody({} as Io, { fields: options.fields, is_large: false }, written.values)
    return 'mistakes' in read ? read.mistakes.join('\n') : read.body
  } catch (error) {
    if (error instanceof UsageError) return error.message.split('\n\n')[0]
    throw error
  }
}

const email_of_owner: Option = { name: 'email', kind: 'text', ...commands.recover.options.email }
const json_of_owner: Option = { name: 'json', kind: 'switch', ...commands.recover.options.json }
const syntax: Syntax = { call: 'recover', options: [email_of_owner, json_of_owner], words: [] }

// biome-ignore format: this table is read by column
const mistakes: [string, string[], string][] = [
  ['an unknown option',               ['--email', 'a', '--frobnicate'],    'There is no option "--frobnicate".'],
  ['an unknown option with a value',  ['--email', 'a', '--foo=s3cret'],    'There is no option "--foo".'],
  ['an unknown letter with a value',  ['--email', 'a', '-ps3cret'],        'There is no option "-p".'],
  ['a mistyped option',               ['--email', 'a', '--jsno'],          'There is no option "--jsno". Did you mean --json?'],
  ['a mistyped option of all',        ['--email', 'a', '--hepl'],          'There is no option "--hepl". Did you mean --help?'],
  ['an option given twice',           ['--email', 'a', '--email=b'],       '--email is given twice.'],
  ['a switch given twice',            ['--email', 'a', '--json', '--json'], '--json is given twice.'],
  ['an option without its value',     ['--email', '--json'],               '--email needs a value: email address of the new owner.'],
  ['a switch with a value',           ['--email', 'a', '--json=yes'],      '--json takes no value.'],
  ['a missing option',                ['--json'],                          '--email EMAIL is missing: email address of the new owner.'],
  ['a word',                          ['--email', 'a', 'now'],             '"now" is not expected here.'],
  ['a word after --',                 ['--email', 'a', '--', '--json'],    '"--json" is not expected here.'],
]
for (const [what, args, says] of mistakes)
  test(`a command of the service and one of the client refuse ${what} in the same words`, () => {
    const whole = `${says}\n\n"ostiary recover --help" shows how to call it.`
    const { tenant: _, ...options } = commands.recover.options
    assert.throws(() => readArguments('recover', { summary: '', options }, args), new UsageError(whole))
    assert.throws(() => readWords(syntax, args), new UsageError(whole))
  })

// biome-ignore format: this table is read by column
const bodies: [why: string, command: string, args: string[], body: unknown][] = [
  ['text',                           'projects update',   ['shop', '--name', 'Shop'],                                    { name: 'Shop' }],
  ['an option with =',               'projects update',   ['shop', '--name=A=B'],                                        { name: 'A=B' }],
  ['a repeated option',              'applications update', ['a', '--redirect-uris', 'https://a.test', '--redirect-uris', 'https://b.test'], { redirect_uris: ['https://a.test', 'https://b.test'] }],
  ['an empty list',                  'keys update',       ['k', '--ip-allowlist='],                                      { ip_allowlist: [] }],
  ['null for a field that can be',   'keys update',       ['k', '--ip-allowlist', 'null', '--rate-limit', 'null'],       { ip_allowlist: null, rate_limit: null }],
  ['null as text elsewhere',         'projects update',   ['shop', '--name', 'null'],                                    { name: 'null' }],
  ['members of a group',             'keys update',       ['k', '--rate-limit.limit', '5', '--rate-limit.window-seconds=10'], { rate_limit: { limit: 5, window_seconds: 10 } }],
  ['members two groups deep',        'settings update',   ['--email.smtp.port', '25', '--email.from', 'a@b.test'],       { email: { smtp: { port: 25 }, from: 'a@b.test' } }],
  ['a boolean without a value',      'applications update', ['a', '--disabled'],                                         { disabled: true }],
  ['a boolean with a value',         'applications update', ['--disabled', 'false', 'a'],                                { disabled: false }],
  ['objects in a list as JSON',      'resource-servers update', ['r', '--scopes', '{"name":"read"}'],                    { scopes: [{ name: 'read' }] }],
  ['--data',                         'projects update',   ['shop', '--data', '{"name":"A"}'],                            { name: 'A' }],
  ['an option over --data',          'projects create',   ['--data', '{"name":"A","slug":"a"}', '--name', 'B'],          { name: 'B', slug: 'a' }],
  ['words after --',                 'projects update',   ['--name', 'A', '--', '-shop'],                                { name: 'A' }],
  ['text for a number',              'keys update',       ['k', '--rate-limit.limit', 'five'],                           '--rate-limit.limit takes a number.'],
  ['a value outside the choices',    'applications update', ['a', '--consent', 'no'],                                    '--consent takes one of skip, ask.'],
  ['an option without its value',    'projects update',   ['shop', '--name', '--json'],                                  '--name needs a value: The name.'],
  ['an option given twice',          'projects update',   ['shop', '--name', 'A', '--name', 'B'],                        '--name is given twice.'],
  ['a mistyped option',              'projects update',   ['shop', '--nmae', 'A'],                                       'There is no option "--nmae". Did you mean --name?'],
  ['a short option',                 'projects update',   ['shop', '-n'],                                                'There is no option "-n".'],
  ['a missing word',                 'projects update',   ['--name', 'A'],                                               'PROJECT is missing.'],
  ['two missing fields',             'projects create',   [],                                                            '--slug is missing: 1 to 63 of a-z, 0-9 and hyphen, unique within its parent. It never changes.\n--name is missing: The name.'],
  ['--data that is not an object',   'projects update',   ['shop', '--data', '[]'],                                      '--data is not a JSON object.'],
  ['--data that is not JSON',        'projects update',   ['shop', '--data', 'name'],                                    '--data is not JSON.'],
]
for (const [why, command, args, body] of bodies)
  test(`${command} reads ${why}`, async () => assert.deepEqual(await bodyOf(command, args), body))

const pages = join(import.meta.dirname, '../../docs/settings')
for (const file of readdirSync(pages))
  test(`the command on the page ${file} of the settings sends what its call of the API sends`, async () => {
    const text = readFileSync(join(pages, file), 'utf8')
    const [, words = ''] = /^ostiary settings update (.+) --project shop --env test$/m.exec(text) ?? assert.fail(file)
    const [, body = ''] = /-d '(.+)'$/m.exec(text) ?? assert.fail(file)
    const args = [...words.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
    assert.deepEqual(await bodyOf('settings update', args), JSON.parse(body))
  })
