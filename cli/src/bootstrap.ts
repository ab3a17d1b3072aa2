/** `ostiary bootstrap`: creates the first tenant without a browser. Only the result goes to standard output. */
import { basename, relative } from 'node:path'
import { Email, Name, Slug } from '@ostiary/contract/values.ts'
import type { Config } from '@ostiary/server/base/config/config.ts'
import { createPasswords } from '@ostiary/server/domain/users/password.ts'
import { openDeployment } from '@ostiary/server/main.ts'
import { createFirstTenant } from '@ostiary/server/setup/first-tenant.ts'
import { wrongArguments } from './arguments.ts'
import type { commands, Values } from './commands.ts'

type BootstrapValues = Values<typeof commands.bootstrap>

export async function bootstrap(config: Config, values: BootstrapValues): Promise<number> {
  const { email, tenant_name, slug } = readFirstTenant(values)
  const password = await readPassword()
  const deployment = await openDeployment(config, { write: (line) => process.stderr.write(line) })
  try {
    const result = await createFirstTenant(deployment, createPasswords(), { email, password, tenant_name, slug })
    process.stdout.write(
      values.json
        ? `${JSON.stringify(result)}\n`
        : Object.entries(result)
            .map(([name, value]) => `${name}: ${value}\n`)
            .join(''),
    )
    process.stderr.write(nextSteps(result.base_url))
    return 0
  } finally {
    await deployment.db.close()
  }
}

/** It does not repeat the key: standard error often goes to a log. */
const nextSteps = (base_url: string) => `
The platform key ("key") is shown once. Keep it now: only its digest is stored.

Next:
  ${`${ownCommand()} serve`.padEnd(44)} if the service does not run yet
  export KEY=…                                 the key
  curl -H "X-API-Key: $KEY" ${base_url}/v1/api-keys/whoami

docs/quick-start.md leads from here to a signed-in user of your application.
`

/** How this program is started from the current folder: a release has no npx. */
function ownCommand(): string {
  const entry = process.argv[1] ?? ''
  return basename(entry) === 'ostiary.mjs' ? `node ${relative(process.cwd(), entry)}` : 'npx ostiary'
}

function readFirstTenant({ email = '', tenant: tenant_name = '', ...values }: BootstrapValues) {
  const slug = values.slug ?? slugOf(tenant_name)
  const mistakes = [
    !Email.safeParse(email).success && '--email takes the email address of the first administrator.',
    !Name.safeParse(tenant_name).success && '--tenant takes a name of 1 to 100 characters, such as "Acme Tools".',
    !Slug.safeParse(slug).success && '--slug takes 1 to 63 of a-z, 0-9 and hyphen.',
  ].filter((mistake) => mistake !== false)
  if (mistakes.length > 0) throw wrongArguments('bootstrap', mistakes)
  return { email, tenant_name, slug }
}

/** Makes a slug from a name: removes the marks of letters and replaces other characters by hyphens. */
function slugOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 63)
  return plain || 'tenant'
}

/** Reads all of standard input. One newline at its end comes from the terminal and is not part of the password. */
async function readPassword(): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write('Password (at least 12 characters, it is shown), then Enter and Ctrl-D:\n')
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '')
}
