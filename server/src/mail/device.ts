// pure
/** Names the browser and the system of a User-Agent, as people know them. It never repeats text of the header. */

// biome-ignore format: read in this order, since most browsers also name others
const browsers: readonly [RegExp, string][] = [
  [/\bEdgA?\//, 'Edge'], [/\bOPR\//, 'Opera'], [/\bSamsungBrowser\//, 'Samsung Internet'], [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|Chromium)\//, 'Chrome'], [/\bSafari\//, 'Safari'],
]

// biome-ignore format: as above
const systems: readonly [RegExp, string][] = [
  [/\b(iPhone|iPod)\b/, 'iPhone'], [/\biPad\b/, 'iPad'], [/\bAndroid\b/, 'Android'], [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'], [/\bCrOS\b/, 'ChromeOS'], [/\bLinux\b/, 'Linux'],
]

/** Such as "Firefox on Windows"; `null` where neither is known. */
export function deviceName(user_agent: string | undefined): string | null {
  const text = (user_agent ?? '').slice(0, 500)
  const [browser, system] = [browsers, systems].map((list) => list.find(([pattern]) => pattern.test(text))?.[1])
  return browser && system ? `${browser} on ${system}` : (browser ?? system ?? null)
}
