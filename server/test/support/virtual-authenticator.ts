/** Browser profiles with virtual authenticators over the Chrome DevTools Protocol (WebAuthn §11). */
import type { TestContext } from 'node:test'
import type { Browser } from 'playwright-core'

const device = {
  protocol: 'ctap2' as const,
  transport: 'internal' as const,
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
}

/**
 * A browser profile with a page, its virtual authenticators, and the errors of its console. A virtual authenticator answers the request
 * for the list of the address field at once, as if the person had chosen the passkey there; without the list the button does it.
 */
export async function openProfile(t: TestContext, browser: Browser, { has_list = false, has_scripts = true } = {}) {
  const context = await browser.newContext({ javaScriptEnabled: has_scripts })
  if (!has_list) await context.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
  const page = await context.newPage()
  const errors: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) errors.push(message.text())
  })
  page.on('pageerror', (error) => errors.push(error.message))
  const cdp = await context.newCDPSession(page)
  await cdp.send('WebAuthn.enable', { enableUI: false })
  t.after(() => context.close())
  const add = async (options: Partial<typeof device> | object = {}) =>
    (await cdp.send('WebAuthn.addVirtualAuthenticator', { options: { ...device, ...options } })).authenticatorId
  return { context, page, cdp, errors, add }
}
