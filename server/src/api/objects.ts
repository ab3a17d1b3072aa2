/** Writes the objects of an environment for their routes: created with a slug, changed and deleted by their version. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { changedFields } from '../base/changed-fields.ts'
import { type Db, requires, type Statement } from '../db/db.ts'
import type { IfMatch } from '../domain/lists/if-match.ts'
import { type Named, type NamedCall, readNamedPage } from '../domain/lists/search.ts'
import { changeVersioned } from '../domain/lists/versions.ts'
import { createWithSlug } from '../domain/slugs/choose.ts'
import type { SlugScope } from '../domain/slugs/store.ts'
import type { Edit, ObjectChange } from '../domain/tenancy/objects.ts'
import { isThereRoom } from '../domain/tenancy/store.ts'
import type { Commit } from './commit.ts'
import { environmentOf, type PlatformCall } from './environment.ts'
import type { Call } from './handler.ts'
import type { Services } from './services.ts'

/** One page of the objects of the environment in the path, with the filters of named objects. */
export async function listObjects<T extends Named>(
  services: Services,
  call: PlatformCall & NamedCall,
  list: string,
  read: (db: Db, environment_id: EnvironmentId, rest: Statement) => Promise<T[]>,
) {
  const { id } = await environmentOf(services, call)
  return readNamedPage(services, call, `${list}.${id}`, (rest) => read(services.db, id, rest))
}

/** Of a route that writes objects of an environment. */
interface Writing {
  readonly commit: Commit
}

interface Row {
  readonly id: string
  readonly slug: string
  readonly environment_id: EnvironmentId
  readonly version: number
}

interface Creation<T extends Row> {
  scope: SlugScope
  /** The slug of the request, if it has one. */
  slug: string | undefined
  /** The text that the slug is made from otherwise. */
  name: string
  /** The condition of the quota. It reads rows of the environment, which the batch holds, or of what `first` holds. */
  room: Statement
  first?: readonly Statement[]
  /** The secret that is shown once is part of the record. */
  created: (slug: string) => ObjectChange<T>
  /** Refuses by the quota, which is reached. */
  refuseWithoutRoom: () => unknown
  /** Throws other refusals that are not about the slug. */
  refuse?: () => Promise<void>
}

export async function createObject<T extends Row>(
  services: Services,
  { commit, fail }: Writing & Pick<Call<'createWebhook'>, 'fail'>,
  { scope, slug, name, room, first = [], created, refuseWithoutRoom, refuse }: Creation<T>,
): Promise<T> {
  return createWithSlug(services, scope, {
    slug,
    name,
    create: async (slug) => {
      const change = created(slug)
      return (await commitChange(commit, { ...change, statements: [requires(room), ...change.statements] }, services.now(), first))
        ? change.after
        : null
    },
    refuse: async () => {
      if (!(await isThereRoom(services.db, room))) await refuseWithoutRoom()
      await refuse?.()
    },
    fail,
  })
}

interface Changing {
  readonly if_match: IfMatch
  readonly body: object
}

interface Change<T extends After, Fields extends object, After extends Row> {
  find: () => Promise<T | null>
  /** The fields that an administrator can change, after the change. Throws where they are refused. */
  next: (current: T) => Fields | Promise<Fields>
  /** Names of write-only fields that were sent. They are treated as changed: the old value cannot be compared. */
  sent_secrets?: readonly string[]
  /** Guards of the change, such as that a way in stays. */
  guards?: (current: T, next: Fields) => Promise<readonly Statement[]>
  changed: (current: T, edit: Edit<Fields>) => ObjectChange<After>
}

/** Returns the object after the change; where nothing changes, as it was found. */
export function changeObject<T extends After, Fields extends object, After extends Row>(
  { now }: Services,
  { commit, if_match, body }: Writing & Changing,
  { find, next, sent_secrets = [], guards, changed }: Change<T, Fields, After>,
): Promise<After> {
  return changeVersioned<T, After>(if_match, find, async (current) => {
    const fields = await next(current)
    const guarding = (await guards?.(current, fields)) ?? []
    const names = [...changedFields(Object.keys(body), current, { ...current, ...fields }), ...sent_secrets]
    if (names.length === 0) return current
    const at = now()
    const change = changed(current, { fields, changed: names, at })
    return (await commitChange(commit, { ...change, statements: [...guarding, ...change.statements] }, at)) ? change.after : null
  })
}

/** Deletes an object, and returns it as it was. */
export function deleteObject<T extends Row>(
  { now }: Services,
  { commit, if_match }: Pick<Writing & Changing, 'commit' | 'if_match'>,
  find: () => Promise<T | null>,
  deleted: (current: T, at: Date) => ObjectChange<null> | Promise<ObjectChange<null>>,
): Promise<T> {
  return changeVersioned(if_match, find, async (current) => {
    const at = now()
    return (await commitChange(commit, await deleted(current, at), at)) ? current : null
  })
}

/** Commits the change of an object. False where a guard failed and nothing happened. */
export function commitChange(
  commit: Commit,
  { statements, before, after, event, judged }: ObjectChange<Row | null>,
  at: Date,
  first: readonly Statement[] = [],
): Promise<boolean> {
  const { environment_id } = (after ?? before) as Row // as: a change has one of them
  const raised = event ? { event: { environment_id, ...event } } : {}
  return commit({ first, statements, before, answer: after && { ...after }, ...raised, ...(judged ? { judged } : {}) }, at)
}
