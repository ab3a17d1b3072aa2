/** The search of the documentation that the service serves. */
import { z } from 'zod'

/** The checks that a probe can request besides reading. */
export const ReadinessQuery = z.object({
  writes: z.literal('1').optional().describe('With `1` the answer is 503 while writes fail, too.'),
})

export const DocumentationQuery = z.object({
  q: z
    .string()
    .optional()
    .describe('The words to find. Only the whole words of the first 100 characters count, and only 8 that say something.'),
})

export const SearchResults = z.object({
  query: z.string().describe('The query, as far as it counts.'),
  results: z
    .array(
      z.object({
        title: z.string().describe('The title of the document.'),
        heading: z.string().describe('The heading of the section.'),
        url: z.string().describe('The path of the section.'),
        excerpt: z.string().describe('The text around the first word.'),
      }),
    )
    .describe('The best sections, at most 20.'),
})
