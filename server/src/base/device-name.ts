// pure
/** Names a browser and its system by the User-Agent, as a person recognises them. A browser can send any text, so nothing relies on it. */
import { browsers, systems } from '@ostiary/contract/user-agents.ts'

export interface DeviceName {
  browser: string | null
  system: string | null
  is_phone: boolean
}

export function deviceName(user_agent: string | null): DeviceName {
  const nameIn = (known: readonly [RegExp, string][]) => known.find(([pattern]) => pattern.test(user_agent ?? ''))?.[1] ?? null
  const system = nameIn(systems)
  return { browser: nameIn(browsers), system, is_phone: system === 'iPhone' || /\bMobile\b/.test(user_agent ?? '') }
}

/** For a mail, without words of a language: `Firefox, Linux`. `null` for an unknown device. */
export function deviceLine(user_agent: string | null): string | null {
  const { browser, system } = deviceName(user_agent)
  return [browser, system].filter((part) => part !== null).join(', ') || null
}
