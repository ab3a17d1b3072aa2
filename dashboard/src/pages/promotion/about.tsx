/** The context of the page of a promotion: the promotion, both environments, and the names of the objects. */
import type { Environment, EnvironmentConfiguration, Promotion } from '@ostiary/sdk'
import { createContext, use } from 'react'
import type { Subject } from '../compare/fields.ts'
import { nameOf, objectIn, valueAt } from '../compare/values.ts'
import type { Place } from './words.ts'

export interface About {
  promotion: Promotion
  /** `null` for a promotion from a document. */
  source: Environment | null
  target: Environment
  /** The configurations as they are now; `undefined` while they are read. */
  documents: { source: EnvironmentConfiguration | undefined; target: EnvironmentConfiguration | undefined }
  names: (object: Subject, slug: string) => string
  /** Plans the same again without what is at a place; `null` where that is not possible. */
  leaveOut: (place: Place) => (() => void) | null
  /** Leads to the field for the value with this key. */
  give: (key: string) => void
}

const AboutContext = createContext<About | null>(null)
export const AboutProvider = AboutContext.Provider

export function useAbout(): About {
  const about = use(AboutContext)
  if (!about) throw new Error('This part needs a promotion around it.')
  return about
}

/** Leaves what is at a place out of the plan, which makes another plan. */
export function LeaveOut({ of: place, words }: { of: Place; words: string }) {
  const leave = useAbout().leaveOut(place)
  return leave ? (
    <button type="button" className="text-button" onClick={leave}>
      Leave it out<span className="vh">: {words}</span>
    </button>
  ) : null
}

/** By the source, the target, the values that a created object gets, and last its slug. */
export const namesOf =
  ({ source, target }: About['documents'], { changes }: Promotion): About['names'] =>
  (object, slug) => {
    for (const document of [source, target]) {
      const found = document && objectIn(document, object, slug)
      if (found) return nameOf(found, slug)
    }
    const change = changes.find((each) => each.object === object && each.slug === slug)
    const given = change?.fields.find(({ pointer }) => pointer === '/name' || pointer === '/display_name')?.to
    return typeof given === 'string' ? given : slug
  }

/** Returns the value of the source at a place. */
export const exampleAt = (
  { documents: { source } }: Pick<About, 'documents'>,
  object: Subject,
  slug: string | null,
  pointer: string,
): unknown => {
  const found = source && objectIn(source, object, slug)
  return found && valueAt(found, pointer)
}
