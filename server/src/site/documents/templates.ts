/** Serves the templates of applications, which are the same for everyone. Each answer is made at the first request for it, and then kept. */
import { templates } from '@ostiary/contract/application-templates/index.ts'
import { type Text, withForms } from './text.ts'

const headers = { 'content-type': 'application/json; charset=utf-8' }

export function createTemplateTexts() {
  const all = withForms({ body: JSON.stringify({ data: templates }), headers })
  const kept = new Map<string, Promise<Text>>() // at most one for each template

  return {
    /** All templates for `undefined`; `null` for a slug that no template has. */
    async find(slug: string | undefined): Promise<Text | null> {
      if (slug === undefined) return all
      const template = templates.find((each) => each.slug === slug)
      if (!template) return null
      const text = kept.get(slug) ?? withForms({ body: JSON.stringify(template), headers })
      kept.set(slug, text)
      return text
    },
  }
}
