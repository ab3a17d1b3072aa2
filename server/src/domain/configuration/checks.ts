// pure
/** Checks the target as a plan would leave it. Finds errors, which prevent its application, and mistakes in the values of the caller. */
import type { ObjectOfConfiguration } from '@ostiary/contract/kept.ts'
import { type ObjectKind, object_descriptions, object_kinds, secretsOf, setOnce } from '@ostiary/contract/objects/objects.ts'
import type { PromotionCheck, PromotionCheckCode } from '@ostiary/contract/promotion-check.ts'
import { flatMapSteps, type Steps } from '../../base/steps.ts'
import { issuerOfProvider } from '../providers/kinds.ts'
import { most_default, too_many_default } from '../roles/rules.ts'
import { sendsPasswordElsewhere } from '../tenancy/email-settings.ts'
import { applySettingsChange, offersOwnMethod } from '../tenancy/settings.ts'
import { byKind, type Configuration, type Fields } from './configuration.ts'
import { type Drafts, type ObjectDraft, type SettingsDraft, storable } from './drafts.ts'
import { type KnownScopes, type Refused, rulesOf, type TargetFacts } from './kinds.ts'
import { smtp_password, valueAt } from './pointers.ts'
import { wayToGive } from './secret-names.ts'
import type { Problem, WantedField } from './wanted.ts'

export interface Surroundings extends TargetFacts {
  /** How many more objects of a kind the target can have; absent: any number. */
  readonly room: Readonly<Partial<Record<ObjectKind, number>>>
}

interface Findings {
  readonly checks: readonly PromotionCheck[]
  /** Values of the caller that are refused by themselves. */
  readonly problems: readonly Problem[]
}

export function* errorSteps(target: Configuration, drafts: Drafts, is_own: boolean, place: Surroundings): Steps<Findings> {
  const after = objectsAfter(target, drafts)
  const servers = serversOf(after)
  const of_settings = settingsFindings(drafts.settings, after, is_own, place)
  yield
  const found = [of_settings, ...(yield* flatMapSteps(drafts.objects, (draft) => [objectFindings(draft, servers, is_own, place)]))]
  return {
    checks: [
      ...found.flatMap(({ checks }) => checks),
      ...wayInErrors(drafts, after),
      ...defaultErrors(drafts, after),
      ...quotaErrors(target, drafts, place),
    ],
    problems: found.flatMap(({ problems }) => problems),
  }
}

type Objects = Readonly<Record<ObjectKind, ReadonlyMap<string, Fields>>>

/** The facts about resource servers and roles that each object is checked against. Gathered once, since both can be many. */
interface Servers {
  readonly scopes: ReadonlySet<string>
  /** The slugs by the identifier. */
  readonly slugs: ReadonlyMap<unknown, readonly string[]>
  /** The names of the scopes of one, by its slug. */
  readonly scopesOf: KnownScopes['of']
  /** The roles, by their slugs. */
  readonly roles: Pick<ReadonlySet<string>, 'has'>
}

function serversOf({ resource_server, role: roles }: Objects): Servers {
  const scopes = new Set<string>()
  const slugs = new Map<unknown, string[]>()
  for (const [slug, fields] of resource_server) {
    for (const { name } of fields.scopes as { name: string }[]) scopes.add(name) // as: checked by the schema
    const { identifier } = fields
    const alike = slugs.get(identifier)
    if (alike) alike.push(slug)
    else slugs.set(identifier, [slug])
  }
  const known = new Map<string, ReadonlySet<string>>()
  // Gathered when it is asked for: few are named by roles.
  const scopesOf = (slug: string) => {
    const fields = known.has(slug) ? undefined : resource_server.get(slug)
    if (fields) known.set(slug, new Set((fields.scopes as { name: string }[]).map(({ name }) => name))) // as: checked by the schema
    return known.get(slug)
  }
  return { scopes, slugs, scopesOf, roles }
}

/** The objects of the target as the plan would leave them. */
export function objectsAfter(target: Configuration, { objects }: Drafts): Objects {
  const after = byKind((kind) => new Map(target.objects[kind]))
  for (const { kind, slug, next } of objects)
    if (next === null) after[kind].delete(slug)
    else after[kind].set(slug, next)
  return after
}

export const errorCheck = (
  code: PromotionCheckCode,
  { object, slug, pointer }: { object: ObjectOfConfiguration; slug: string | null; pointer: string | null },
  detail: string,
): PromotionCheck => ({ code, level: 'error', object, slug, pointer, detail })

const hasProvider = (after: Objects) => [...after.provider.values()].some(({ enabled }) => enabled === true)

function settingsFindings({ current, next, patch, wanted }: SettingsDraft, after: Objects, is_own: boolean, place: Surroundings): Findings {
  if (Object.keys(patch).length === 0) return { checks: [], problems: [] }
  const outcome = applySettingsChange(place.environment_type, storable(current), withNamedPassword(patch, wanted), {
    seal: (name) => name,
    allowed: place.allowed,
    issuer: place.issuer,
    has_provider: hasProvider(after),
    is_root: place.is_root === true,
  })
  if ('stored' in outcome) return { checks: [], problems: [] }
  return sorted(
    { object: 'settings', slug: null },
    wanted,
    outcome.problem.issues.map(({ path, message }) =>
      path.join('/') === smtp_password.slice(1)
        ? {
            code: 'secret_required',
            path,
            detail: `${noPassword(current, next)} ${wayToGive({ object: 'settings', slug: null, field: 'password' }, { is_own, can_wait: false })}`,
            alone: false,
          }
        : { code: 'not_valid_there', path, detail: message, alone: path.join('/') === 'email/smtp/host' },
    ),
  )
}

const noPassword = (current: Fields, next: Fields) =>
  isSentElsewhere(current, next)
    ? 'The stored password goes to no other mail server, and to none without TLS: it is needed again.'
    : 'A user name of a mail server needs a password.'

/** A password that the document names can be sent again, to a new mail server too. */
function withNamedPassword(patch: Fields, wanted: ReadonlyMap<string, WantedField>): Fields {
  const named = wanted.get(smtp_password)?.value
  const email = patch.email as Fields | undefined // as: a group of the settings
  const smtp = email?.smtp as Fields | null | undefined // as: a group of the settings
  return typeof named !== 'string' || !email || smtp === null
    ? patch
    : { ...patch, email: { ...email, smtp: { ...smtp, password: named } } }
}

/** Whether the settings send a stored password to a place that it was not given for. */
export function isSentElsewhere(current: Fields, next: Fields): boolean {
  type Smtp = Parameters<typeof sendsPasswordElsewhere>[0]
  const [before, after] = [current, next].map((settings) => (valueAt(settings, ['email', 'smtp']) ?? null) as Smtp) // as: the group of the settings in effect
  return sendsPasswordElsewhere(before ?? null, after ?? null)
}

function objectFindings(draft: ObjectDraft, servers: Servers, is_own: boolean, place: Surroundings): Findings {
  const { kind, slug, current, next, wanted } = draft
  const at = { object: kind, slug }
  const { fixed } = object_descriptions[kind]
  if (draft.type_differs) {
    const detail = `The target has an object with this slug and another type. Choose another slug, or delete the one of the target first.`
    return { checks: [errorCheck('type_differs', { ...at, pointer: `/${fixed}` }, detail)], problems: [] }
  }
  if (next === null) return { checks: [], problems: [] }
  const needs = [...(fixed === null ? [] : [fixed]), ...(fixed !== null && next[fixed] == null ? [] : rulesOf[kind].needs(next))]
  const missing = current === null ? needs.filter((name) => next[name] == null) : []
  if (missing.length > 0) return missingFindings(draft, missing, is_own)
  const kept = new Set((current?.allowed_scopes ?? []) as string[]) // as: checked by the schema
  const all = { has: (scope: string) => servers.scopes.has(scope) || kept.has(scope) }
  const kept_roles = new Set((current?.allowed_roles ?? []) as string[]) // as: checked by the schema
  const roles = { has: (slug: string) => servers.roles.has(slug) || kept_roles.has(slug) }
  const known = { all, roles, of: servers.scopesOf, current }
  const wayOf = ({ code, path }: Refused, can_wait: boolean) =>
    code === 'secret_required' ? ` ${wayToGive({ ...at, field: String(path[0]) }, { is_own, can_wait })}` : ''
  const withWay = (problems: readonly Refused[], can_wait: boolean) =>
    problems.map((each) => ({ ...each, detail: each.detail + wayOf(each, can_wait) }))
  const refused = [
    ...withWay(rulesOf[kind].problems(next, place, known), true),
    ...(is_own ? setOnceProblems(draft) : []),
    ...identityProblems(draft, servers),
    ...withWay(issuerProblems(draft), false),
  ]
  return sorted(at, wanted, refused)
}

function missingFindings({ kind, slug }: ObjectDraft, missing: readonly string[], is_own: boolean): Findings {
  if (is_own)
    return {
      checks: [],
      problems: missing.map((name) => ({
        pointer: `/document/${object_descriptions[kind].section}/${slug}/${name}`,
        code: 'required',
        detail: 'The target has no such object yet, and a new one needs this field.',
      })),
    }
  const owned = (name: string) => name !== 'name' && name !== object_descriptions[kind].fixed
  return {
    checks: missing.map((name) =>
      errorCheck(
        owned(name) ? 'value_required' : 'not_valid_there',
        { object: kind, slug, pointer: `/${name}` },
        owned(name)
          ? 'A new object needs this value of the target. Give it in `values`.'
          : 'The source does not say this, and a new object needs it.',
      ),
    ),
    problems: [],
  }
}

/** A source can be of another template: what a target was created with stays. */
function setOnceProblems({ kind, current, wanted }: ObjectDraft): Refused[] {
  if (!current) return []
  return setOnce(kind).flatMap((name): Refused[] => {
    const written = wanted.get(`/${name}`)
    if (!written || (written.value ?? null) === (current[name] ?? null)) return []
    const detail = 'This is set when the object is created, and never changes. Leave it out, or write what the target has.'
    return [{ code: 'not_valid_there', path: [name], detail, alone: false }]
  })
}

function identityProblems({ kind, slug, current, next }: ObjectDraft, { slugs }: Servers): Refused[] {
  if (kind !== 'resource_server' || !next) return []
  const refuse = (code: PromotionCheckCode, detail: string): Refused => ({ code, path: ['identifier'], detail, alone: false })
  if (current && current.identifier !== next.identifier)
    return [
      refuse('not_valid_there', 'An identifier never changes: issued tokens have it. Create another resource server with a new slug.'),
    ]
  const is_taken = slugs.get(next.identifier)?.some((other) => other !== slug)
  return is_taken
    ? [refuse('identifier_taken', 'Another resource server of the target has this identifier. Give a different identifier.')]
    : []
}

/** A secret must not be sent to another issuer. */
export const hasNewIssuer = (current: Fields, next: Fields): boolean => {
  const [before, after] = [current, next].map((fields) => issuerOfProvider(fields as Parameters<typeof issuerOfProvider>[0])) // as: checked by the schema
  return before !== after
}

function issuerProblems({ kind, current, next, wanted }: ObjectDraft): Refused[] {
  if (kind !== 'provider' || !current || !next || !hasNewIssuer(current, next)) return []
  return secretsOf('provider').flatMap((name): Refused[] => {
    if (current[name] === null || wanted.has(`/${name}`)) return []
    return [{ code: 'secret_required', path: [name], detail: 'A new issuer needs its own secret.', alone: false }]
  })
}

/** Sorts the refusals: a value of the caller that is refused by itself is a mistake at its place; every other refusal is a check. */
function sorted(
  at: { object: ObjectOfConfiguration; slug: string | null },
  wanted: ReadonlyMap<string, WantedField>,
  refused: readonly Refused[],
): Findings {
  const placed = refused.map((each) => {
    const pointer = `/${each.path.join('/')}`
    const field = [...wanted].find(([field]) => pointer === field || pointer.startsWith(`${field}/`))
    const place = each.alone ? field?.[1].at : null
    return { ...each, pointer, place: place == null ? null : place + pointer.slice(field?.[0].length) }
  })
  return {
    checks: placed.flatMap(({ code, pointer, place, detail }) => (place === null ? [errorCheck(code, { ...at, pointer }, detail)] : [])),
    problems: placed.flatMap(({ place, detail }) => (place === null ? [] : [{ pointer: place, code: 'not_allowed', detail }])),
  }
}

/** A change of providers alone must leave a way in too. */
function wayInErrors({ settings, objects }: Drafts, after: Objects): PromotionCheck[] {
  const changes_methods = settings.patch.sign_in !== undefined
  const loses_provider = objects.some(
    ({ kind, current, next }) => kind === 'provider' && current?.enabled === true && next?.enabled !== true,
  )
  if (changes_methods || !loses_provider || hasProvider(after)) return []
  if (offersOwnMethod(settings.next as unknown as Parameters<typeof offersOwnMethod>[0])) return [] // as: the settings in effect
  const detail = 'This leaves no way to sign in: no method is on and no provider is enabled.'
  return [errorCheck('not_valid_there', { object: 'settings', slug: null, pointer: '/sign_in' }, detail)]
}

/** Everyone has few roles. */
function defaultErrors({ objects }: Drafts, { role }: Objects): PromotionCheck[] {
  const kinds = [...role.values()].flatMap((fields) => (fields.default === true ? [fields.kind] : []))
  return objects.flatMap(({ kind, slug, current, next }) => {
    const begins = kind === 'role' && next?.default === true && current?.default !== true
    if (!begins || kinds.filter((each) => each === next?.kind).length <= most_default) return []
    return [errorCheck('not_valid_there', { object: kind, slug, pointer: '/default' }, too_many_default)]
  })
}

function quotaErrors(target: Configuration, { objects }: Drafts, { room }: Surroundings): PromotionCheck[] {
  return object_kinds.flatMap((kind) => {
    const most = room[kind]
    const created = objects.filter((draft) => draft.kind === kind && draft.current === null)
    const deleted = objects.filter((draft) => draft.kind === kind && draft.next === null && target.objects[kind].has(draft.slug))
    const first = most === undefined ? undefined : created[most + deleted.length]
    if (first === undefined) return []
    const detail = 'The target has no room for all new objects of this kind. Delete some there, or ask the operator for a higher limit.'
    return [errorCheck('quota_exceeded', { object: kind, slug: first.slug, pointer: null }, detail)]
  })
}
