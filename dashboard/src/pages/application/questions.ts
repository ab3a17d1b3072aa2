/** The questions before a change of an application that ends something. */
import type { Application, ApplicationChange } from '@ostiary/sdk'
import type { Question } from '../../parts/question.ts'

const secret_methods = ['client_secret', 'client_secret_basic', 'client_secret_post']
/** Whether an application that authenticates like this has a secret. */
export const usesSecret = (method: string): boolean => secret_methods.includes(method)

/** The question before a change that stops requests which work now; `null` where none does. */
export function questionOf(application: Application, change: ApplicationChange): Question | null {
  const { name, token_endpoint_auth_method: before, has_client_secret } = application
  const method = change.token_endpoint_auth_method
  if (change.disabled)
    return {
      title: `Disable ${name}?`,
      consequence:
        'Nobody can sign in through it any more, and everybody who did loses its tokens at once. Enabling it brings no token back.',
      keep: 'Keep it enabled',
      act: 'Disable now',
    }
  const widens = method === 'client_secret' && usesSecret(before) // every request that works now goes on working
  if (method && method !== before && !widens)
    return {
      title: `Change how ${name} authenticates?`,
      consequence: `From now on its token requests must authenticate by ${method}. Those by ${before} are refused at once, so that nobody can sign in until its code changes too.${has_client_secret && !usesSecret(method) ? ' Its secret is deleted for good.' : ''}`,
      keep: `Keep ${before}`,
      act: 'Change now',
    }
  return null
}
