/**
 * The table of commands. Help, docs/commands.md and the check of arguments come from it; `service.ts` says what each command of the
 * service runs, and `launch.mjs` what those for developers run.
 */

export interface OptionRow {
  /** The name of the value in help. An option without one is a switch. */
  readonly value?: string
  readonly is_required?: true
  readonly help: string
}

export interface Command {
  readonly summary: string
  /** Further facts that a caller must know. */
  readonly details?: string
  readonly options: Readonly<Record<string, OptionRow>>
  /** Words that need no option, such as `WORD…`. Without this the command takes none. */
  readonly words?: string
  /** Other programs read the rest, such as options of the test runner. */
  readonly passes_options_on?: true
}

const email = (whose: string) => ({ value: 'EMAIL', is_required: true, help: `email address of ${whose}` }) as const
const json = (what: string) => ({ help: `print ${what} as one line of JSON` }) as const

export const commands = {
  start: {
    summary: 'serve, with a demo tenant, application, API and users on the first start (npm start)',
    details: 'Prints where to sign in. The log goes to standard error.',
    options: {},
  },
  serve: {
    summary: 'serve the API, the issuers and background work',
    details:
      'The log goes to standard output. SIGTERM finishes open requests; another signal a second later or more ends the process at once.',
    options: { workers: { value: 'N', help: 'number of processes, 1 to 64, that share the port; more than one needs PostgreSQL' } },
  },
  migrate: {
    summary: 'migrate the schema of the database, as a start does',
    options: {},
  },
  distribute: {
    summary: 'put the tables of a PostgreSQL with Citus on its nodes, by environment',
    details:
      'The service must be stopped, and the database may be empty or filled. Cut short, it goes on where it was when it is run again. Read docs/guides/beyond-one-primary.md first: there is no way back but a dump and a restore.',
    options: {
      shards: { value: 'N', help: 'number of shards of each table, 1 to 512 (default: 32); it cannot be changed later' },
      'dry-run': { help: 'check everything, print what would be done, and change nothing' },
      json: json('the result'),
    },
  },
  bootstrap: {
    summary: 'create the first tenant, its owner and a platform key',
    details:
      'Reads the password of the owner from standard input. Only the result goes to standard output: it holds the platform key, which is shown once.',
    options: {
      email: email('the owner, who is the first administrator'),
      'password-stdin': { is_required: true, help: 'read the password from standard input' },
      tenant: { value: 'NAME', is_required: true, help: 'name of the tenant, such as "Acme Tools"' },
      slug: { value: 'SLUG', help: 'slug of the tenant (default: made from the name)' },
      json: json('the result'),
    },
  },
  recover: {
    summary: 'invite an owner to a tenant whose owners are locked out',
    details: 'Only the result goes to standard output: the link of the invitation, which is shown once.',
    options: {
      tenant: { value: 'SLUG', is_required: true, help: 'slug of the tenant; "ostiary" invites an operator' },
      email: email('the new owner'),
      json: json('the result'),
    },
  },
  doctor: {
    summary: 'check configuration, database, clock and master key, and say what to repair',
    details: 'Exits with 1 if it finds a problem, and with 0 if all is well or it only warns.',
    options: { json: json('status and findings') },
  },
} as const satisfies Record<string, Command>

export type CommandName = keyof typeof commands

/** They run in a clone only, as `npm test`, `npm run check` and so on. */
export const developer_commands = {
  test: {
    summary: 'run the checks and every test, or the test files whose path contains a word',
    details: 'Options go to the test runner of Node: npm test -- users --test-name-pattern=code',
    options: {},
    words: 'WORD…',
    passes_options_on: true,
  },
  check: { summary: 'run the checks alone: format, types, unused code, documents, words', options: {} },
  docs: { summary: 'write the generated documents', options: { check: { help: 'only report stale documents' } } },
  mutants: {
    summary: 'break one rule at a time in a copy, and check that its test then fails',
    details: 'With words, only the mutants that have one in their rule, file or test.',
    options: {},
    words: 'WORD…',
  },
  'try-applications': {
    summary: 'install products that others wrote, and sign people in to each by its template (npm run applications)',
    details: 'With words, only the products of these templates. They are installed into .node/applications/, each from its registry.',
    options: {
      only: { value: 'TEMPLATE', help: 'try this product, and those that follow' },
      install: { help: 'install the products without a trial' },
      defaults: { help: 'create each application without its template, and write nothing: which products need one?' },
    },
    words: 'TEMPLATE…',
  },
  bench: { summary: 'run the benchmark', details: 'bench/options.ts lists its options.', options: {}, passes_options_on: true },
  build: { summary: 'build the service into dist/', options: {} },
  release: {
    summary: 'build an archive that runs with Node 24 alone, into release/',
    options: {
      folder: { value: 'PATH', help: 'write the files into this folder, without an archive' },
      'this-platform': { help: 'include the native module of this platform only' },
    },
  },
  dev: { summary: 'serve from the sources, and start again when one changes', options: commands.serve.options },
} as const satisfies Record<string, Command>

export const exit_codes = [
  [0, 'done'],
  [1, 'refused, not found, out of reach, or a problem found'],
  [2, 'wrong arguments or file; nothing happened'],
  [3, 'it differs, and nothing was changed'],
  [130, 'interrupted before it was done'],
] as const

/** The values of a command's options: text for an option with a value, `true` for a switch. */
export type Values<C extends Command> = {
  readonly [Name in keyof C['options']]?: C['options'][Name] extends { value: string } ? string : true
}
