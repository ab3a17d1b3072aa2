/** The commands of the client that are not made from the route table. */
import type { Option, Written } from '../arguments.ts'
import { optionOfField, optionsOf } from './command-options.ts'
import { type ClientCommand, clientCommands } from './derive.ts'
import type { Io } from './io.ts'

export interface OwnCommand {
  /** `login`, `events tail`. */
  readonly name: string
  readonly summary: string
  readonly details?: string
  readonly words: readonly string[]
  readonly options: readonly Option[]
  /** The noun of the routes that it calls, where its own name does not begin with it. */
  readonly noun?: string
  readonly run: (io: Io, written: Written) => Promise<number>
}

const json: Option = { name: 'json', kind: 'switch', help: 'print JSON' }
const lines: Option = { name: 'json', kind: 'switch', help: 'print a line of JSON for each' }
const profile: Option = { name: 'profile', kind: 'text', value: 'NAME', help: 'the sign-in to use, if not the last one' }
const no_browser: Option = { name: 'no-browser', kind: 'switch', help: 'only print the address' }
const defaults: readonly Option[] = [
  { name: 'tenant', kind: 'text', value: 'TENANT', help: 'the tenant of commands without --tenant; null for none' },
  { name: 'project', kind: 'text', value: 'PROJECT', help: 'the project of commands without --project; null for none' },
  { name: 'env', kind: 'text', value: 'ENV', help: 'the environment of commands without --env; changes in Live still need it written out' },
]

const file: Option = { name: 'file', kind: 'text', value: 'FILE', is_required: true, help: 'the file, or - for standard input' }
const prune: Option = { name: 'prune', kind: 'switch', help: 'delete the objects that the sections of the file lack' }
const yes: Option = { name: 'yes', kind: 'switch', help: 'change it without a question' }
const confirm: Option = {
  name: 'confirm',
  kind: 'text',
  value: 'ENV',
  help: 'the slug of the environment, which a plan that deletes in Live needs beside --yes',
}
const overwrite: Option = { name: 'overwrite', kind: 'switch', help: 'replace also what was edited there since the last promotion' }
const note: Option = { name: 'note', kind: 'text', value: 'TEXT', help: 'a note for people, such as a commit' }
const record: Option = { ...json, help: 'print the promotion as JSON' }

let own: readonly OwnCommand[] | null = null

export function ownCommands(): readonly OwnCommand[] {
  own ??= makeOwnCommands()
  return own
}

function makeOwnCommands(): OwnCommand[] {
  const find = (noun: string) => commandNamed(`${noun} list`)
  const events = followOptions(find('events'))
  const calls = followOptions(find('requests'))
  const { scope } = optionsOf(commandNamed('configuration get'))
  const access = {
    access: commandNamed('users access'),
    user: commandNamed('users get'),
    organization: commandNamed('organizations get'),
  }
  const after: Option = {
    name: 'after',
    kind: 'number',
    value: 'SEQUENCE',
    help: 'begin with the event after this sequence, not with the next one',
  }
  return [
    {
      name: 'login',
      summary: 'sign in as an administrator, in the browser',
      details:
        'The browser comes back to a loopback port of this machine. Where it cannot, paste the address at which it ends. The sign-in is kept in the configuration folder, readable only by you.',
      words: [],
      options: [
        {
          name: 'url',
          kind: 'text',
          value: 'URL',
          help: 'address of the service (default: OSTIARY_URL, that of the profile, or http://localhost:3000)',
        },
        { name: 'profile', kind: 'text', value: 'NAME', help: 'name under which the sign-in is kept (default: default)' },
        {
          name: 'fresh',
          kind: 'switch',
          help: 'sign in again, even if the browser is signed in: some calls need a sign-in of the last minutes',
        },
        no_browser,
      ],
      run: async (io, written) => (await import('./account.ts')).login(io, written),
    },
    {
      name: 'logout',
      summary: 'end the sign-in and forget it',
      words: [],
      options: [profile],
      run: async (io, written) => (await import('./account.ts')).logout(io, written),
    },
    {
      name: 'whoami',
      summary: 'show the administrator who is signed in, or the key in OSTIARY_KEY',
      words: [],
      options: [json, profile],
      run: async (io, written) => (await import('./account.ts')).whoami(io, written),
    },
    {
      name: 'open',
      summary: 'open an object in the dashboard, by its id or a request id',
      words: ['ID'],
      options: [no_browser, profile],
      run: async (io, written) => (await import('./account.ts')).open(io, written),
    },
    {
      name: 'use',
      summary: 'keep the project and the environment that commands use where they are not written',
      details:
        'Kept in the profile. Without options it shows them. A change in Live never uses them: it has --project and --env written out. The word null removes one.',
      words: [],
      options: [...defaults, json, profile],
      run: async (io, written) => (await import('./defaults.ts')).use(io, written),
    },
    {
      name: 'completion',
      summary: 'print the completion of commands and options for a shell',
      details: 'bash: source <(ostiary completion bash) · zsh: source <(ostiary completion zsh) · fish: ostiary completion fish | source',
      words: ['bash|zsh|fish'],
      options: [],
      run: async (io, written) => (await import('./completion.ts')).completion(io, written),
    },
    {
      name: 'pull',
      summary: 'write the configuration of an environment as YAML, for a repository',
      details:
        'Without --file it is printed. An existing file is changed where it differs: comments, the order of keys and the names of secrets stay, and a field that it leaves out is added unless it has its default. Secrets appear by name.',
      words: [],
      options: [
        { name: 'file', kind: 'text', value: 'FILE', help: 'the file to write' },
        { name: 'fresh', kind: 'switch', help: 'write an existing file afresh, without its comments' },
        ...scope,
        { ...json, help: 'print the document as JSON' },
        profile,
      ],
      noun: 'configuration',
      run: async (io, written) => (await import('./configuration/pull.ts')).pull(io, written),
    },
    {
      name: 'diff',
      summary: 'show what a configuration file would change in an environment; nothing is stored',
      details: 'Exits with 0 if they are equal, with 3 if they differ, and with 1 if the change would be refused.',
      words: [],
      options: [file, prune, ...scope, record, profile],
      noun: 'promotions',
      run: async (io, written) => (await import('./configuration/apply.ts')).diff(io, written),
    },
    {
      name: 'apply',
      summary: 'change an environment as a configuration file says, after a question',
      details:
        'Shows the plan and asks. A field that a file leaves out stays as it is. The value of a secret is read from the environment variable that the file names.',
      words: [],
      options: [file, prune, yes, confirm, overwrite, note, ...scope, record, profile],
      noun: 'promotions',
      run: async (io, written) => (await import('./configuration/apply.ts')).apply(io, written),
    },
    {
      name: 'promote',
      summary: 'bring the configuration of one environment to another, after a question',
      details:
        'Values of an environment, such as its addresses, are not copied; --values gives them. Objects that are new there begin switched off. Nothing is deleted.',
      words: ['FROM', 'TO'],
      options: [
        { name: 'only', kind: 'text', is_list: true, value: 'KIND[/SLUG]', help: 'these alone, such as application/shop; can be repeated' },
        { name: 'values', kind: 'text', value: 'FILE', help: 'a file with what belongs to TO, in the form of a configuration' },
        yes,
        confirm,
        overwrite,
        note,
        ...scope.filter(({ name }) => name !== 'env'),
        record,
        profile,
      ],
      noun: 'promotions',
      run: async (io, written) => (await import('./configuration/promote.ts')).promote(io, written),
    },
    {
      name: 'access',
      summary: 'show what a user may do: each scope, and the role that gives it or why none does',
      details: 'What a new access token could have now. "users access" prints the answer of the service alone.',
      words: ['USER'],
      options: [
        {
          name: 'organization',
          kind: 'text',
          value: 'ORGANIZATION',
          help: 'what the user may do as a member of it (its id or its slug); without it, as a user',
        },
        ...optionsOf(access.access).scope,
        { ...json, help: 'print the answer of the service as JSON' },
        profile,
      ],
      noun: 'users',
      run: async (io, written) => (await import('./access.ts')).showAccess(io, access, written),
    },
    {
      name: 'profiles list',
      summary: 'list the sign-ins of this machine',
      words: [],
      options: [json],
      run: async (io, written) => (await import('./account.ts')).listProfiles(io, written),
    },
    {
      name: 'profiles use',
      summary: 'make a sign-in the current one, and set its defaults',
      words: ['NAME'],
      options: [...defaults, json],
      run: async (io, written) => (await import('./account.ts')).useProfile(io, written),
    },
    {
      name: 'profiles delete',
      summary: 'end a sign-in and remove it',
      words: ['NAME'],
      options: [],
      run: async (io, written) => (await import('./account.ts')).deleteProfile(io, written),
    },
    {
      name: 'application-templates list',
      summary: 'list the products for which applications create has a --template',
      words: [],
      options: [json, profile],
      run: async (io, written) => (await import('./templates.ts')).listTemplates(io, written),
    },
    {
      name: 'application-templates get',
      summary: 'show how a product is registered, and what stands in its own configuration',
      words: ['TEMPLATE'],
      options: [json, profile],
      run: async (io, written) => (await import('./templates.ts')).getTemplate(io, written),
    },
    {
      name: 'events tail',
      summary: 'show each event as it happens, until Ctrl-C',
      words: [],
      options: [...events.options, after, lines, profile],
      run: async (io, written) => (await import('./tail.ts')).tailEvents(io, find('events'), written, events.filters),
    },
    {
      name: 'requests tail',
      summary: 'show each refused call and why it was refused, until Ctrl-C',
      words: [],
      options: [...calls.options, lines, profile],
      run: async (io, written) => (await import('./tail.ts')).tailCalls(io, find('requests'), written, calls.filters),
    },
    {
      name: 'webhooks listen',
      summary: 'post events to a receiver on this machine, signed like webhooks, until Ctrl-C',
      details:
        'Prints the secret of the signatures. Each event arrives at least once and in order: the place is kept in the configuration folder and moves after a 2xx answer, so a listener that was stopped goes on where it was.',
      words: [],
      options: [
        { name: 'forward', kind: 'text', value: 'URL', help: 'address of the receiver' },
        {
          name: 'events',
          kind: 'text',
          is_list: true,
          value: 'TYPE',
          help: 'only events of this type; can be repeated',
          choices: choicesOf('events'),
        },
        ...optionsOf(find('events')).scope,
        after,
        profile,
      ],
      run: async (io, written) => (await import('./listen.ts')).listen(io, find('events'), written),
    },
  ]
}

let all: readonly ClientCommand[] | null = null

/** The commands of the route table, derived once. */
export function tableCommands(): readonly ClientCommand[] {
  all ??= clientCommands()
  return all
}

function commandNamed(name: string): ClientCommand {
  const command = tableCommands().find(({ noun, verb }) => `${noun} ${verb}` === name)
  if (command === undefined) throw new Error(`The route table makes no command "${name}".`)
  return command
}

/** The scope and the filters of a list that can be followed: those of the list, without times and pages. */
function followOptions(command: ClientCommand): { options: Option[]; filters: string[] } {
  const { scope, filters } = optionsOf(command)
  const followed = filters.filter(({ option }) => !['cursor', 'from', 'to', 'after'].includes(option))
  return { options: [...scope, ...followed.map(optionOfField)], filters: followed.map(({ option }) => option) }
}

const choicesOf = (noun: string) => optionsOf(commandNamed(`${noun} list`)).filters.find(({ option }) => option === 'type')?.choices ?? []
