/** Refuses the forms of hosted pages in a real browser, and lists the forms that there are. */
import assert from 'node:assert/strict'
import { oidcRoutes, serviceRoutes } from '@ostiary/contract/routes.ts'
import type { Page } from 'playwright-core'
import { isAt } from './distant.ts'
import { examplePages } from './example-pages.ts'

/** The routes that forms of hosted pages are sent to, each by the end of its address. A POST that answers no page is of a script. */
export const form_routes: ReadonlyMap<string, string> = new Map(
  [...Object.entries(oidcRoutes), ...Object.entries(serviceRoutes)].flatMap(([name, route]) =>
    route.method === 'POST' && route.credential.kind === 'session' && 'page' in route
      ? [[route.path.replace('/e/{environment_id}', ''), name] as const]
      : [],
  ),
)

/** The route of a form; `undefined` where it is sent to another website. */
function routeOf(action: string): string | undefined {
  const path = new URL(action).pathname.replace(/^\/e\/[^/]+/, '')
  return [...form_routes].find(([route]) => new RegExp(`^${route.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path))?.[1]
}

/** Every button of every example of a page, with the route of its form: `useLink: confirm`. */
export function buttonsOfExamples(): string[] {
  const pages = Object.values(examplePages('test')).map(({ html }) => html)
  const forms = pages.flatMap((html) => [...html.matchAll(/<form\b[^>]* method="post" action="([^"]*)"[^>]*>(.*?)<\/form>/gs)])
  const buttons = forms.flatMap(([, action = '', content = '']) =>
    [...content.matchAll(/<button\b[^>]* data-action="([^"]*)"/g)].map(([, button]) => [routeOf(action.replaceAll('&amp;', '&')), button]),
  )
  return [...new Set(buttons.flatMap(([route, button]) => (route === undefined ? [] : [`${route}: ${button}`])))].sort()
}

interface Form {
  action: string
  fields: string[]
  buttons: string[]
}

const formsOf = (page: Page): Promise<Form[]> =>
  page.evaluate(`[...document.querySelectorAll('form[method=post]')].map((form) => ({
    action: form.getAttribute('action'),
    fields: [...new Set([...form.elements].map(({ name }) => name))],
    buttons: [...form.querySelectorAll('button[data-action]')].map((button) => button.dataset.action),
  }))`)

export const shown = (page: Page): Promise<string> => page.locator('main').innerText()

/** Sends a form of the page as it is, without the check of its fields by the browser. */
async function send(page: Page, index: number, { token }: { token: 'kept' | 'removed' }): Promise<void> {
  await page.evaluate(`{
    const form = document.querySelectorAll('form[method=post]')[${index}]
    const token = form.querySelector('[name=csrf]')
    if (token && ${token === 'removed'}) token.value = ''
    HTMLFormElement.prototype.submit.call(form)
  }`)
  await page.locator('main [role=alert]').first().waitFor()
}

interface Walk {
  /** Of the service, where another page of it is. */
  base_url: string
  advance(seconds: number): void
}

/** The refusals in the walks of a file: `routes` by name, and `buttons` as `buttonsOfExamples` writes them. */
export const refused = { routes: new Set<string>(), buttons: new Set<string>() }

const sentences = {
  removed: /A part of this form did not arrive, so nothing was done/,
  kept: /fields? (is|are) wrong|Enter /,
}

/** A form is the same one where it has the same address, fields and buttons. It is refused once. */
export function createWalk({ base_url, advance }: Walk) {
  const seen = new Set<string>()

  /** Refuses each new form of the page, goes elsewhere, Back, Reload, and leads back to the plain page. */
  return async function survives(page: Page, step: string | null, token: 'kept' | 'removed' = 'removed'): Promise<void> {
    if (step !== null) await isAt(page, step)
    const address = page.url()
    const forms = await formsOf(page)
    assert.ok(forms.length > 0, `${step} has a form`)
    const plain = await shown(page)
    for (const [index, { action, fields, buttons }] of forms.entries()) {
      const route = routeOf(action)
      const key = JSON.stringify([step, route, fields, buttons])
      if (route === undefined || seen.has(key)) continue
      seen.add(key)
      refused.routes.add(route)
      for (const button of buttons) refused.buttons.add(`${route}: ${button}`)
      const name = `${step}, ${route}: ${buttons.join()}`
      await send(page, index, { token })
      const text = await shown(page)
      assert.match(text, sentences[token], name)
      await page.goto(`${base_url}/healthz`)
      const back = await page.goBack()
      assert.equal(await shown(page), text, `${name}, by Back`)
      assert.ok(back === null || back.status() === 400, `${name}: ${back?.status()}`)
      const reloaded = await page.reload()
      assert.equal(reloaded?.status(), 400, `${name}, loaded again`)
      assert.equal(await shown(page), text, `${name}, loaded again`)
      advance(60)
      await page.goto(address)
      assert.doesNotMatch(await shown(page), sentences[token], name)
    }
    if (step !== null) await isAt(page, step)
    else assert.equal(await shown(page), plain)
  }
}
