/** Reads the dashboard's explanation of a pasted id. */
import type { Page } from 'playwright-core'

/** Pastes a reference, a request id or a message id into the palette, and reads the cause and the fix of the page that opens. */
export async function explanationOf(page: Page, id: string): Promise<{ reason: string; fix: string }> {
  const opened = page.getByRole('button', { name: 'Close', exact: true })
  if (await opened.isVisible()) await opened.click()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search pages, or paste an id' }).fill(`Reference: ${id}`)
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.search.includes(id))
  const cause = page.locator('.cause').first()
  await cause.waitFor()
  const [reason, fix] = [cause.locator('.strong'), cause.locator('.fix')]
  return { reason: (await reason.textContent()) ?? '', fix: (await fix.textContent()) ?? '' }
}
