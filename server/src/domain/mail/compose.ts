// pure
/**
 * Composes a mail as plain text and as HTML (RFC 2046 §5.1.4). Values are plain text: the HTML escapes them. A mail has no image, no
 * style sheet and no link but its own and the one to the help of the environment, so a sender cannot learn that it was opened.
 */
import { type Html, html, markupOf } from '../../base/html.ts'
import { brandColours } from '../../pages/brand.ts'
import { chooseLocale } from '../../pages/locale.ts'
import { de } from './texts/de.ts'
import { en } from './texts/en.ts'
import type { Envelope, Letter, MailTexts, Notice } from './texts/notice.ts'

/** The first language is the fallback. */
const languages: Readonly<Record<string, MailTexts>> = { en, de }

export const mail_languages: readonly string[] = Object.keys(languages)

export interface Composed {
  subject: string
  text: string
  html: string
  code: string | null
  link: string | null
  language: string
}

interface Look {
  is_test: boolean
  /** BCP 47 tags, separated by spaces: the languages that the person reads. */
  locales: string | undefined
  primary_color: string | null
}

export function compose(notice: Notice, envelope: Envelope, { is_test, locales, primary_color }: Look): Composed {
  const { language, test_mark, letterOf } = languages[chooseLocale(mail_languages, locales, undefined)] ?? en
  const letter = letterOf(notice, envelope)
  const subject = oneLine(is_test ? `${test_mark} ${letter.subject}` : letter.subject)
  const code = 'code' in notice ? notice.code : null
  const link = 'link' in notice ? notice.link : null
  const markup = documentOf({ ...letter, subject }, { code, link, language, primary_color })
  return { subject, text: textOf(letter, code, link), html: markupOf(markup), code, link, language }
}

/** A line break would begin another header. Names cannot contain one; this is the last defence. */
const oneLine = (text: string) => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')

function textOf({ lead, action, paragraphs }: Letter, code: string | null, link: string | null): string {
  const first = code === null ? lead : `${code} ${lead}`
  const blocks = [first, ...(action !== undefined && link !== null ? [`${action}:\n${link}`] : []), ...paragraphs]
  return `${blocks.join('\n\n')}\n`
}

type Parts = Pick<Composed, 'code' | 'link' | 'language'> & { primary_color: string | null }

function documentOf({ subject, lead, action, paragraphs }: Letter, { code, link, language, primary_color }: Parts): Html {
  const { fill, on_fill } = brandColours(primary_color, 'light')
  const button = `display: inline-block; padding: 0.75rem 1.25rem; border-radius: 0.5rem; background: ${fill}; color: ${on_fill}`
  return html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${subject}</title></head>
<body style="font-family: system-ui, sans-serif; line-height: 1.5; max-width: 36rem; margin: 2rem auto; padding: 0 1rem">
${
  code !== null &&
  html`<p style="font-size: 2rem; font-weight: 600; letter-spacing: 0.15em; margin: 0">${code}</p>
`
}<p>${lead}</p>
${
  action !== undefined &&
  link !== null &&
  html`<p><a href="${link}" style="${button}">${action}</a></p>
<p style="overflow-wrap: anywhere">${link}</p>
`
}${paragraphs.map(
  (paragraph) => html`<p>${paragraph}</p>
`,
)}</body></html>
`
}
