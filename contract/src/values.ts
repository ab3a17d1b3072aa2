/** Schemas that many resources share: times, slugs, names, URLs and pages. */
import { z } from 'zod'
import { isInternationalAddress } from './email-address.ts'
import { sentenceOf } from './sentences.ts'

z.config({ localeError: sentenceOf })

/** RFC 3339 in UTC with milliseconds, `2026-11-20T16:31:00.000Z`. The database stores milliseconds since 1970. */
export const Time = z.iso.datetime({ precision: 3 })

/** RFC 3339 with any offset, as clients send it. RFC 3339 §1: a year has four digits, so that the time can be shown in UTC. */
export const Moment = z.iso
  .datetime({ offset: true, abort: true })
  .refine((value) => /^\d{4}-/.test(inUtc(value)), 'Expected a time whose year in UTC is 0000 to 9999.')

/** A time that is stored as it is shown: in UTC, whatever offset it was sent with. */
export const UtcMoment = Moment.overwrite((value) => inUtc(value) || value)

/** The time in UTC; '' for text that is not a time. */
const inUtc = (value: string) => (Number.isNaN(Date.parse(value)) ? '' : new Date(value).toISOString())

/** The filters of a list by time. */
export const TimeRange = {
  from: Moment.optional().describe('Only what happened at this time or later.'),
  to: Moment.optional().describe('Only what happened before this time.'),
}

/**
 * A string of at most `max` characters. A longer string aborts the other checks: by default zod continues after `max`, and a pattern,
 * a URL parser or a refinement would process a megabyte.
 */
export const text = (max: number, min = 0) => z.string().min(min, { abort: true }).max(max, { abort: true })

/**
 * Fields that accept more than one line of text. In all other strings of a body or a query the server rejects control characters,
 * line and paragraph separators and lone surrogates (`server/src/api/text-rules.ts`).
 *
 * lines  tabs and line breaks
 * any    every character, because the value is compared and never stored
 */
export const characters = z.registry<{ allowed: 'lines' | 'any' }>()

/** For OpenAPI: the part of the pattern below that the regular expressions of every language spell alike. */
const documented_line = '^[^\\x00-\\x1f\\x7f-\\x9f]*$'

/** One line of text for people. Control characters break logs, mail and pages; directional ones can disguise a name (UTS #55). */
const line = (min: number, max: number) =>
  text(max, min)
    .regex(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]*$/u, 'Control characters are not allowed.')
    .meta({ pattern: documented_line })

export const Name = line(1, 100)
export const ShortText = line(0, 200)

/** A text of another system that names something, such as an id. Spaces and control characters would be lost on the way. */
export const VisibleAscii = z.string().regex(/^[\x21-\x7e]{1,255}$/, 'Use 1 to 255 visible characters of ASCII.')

export const Slug = z
  .string()
  .regex(/^[a-z0-9-]{1,63}$/, 'Use 1 to 63 of a-z, 0-9 and hyphen.')
  .describe('1 to 63 of a-z, 0-9 and hyphen, unique within its parent. It never changes.')

/** The slug of an object of an environment: in its record, at its creation, and in its change. */
export const slugs = {
  record: Slug.describe(
    'The name of the object in URLs and scripts, unique among the objects of its kind in the environment. It never changes.',
  ),
  created: Slug.optional().describe('Made from the name if it is absent. It must be unique and cannot be changed later.'),
}

/** An absolute http or https URL without user info. */
export const WebUrl = text(2_000).refine(isWebUrl, 'Expected an absolute http or https URL.').meta({ format: 'uri' })

/** RFC 9110 §4.2: http and https URLs have a host. User info is deprecated, because it can disguise the host. */
function isWebUrl(value: string): boolean {
  if (!/^https?:\/\/[^\s\\@\p{Cc}\p{Cs}]+$/iu.test(value)) return false
  return URL.canParse(value)
}

/** A serialised origin (RFC 6454 §6.2): scheme, host and port, as browsers send it. */
export const Origin = text(300).refine(
  (value) => /^https?:\/\//.test(value) && URL.canParse(value) && new URL(value).origin === value,
  'Expected an exact origin such as https://app.example.com: scheme, host and port only.',
)

const AsciiAddress = z.email()

/** The address of a person: ASCII, or with letters of any script in either part (`email-address.ts`). */
export const Email = text(254)
  .check((context) => {
    const { value, issues } = context
    if (AsciiAddress.safeParse(value).success || isInternationalAddress(value)) return
    issues.push({ code: 'invalid_format', format: 'email', input: value })
  })
  .meta({ format: 'idn-email' })

/**
 * An email address that mail can be sent to. RFC 6531 §3.3: letters of any script in the local part; RFC 5890 §2.3.2.3: and in the
 * domain.
 */
export const MailAddress = text(254)
  .refine(isMailAddress, 'Expected an email address such as ada@example.com.')
  .meta({ format: 'idn-email' })

function isMailAddress(value: string): boolean {
  const [, local = '', domain = ''] = /^([\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~.-]{1,64})@([\p{L}\p{M}\p{N}.-]+)$/u.exec(value) ?? []
  if (local === '' || /^\.|\.\.|\.$/.test(local)) return false
  return /^(?:(?!-)[^.]{1,63}(?<!-)\.)+(?!-|\d+$)[^.]{2,63}(?<!-)$/u.test(domain) && URL.canParse(`http://${domain}`)
}

/** The sender of mail: `address` or `Name <address>`. RFC 5322 §3.2.4: a name with special characters is quoted. */
export const Sender = text(400).refine((value) => senderOf(value) !== null, {
  error: ({ input }) => `Expected one address, or Name <address>.${needsQuotes(input) ? quotes : ''}`,
})

const quotes = ' Put a name with a comma or another special character in double quotes: "Acme, Inc." <id@example.com>.'

/** One address in angle brackets follows a name that would be a sender in quotes. */
function needsQuotes(input: unknown): boolean {
  const [, name = '', address = ''] = /^([^"\\<>]{1,200}?) ?(<[^<>]{1,254}>)$/u.exec(String(input).slice(0, 500)) ?? []
  return name !== '' && senderOf(`"${name}" ${address}`) !== null
}

/** The parts of a sender; `null` if the text is not one. */
export function senderOf(value: string): { name: string; address: string } | null {
  const match = /^(?:"([^"\\]*)" |([^"\\<>()[\],;:@]*?) ?)<([^<>]*)>$/u.exec(value)
  const address = match ? (match[3] ?? '') : value
  const name = (match?.[1] ?? match?.[2] ?? '').trim()
  return MailAddress.safeParse(address).success && (name === '' || Name.safeParse(name).success) ? { name, address } : null
}

/** A page of a list, newest first. */
export const page = <T extends z.ZodType>(item: T) =>
  z.strictObject({
    data: z.array(item).describe('The objects of this page.'),
    has_more: z.boolean().describe('Whether there are more objects after this page.'),
    next_cursor: z.string().nullable().describe('The `cursor` of the next page; `null` on the last page.'),
  })

/** An integer in a query: decimal digits without sign, point, exponent or space. `documented` is only for OpenAPI. */
export const wholeNumber = (min: number, max: number, documented: { default?: number } = {}) =>
  z
    .custom<string>(
      (value) => typeof value === 'string' && /^[0-9]{1,16}$/.test(value) && Number(value) >= min && Number(value) <= max,
      `Expected an integer from ${min} to ${max} in decimal digits.`,
    )
    .meta({ type: 'integer', minimum: min, maximum: max, ...documented })
    .transform(Number)

/** A boolean in a query. */
export const flag = z
  .custom<string>((value) => value === 'true' || value === 'false', 'Expected true or false.')
  .meta({ type: 'boolean' })
  .transform((value) => value === 'true')

/** A day in UTC, `2026-11-20`. */
export const Day = z.iso.date()

export const PageQuery = z.object({
  limit: wholeNumber(1, 100, { default: 20 }).default(20).describe('The number of objects in a page, 1 to 100. The default is 20.'),
  cursor: z
    .string()
    .register(characters, { allowed: 'any' })
    .optional()
    .describe('The `next_cursor` of the page before. It is opaque and valid for the same list and filters only.'),
})

/** The filters of a list of objects that have a slug. */
export const NamedQuery = PageQuery.extend({
  slug: Slug.optional().describe('Return only the object with this slug.'),
  query: text(200)
    .register(characters, { allowed: 'any' })
    .optional()
    .describe('Words that each occur in the name or the slug, in any case. An empty text counts as none.'),
})

/** An integer number of seconds within a range, with a default. */
export const seconds = (min: number, max: number, fallback: number) => z.int().min(min).max(max).default(fallback)
