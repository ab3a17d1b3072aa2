/** The acts of a person on the hosted pages, in a real browser. */
import type { Page } from 'playwright-core'

/** Creates an account, from the sign-in page. */
export async function createAccount(page: Page, email: string): Promise<void> {
  await page.getByRole('link', { name: 'Create an account' }).click()
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill('correct horse battery')
  await page.getByRole('button', { name: 'Create account' }).click()
}

export async function enterCode(page: Page, code: string): Promise<void> {
  await page.getByLabel('Code').fill(code)
  await page.getByRole('button', { name: 'Continue' }).click()
}
