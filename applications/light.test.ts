/**
 * Three light products, as `npm run applications` tries them. They run where their packages are installed:
 * `npm run applications -- --install flask-oidc mozilla-django-oidc express-openid-connect`.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { launchBrowser, noBrowser } from '../server/test/support/chromium.ts'
import { folderOfPackages, install, isInstalled } from './install.ts'
import { endAll } from './processes.ts'
import { products } from './products.ts'
import { type Service, startService } from './service.ts'
import { tryProduct } from './trial.ts'

const names = ['flask-oidc', 'mozilla-django-oidc', 'express-openid-connect']
const light = products.filter(({ template }) => names.includes(template))
const skipOf = (product: (typeof light)[number]) =>
  noBrowser || (isInstalled(product, folderOfPackages(product)) ? false : `needs npm run applications -- --install ${product.template}`)

const folder = mkdtempSync(join(tmpdir(), 'ostiary-applications-'))
let service: Service
let browser: Browser
before(async () => {
  if (light.every(skipOf)) return
  const starting = startService(join(folder, 'service'))
  browser = await launchBrowser()
  service = await starting
})
after(async () => {
  await browser?.close()
  await service?.stop()
  endAll()
  rmSync(folder, { recursive: true, force: true })
})

for (const product of light)
  test(`${product.template} signs two people in and out by the lines of its template`, { skip: skipOf(product) }, async () => {
    const installed = await install(product, folderOfPackages(product))
    const { tried, problems } = await tryProduct(product, installed, {
      service,
      browser,
      folder: join(folder, product.template),
      values: {},
      by_template: true,
    })
    assert.deepEqual(problems, [])
    assert.ok(tried && Object.values(tried).every((works) => works !== false))
  })
