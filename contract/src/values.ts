/** The small schemas that every resource is made of: times, slugs, names, URLs, pages. */
import { z } from 'zod'

/** RFC 3339 UTC with milliseconds, `2026-11-20T16:31:00.000Z`; milliseconds since 1970 in the database. */
export const Time = z.iso.datetime({ precision: 3 })

/**
 * A text of at most so many characters. What is longer is refused at once: zod goes on with the checks that follow a `max`,
 * so a pattern, a URL parser or a refinement would read a megabyte to no purpose.
 */
export const text = (max: number, min = 0) => z.string().min(min, { abort: true }).max(max, { abort: true })

/** A line people read. Controls would break logs, mails and pages; those of direction let a name read as another one (UTS #55). */
const line = (min: number, max: number) =>
  text(max, min).regex(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]*$/u, 'Control characters are not allowed.')

export const Name = line(1, 100)
export const ShortText = line(0, 200)
export const Slug = z.string().regex(/^[a-z0-9-]{1,63}$/, 'Use 1 to 63 of a-z, 0-9 and hyphen.')

/** An absolute https or http URL that people follow: no user info. */
export const WebUrl = text(2_000).refine(isWebUrl, 'Expected an absolute http or https URL.').meta({ format: 'uri' })

/** RFC 9110 §4.2: http and https URLs have a host; user info in them is deprecated and misleads people. */
function isWebUrl(value: string): boolean {
  if (!/^https?:\/\/[^\s\\@]+$/i.test(value)) return false
  return URL.canParse(value)
}

/** A serialised origin (RFC 6454 §6.2): scheme, host and port, as browsers send it. */
export const Origin = text(300).refine(
  (value) => /^https?:\/\//.test(value) && URL.canParse(value) && new URL(value).origin === value,
  'Expected an exact origin such as https://app.example.com: scheme, host and port, nothing else.',
)

export const Email = text(254).check(z.email())

/** A page of a list, newest first. */
export const page = <T extends z.ZodType>(item: T) =>
  z.strictObject({ data: z.array(item), has_more: z.boolean(), next_cursor: z.string().nullable() })

export const PageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  cursor: z.string().max(500).optional(),
})

/** Seconds within a range, with the value that counts when none is set. */
export const seconds = (min: number, max: number, fallback: number) => z.int().min(min).max(max).default(fallback)
