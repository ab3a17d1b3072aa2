/**
 * The index by which users are found (`words.ts`). Each batch that changes what a user is found by writes it too. `user_texts` has the words,
 * `user_words` the numbers of their grams: a full-text table of SQLite, an array with an index on PostgreSQL (decision 0201).
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import type { UserRef } from '../../base/user-ref.ts'
import { type Db, join, type OfEnvironment, type Statement, sql } from '../../db/db.ts'
import { inEnvironment } from '../../db/environment.ts'
import { insertInto } from '../../db/rows.ts'
import { type Findable, gramsOf, numberOf, partOf, queriedGrams, wordsOf } from './words.ts'

/** Both engines read numbers from this text: an array of PostgreSQL, words of SQLite. */
const arrayOf = (environment_id: EnvironmentId, grams: readonly string[]): string =>
  `{${grams.map((gram) => numberOf(environment_id, gram)).join(',')}}`

const rowOf = ({ environment_id, id }: UserRef): bigint => BigInt(numberOf(environment_id, id))

/** Writes the words of a new user. Put it after the insert of the user. */
export const insertFindable = (environment_id: EnvironmentId, user: Findable): Statement[] => [
  insertInto('user_texts', { environment_id, user_id: user.id, words: wordsOf(user) }),
  insertGrams(environment_id, user),
]

/** Writes the words of a user who may have some. Put it after the guard that holds the user. */
export const keepFindable = (environment_id: EnvironmentId, user: Findable): Statement[] => [
  insertInto(
    'user_texts',
    { environment_id, user_id: user.id, words: wordsOf(user) },
    sql`on conflict (environment_id, user_id) do update set words = excluded.words`,
  ),
  forgetGrams({ environment_id, id: user.id }),
  insertGrams(environment_id, user),
]

/** The same after a change, which may concern nothing that the user is found by. */
export const keepChangedFindable = (environment_id: EnvironmentId, before: Findable, after: Findable): Statement[] =>
  wordsOf(before) === wordsOf(after) ? [] : keepFindable(environment_id, after)

/** Removes what a deleted user was found by. */
export const forgetFindable = (ref: UserRef): Statement[] => [
  sql`delete from user_texts where environment_id = ${ref.environment_id} and user_id = ${ref.id}`,
  forgetGrams(ref),
]

const insertGrams = (environment_id: EnvironmentId, user: Findable): Statement =>
  insertInto('user_words', {
    rowid: rowOf({ environment_id, id: user.id }),
    environment_id,
    user_id: user.id,
    grams: arrayOf(environment_id, gramsOf(wordsOf(user))),
  })

const forgetGrams = (ref: UserRef): Statement =>
  sql`delete from user_words where rowid = ${rowOf(ref)} and ${inEnvironment(ref.environment_id)}`

/** Selects the users that have all of some grams, in no order: `environment_id` and `user_id`. */
function holdersOf(engine: Db['engine'], environment_id: EnvironmentId, grams: readonly string[]): OfEnvironment {
  const found = sql`select environment_id, user_id from user_words where`
  if (engine === 'postgres')
    return sql`${found} grams @> cast(${arrayOf(environment_id, grams)} as bigint[]) and ${inEnvironment(environment_id)}`
  const numbers = grams.map((gram) => quoted(environment_id, gram))
  // https://www.sqlite.org/fts5.html#full_text_query_syntax: the table equals the query, which is the same as `match`.
  return sql`${found} user_words = ${numbers.join(' AND ')} and ${inEnvironment(environment_id)}`
}

const quoted = (environment_id: EnvironmentId, gram: string): string => `"${numberOf(environment_id, gram)}"`

/** Comparisons of a user with a word that one call makes: so long the embedded engine answers nothing else. */
const most_compared = 40_000

/** The next users that a call looks at, for a list with so many words. */
export const lookedAt = (words: readonly string[]): number => Math.min(4_000, Math.floor(most_compared / Math.max(words.length, 1)))

/** The users whom an index names are looked at, if they are so few. */
const mostNamed = (words: readonly string[]): number => lookedAt(words) / 2

/** More holders of a gram are not read to find those whom they have in common with the holders of others. */
const most_in_common = 20_000

/**
 * Selects users among whom all are who have some words: those with the grams that few users have. FTS5 reads all holders of each gram in a
 * query, also those of one that everybody has. `null` if many users have each of the grams.
 */
async function holdersOfWords(db: Db, environment_id: EnvironmentId, words: readonly string[]): Promise<OfEnvironment | null> {
  const grams = queriedGrams(words)
  if (db.engine === 'postgres') return holdersOf(db.engine, environment_id, grams)
  for (const most of [mostNamed(words), most_in_common]) {
    const rare = await rareAmong(db, environment_id, grams, most)
    if (rare.length > 0) return holdersOf(db.engine, environment_id, rare)
  }
  return null
}

/** Returns the grams that at most so many users have. The number of a gram is that of its environment, so no row is read. */
async function rareAmong(db: Db, environment_id: EnvironmentId, grams: readonly string[], most: number): Promise<string[]> {
  const counts = grams.map(
    (gram, at) =>
      sql`select ${at} as at, count(*) as count
            from (select 1 from user_words where user_words = ${quoted(environment_id, gram)} and ${environment_id} <> '' limit ${most + 1}) holders`,
  )
  const counted = await db.of(environment_id).all(CountedGram, join(counts, ' union all '))
  return counted.flatMap(({ at, count }) => (count <= most ? (grams[at] ?? []) : []))
}
const CountedGram = z.object({ at: z.int(), count: z.int() })

/** The users that an index names, as the table `named` of a statement; `null` if they are too many for a call to look at all of them. */
export async function fewOf(
  db: Db,
  environment_id: EnvironmentId,
  source: OfEnvironment,
  words: readonly string[],
): Promise<OfEnvironment | null> {
  const most = mostNamed(words)
  const some = sql`(${source} limit ${most + 1}) named`
  const [row] = await db.of(environment_id).all(Counted, sql`select count(*) as count from ${some}`)
  return (row?.count ?? 0) <= most ? some : null
}

/** The same for the index of words. */
export async function fewByWords(db: Db, environment_id: EnvironmentId, words: readonly string[]): Promise<OfEnvironment | null> {
  const source = words.length === 0 ? null : await holdersOfWords(db, environment_id, words)
  return source === null ? null : fewOf(db, environment_id, source, words)
}

const Counted = z.object({ count: z.int() })

/** Looks for a part in a text. `like` takes seconds for words of one letter a thousand times over (decision 0201). */
const place_of = { sqlite: sql`instr`, postgres: sql`strpos` }

/** The conditions on the texts `t` of a user whom the words of a query find. */
export const findsTexts = (engine: Db['engine'], words: readonly string[]): Statement[] =>
  words.map((word) => sql`${place_of[engine]}(t.words, ${partOf(word)}) > 0`)

/** The words of a query find a user. PostgreSQL asks this of each user by itself: a join could read all texts of the environment. */
export const isFoundBy = (
  engine: Db['engine'],
  environment_id: EnvironmentId,
  user_id: Statement,
  words: readonly string[],
): OfEnvironment =>
  sql`coalesce((select 1 from user_texts t
    where t.environment_id = ${environment_id} and t.user_id = ${user_id} and ${join(findsTexts(engine, words), ' and ')}), 0) <> 0`

/** Finds the users of some words; `null` if the index names many. */
export async function findByWords(db: Db, environment_id: EnvironmentId, words: readonly string[]): Promise<string[] | null> {
  const few = await fewByWords(db, environment_id, words)
  if (few === null) return null
  const found = sql`select named.user_id from ${few} where ${isFoundBy(db.engine, environment_id, sql`named.user_id`, words)}`
  return (await db.of(environment_id).all(Named, found)).map(({ user_id }) => user_id)
}
const Named = z.object({ user_id: z.string() })
