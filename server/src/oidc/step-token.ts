/**
 * Seals the state of a waiting page in its address. The page can be loaded again, by reload, back, forward or a tab that was discarded,
 * and the service stores nothing for it (decision 0084). The text is sealed with the secret cookie of the browser, so that neither a log
 * nor another browser reads the email in it.
 */
import { z } from 'zod'
import type { Deployment } from '../deployment/deployment.ts'
import { openForBrowser, sealForBrowser } from '../deployment/secrets/secrets.ts'
import type { Browser } from './browser.ts'
import type { OidcCall } from './call.ts'

const KeptStep = z.object({
  page: z.enum(['code', 'forgot_sent', 'password_saved']),
  /** As it was typed. */
  email: z.string(),
  /** The code proves a sign-up. */
  is_sign_up: z.boolean().optional(),
  /** When the page was reached. */
  at: z.number(),
})
export type KeptStep = z.infer<typeof KeptStep>

type Services = Pick<Deployment, 'secrets' | 'random'>

/** The place of the text in an address, before the request. */
const in_query = /^step=([A-Za-z0-9_-]{1,3000})(?:&|$)/

/** The query of the page: the step, and then the request. A browser without the cookie of its forms reaches no such page. */
export function stepQuery(
  services: Services,
  call: OidcCall,
  { form_seed }: Pick<Browser, 'form_seed'>,
  step: Omit<KeptStep, 'at'>,
): string {
  const plaintext = Buffer.from(JSON.stringify({ ...step, at: call.now.getTime() } satisfies KeptStep))
  return `step=${sealForBrowser(keyOf(services, call, form_seed ?? ''), services.random(12), plaintext, 'step')}`
}

/**
 * Reads the query of a page: `step` is `null` where there is none of this browser. The forms of the page go on with the form cookie that
 * the step began with.
 */
export function readStepQuery<B extends Pick<Browser, 'form_seed' | 'form_seeds'>>(
  services: Services,
  call: OidcCall,
  browser: B,
): { step: KeptStep | null; query: string; browser: B } {
  const [own = '', text = ''] = in_query.exec(call.query) ?? []
  const query = call.query.slice(own.length)
  for (const { seed } of text === '' ? [] : browser.form_seeds) {
    const opened = openForBrowser(keyOf(services, call, seed), text, 'step')
    if (opened) return { step: KeptStep.parse(JSON.parse(opened.toString('utf8'))), query, browser: { ...browser, form_seed: seed } }
  }
  return { step: null, query, browser }
}

const keyOf = ({ secrets }: Services, { issuer }: OidcCall, form_seed: string): Buffer =>
  secrets.mac('key of a step', JSON.stringify([issuer.environment_id, form_seed]))
