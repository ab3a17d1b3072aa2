/**
 * The words by which users are found. A word of a query occurs in a word of the user; one of one or two characters begins it. The texts are
 * folded: case and look-alikes do not matter, accents do. A gram is three neighbouring characters of a word, or its first one or two behind
 * the line feed that begins each word.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { createBoundedMap } from '../../base/bounded-map.ts'
import { sha256 } from '../../base/digest.ts'
import { folded, longest_normalised } from '../../base/normalisation.ts'

/** The texts by which a user is found. */
export interface Findable {
  id: string
  /** Where it is not the id. */
  sub?: string | null | undefined
  email?: string | null | undefined
  name?: string | null | undefined
  given_name?: string | null | undefined
  family_name?: string | null | undefined
  nickname?: string | null | undefined
  preferred_username?: string | null | undefined
  phone_number?: string | null | undefined
}

const begins = '\n'
/** A shorter word of a query is compared with the beginning of words. */
const least_inside = 3
/** More grams find no fewer users, or hardly: what is found is compared as a whole. */
const most_grams = 32

const wordsIn = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '')
const foldedWords = (text: string): string[] => wordsIn(folded(text.slice(0, longest_normalised)))

/** The words of a user, each once, between line feeds. */
export function wordsOf({ id, sub, email, name, given_name, family_name, nickname, preferred_username, phone_number }: Findable): string {
  const texts = [id, sub, email, name, given_name, family_name, nickname, preferred_username, phone_number]
  return `${begins}${[...new Set(texts.flatMap((text) => foldedWords(text ?? '')))].join(begins)}${begins}`
}

/** The words of a query, each once. */
export const queriedWords = (query: string): string[] => [...new Set(foldedWords(query))]

const isInside = (word: string): boolean => [...word].length >= least_inside

/** The part that the words of a user have if the word of a query finds the user. */
export const partOf = (word: string): string => (isInside(word) ? word : `${begins}${word}`)

/** The neighbours in a text, so many at a time. */
function windows(text: string, length: number): string[] {
  const characters = [...text]
  return characters.slice(length - 1).map((_, at) => characters.slice(at, at + length).join(''))
}

/** The grams of a user's words. */
export const gramsOf = (words: string): string[] => [
  ...new Set(wordsIn(words).flatMap((word) => [...windows(`${begins}${word}`, 2).slice(0, 1), ...windows(`${begins}${word}`, 3)])),
]

/** Grams that each user has whom these words of a query find. */
export const queriedGrams = (words: readonly string[]): string[] =>
  [...new Set(words.flatMap((word) => (isInside(word) ? windows(word, least_inside) : [`${begins}${word}`])))].slice(0, most_grams)

/**
 * The number of a text in an environment, in decimal. Equal numbers of different texts are as good as impossible, and would only cost time: what
 * the index finds is compared. With the environment in it, those of other environments are never looked at.
 */
export function numberOf(environment_id: EnvironmentId, text: string): string {
  const key = `${environment_id} ${text}`
  const known = known_numbers.get(key)
  if (known !== undefined) return known
  const number = BigInt.asUintN(63, BigInt(`0x${sha256(key, 'hex').slice(0, 16)}`)).toString()
  if (text.length <= 2 * least_inside) known_numbers.set(key, number)
  return number
}

/** Names have few grams that are not in others. */
const known_numbers = createBoundedMap<string, string>(20_000)
