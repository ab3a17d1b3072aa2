/** `ostiary access USER`: each scope of the environment, and the role that gives it to the user or why none does. */
import { OstiaryError } from '@ostiary/sdk'
import { z } from 'zod'
import type { Written } from '../arguments.ts'
import { type Connection, connect } from './connection.ts'
import { type ClientCommand, rowOf } from './derive.ts'
import type { Io } from './io.ts'
import type { RowName } from './names.ts'
import { readList, rowFor, scopeFor, textOf } from './run-command.ts'
import { inScope, objectId, type Scope } from './scope.ts'
import { columnsOf, jsonLine, objectText, visible } from './show.ts'

// A newer service can answer more members.
const Access = z.object({
  is_member: z.boolean().nullable(),
  roles: z.array(z.string()),
  permissions: z.array(
    z.object({
      resource_server: z.string(),
      require_roles: z.boolean(),
      scopes: z.array(z.object({ name: z.string(), by: z.array(z.string()) })),
    }),
  ),
})
const Server = z.object({ slug: z.string(), scopes: z.array(z.object({ name: z.string() })) })
const Role = z.object({
  slug: z.string(),
  kind: z.string(),
  permissions: z.array(z.object({ resource_server: z.string(), scopes: z.array(z.string()) })),
})
type Role = z.infer<typeof Role>
const Person = z.object({ id: z.string(), email: z.string().nullable(), blocked_at: z.string().nullable() })

/** Other objects of the environment, by which a scope that is not given is explained. */
interface Known {
  readonly servers: readonly z.infer<typeof Server>[]
  readonly roles: readonly Role[]
}

interface Commands {
  readonly access: ClientCommand
  readonly user: ClientCommand
  readonly organization: ClientCommand
}

export async function showAccess(io: Io, commands: Commands, written: Written): Promise<number> {
  const connection = connect(io, textOf(written, 'profile'))
  const row = rowFor(commands.access, connection.kind)
  const scope = await scopeFor(connection, row, written)
  const user_id = await objectId(connection, row, { parameter: 'user_id', word: written.words[0] ?? '' }, scope)
  const named = textOf(written, 'organization')
  const of_organization = { parameter: 'organization_id', word: named ?? '' }
  const organization_id =
    named === null ? undefined : await objectId(connection, rowFor(commands.organization, connection.kind), of_organization, scope)
  const read = async (command: ClientCommand, query: Record<string, string> = {}) => {
    const own = rowFor(command, connection.kind)
    const request = inScope(own, scope)
    return (await connection.call(own, { ...request, params: { ...request.params, user_id, ...query } })).data
  }
  const answer = await read(commands.access, organization_id === undefined ? {} : { organization_id })
  if (written.values.has('json')) {
    io.out(jsonLine(answer))
    return 0
  }
  const access = Access.parse(answer)
  const { id, email, blocked_at } = Person.parse(await read(commands.user))
  io.out(objectText({ user: email ?? id, roles: access.roles, ...(blocked_at === null ? {} : { blocked_at }) }))
  if (blocked_at !== null) {
    io.out('\nA blocked user has no access.\n')
    return 0
  }
  if (access.is_member === false) {
    io.out('\nThe user is not a member of the organization, or it is disabled.\n')
    return 0
  }
  const known = await knownTo(connection, scope)
  const rows = rowsOf(access, known)
  io.out(
    rows.length === 0 ? '\nNo resource server has a scope.\n' : `\n${columnsOf([['RESOURCE SERVER', 'SCOPE', 'GIVEN', 'BY'], ...rows])}`,
  )
  if (known === null) io.err('Scopes that are not given are shown to administrators, and to keys with resource_servers:read.\n')
  return 0
}

/** The resource servers and roles; `null` where this caller cannot read them. */
async function knownTo(connection: Connection, scope: Scope): Promise<Known | null> {
  if (connection.kind === 'secret') return null
  const all = async (name: RowName) => {
    const row = rowOf(name)
    return (await readList(connection, row, inScope(row, scope), Number.POSITIVE_INFINITY)).data
  }
  try {
    const servers = z.array(Server).parse(await all('listResourceServers'))
    return { servers, roles: z.array(Role).parse(await all('listRoles')) }
  } catch (error) {
    if (error instanceof OstiaryError && error.status === 403) return null
    throw error
  }
}

function rowsOf({ permissions, roles: held, is_member }: z.infer<typeof Access>, known: Known | null): string[][] {
  return permissions.flatMap(({ resource_server, require_roles, scopes }) => {
    const given = new Map(scopes.map(({ name, by }) => [name, by]))
    const names = known?.servers.find(({ slug }) => slug === resource_server)?.scopes.map(({ name }) => name) ?? [...given.keys()]
    return names.map((name) => {
      const by = given.get(name)
      const why =
        by === undefined
          ? whyNot({ resource_server, name }, known?.roles.filter(({ kind }) => kind === (is_member ? 'organization' : 'user')) ?? [], held)
          : by.join(', ')
      return [resource_server, name, by === undefined ? 'no' : 'yes', why === '' && !require_roles ? 'roles are not required' : why].map(
        visible,
      )
    })
  })
}

function whyNot(
  { resource_server, name }: { resource_server: string; name: string },
  roles: readonly Role[],
  held: readonly string[],
): string {
  const naming = roles.filter(({ permissions }) =>
    permissions.some((each) => each.resource_server === resource_server && each.scopes.includes(name)),
  )
  // A role that the user has and that gives nothing names an earlier scope of the same name.
  const outdated = naming.filter(({ slug }) => held.includes(slug))
  if (outdated.length > 0) return `${slugsOf(outdated)}: the scope is newer than the role, so save its permissions again`
  return naming.length > 0 ? `the user lacks ${slugsOf(naming)}` : 'no role gives it'
}

const slugsOf = (roles: readonly Role[]) => roles.map(({ slug }) => slug).join(', ')
