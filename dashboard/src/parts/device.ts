/** A browser and its system by the User-Agent, as people recognise them. A browser can send any text, so nothing relies on it. */
import { browsers, systems } from '../generated/user-agents.ts'

/** `Chrome on Linux`; the beginning of what another program sends, such as `node`. */
export function deviceOf(user_agent: string | null): string {
  if (user_agent === null || user_agent === '') return 'An unknown program'
  const first = (known: readonly [RegExp, string][]) => known.find(([pattern]) => pattern.test(user_agent))?.[1]
  const [browser, system] = [first(browsers), first(systems)]
  if (browser) return system ? `${browser} on ${system}` : browser
  return user_agent.length > 40 ? `${user_agent.slice(0, 40)}…` : user_agent
}
