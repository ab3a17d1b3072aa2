/** Roles: named sets of permissions, which are scopes of resource servers. A backend gives them to users, or to members of organizations. */
import { z } from 'zod'
import { RoleId } from '../ids.ts'
import { Name, ShortText, Slug, slugs } from '../values.ts'
import { changeShape, creationShape, dates, type FieldsOf, fixed, inLive, observed, place, recordShape, travels } from './field.ts'

export const RoleKind = z.enum(['user', 'organization'])
export type RoleKind = z.infer<typeof RoleKind>

export const Permission = z.strictObject({
  resource_server: Slug.describe('The slug of a resource server of the environment.'),
  scopes: z
    .array(z.string().min(1).max(200))
    .min(1)
    .max(200, { abort: true })
    .refine((names) => new Set(names).size === names.length, 'Each scope can be named once.')
    .describe('The names of its scopes that the role gives, each once.'),
})
export type Permission = z.infer<typeof Permission>

const Permissions = z
  .array(Permission)
  .max(1_000, { abort: true })
  .describe(
    'What the role gives: scopes of resource servers, each resource server once. An entry whose resource server or scope is gone stays and gives nothing. One that is made again under its old name is given only after a change of the role that sends its permissions.',
  )
  .superRefine((permissions, context) => {
    const slugs = permissions.map(({ resource_server }) => resource_server)
    slugs.forEach((slug, i) => {
      if (slugs.indexOf(slug) !== i)
        context.addIssue({
          code: 'custom',
          path: [i, 'resource_server'],
          message: 'An earlier entry of the list has the same resource server.',
        })
    })
  })

const holders = 'Everyone who has the role, from the next request on.'

/** The rows in the order of the record. */
export const role = {
  id: observed(RoleId),
  ...place,
  kind: fixed(RoleKind.describe('Whom it is given to: `user`, or `organization` for members of organizations. It never changes.'), {
    label: 'Kind',
    look: { user: 'Of users', organization: 'Of members of organizations' },
  }),
  name: travels(Name, { label: 'Name', look: 'text', affects: 'People who see their roles on their account page.' }),
  description: travels(ShortText.nullable().describe('What the role is for, at most 200 characters.'), {
    label: 'Description',
    look: 'text',
    affects: 'Only the readers of this dashboard.',
    default: null,
  }),
  default: travels(z.boolean().describe('Whether every user, or every member, has it without being given it.'), {
    label: 'Everyone has it',
    look: 'switch',
    hint: 'Every user, or every member of an organization. At most five roles of a kind.',
    affects: 'All users, or all members of organizations, from the next request on.',
    fresh: inLive('turned_on'),
    default: false,
  }),
  administers: travels(
    z.boolean().describe('Whether members with the role manage the members of their organization. Only for the kind `organization`.'),
    {
      label: 'Administers the organization',
      look: 'switch',
      hint: 'Its holders invite, change and remove members.',
      affects: holders,
      fresh: inLive('turned_on'),
      default: false,
    },
  ),
  permissions: travels(Permissions, {
    label: 'Permissions',
    look: 'json',
    affects: holders,
    fresh: inLive('widened'),
    default: () => [],
  }),
  ...dates,
}

/** `Role` is that of a member of a tenant. */
export const EnvironmentRole = z.strictObject(recordShape(role))
export type EnvironmentRole = z.infer<typeof EnvironmentRole>
export type RoleFields = FieldsOf<typeof role>

export const NewRole = z.strictObject({ slug: slugs.created, ...creationShape(role) })
export const RoleChange = z.strictObject({ ...changeShape(role) })
