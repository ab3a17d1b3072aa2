/** The names in promotions: settings, kinds of objects, fields by their pointers, and those meant to differ between environments. */
import { z } from 'zod'
import { ShortText, Slug, text } from './values.ts'

export const ObjectOfConfiguration = z.enum(['settings', 'resource_server', 'role', 'application', 'provider', 'webhook'])
export type ObjectOfConfiguration = z.infer<typeof ObjectOfConfiguration>

export const object = ObjectOfConfiguration.describe('What it is about.')
export const slug = Slug.nullable().describe('The slug of the object; `null` for the settings.')

/** RFC 6901, within the object. The longest pointer has three names. */
export const pointer = text(200)
  .regex(/^(\/[a-z_]+)+$/, 'Expected the JSON pointer of a field, such as /redirect_uris.')
  .describe('The JSON pointer of the field within the object.')
  .meta({ examples: ['/redirect_uris'] })

export const most_keeps = 200

/** A field, or a whole object, that is meant to differ from other environments. */
export const Kept = z.strictObject({
  object,
  slug: slug.default(null),
  pointer: pointer
    .nullable()
    .describe('The JSON pointer of the field within the object; `null` for the whole object, also one that is not wanted here.'),
  reason: ShortText.min(1).describe('Why it is meant to differ, at most 200 characters.'),
})
export type Kept = z.infer<typeof Kept>
