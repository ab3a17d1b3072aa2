/**
 * `npm run applications` tries the products of `products.ts`, one after the other: it installs each from its registry into
 * `.node/applications/`, starts it, signs two people in and out, and writes what it saw. `npm run applications -- --only streamlit dash` tries
 * those two, and `--install` installs without a trial. `--defaults` creates each application without its template, and writes whether that is
 * enough. A product whose packages are missing is skipped with the reason. Exits with 1 if a product does not sign both people in.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../server/test/support/chromium.ts'
import { folderOfPackages, type Installed, install, Missing } from './install.ts'
import { provide } from './parts-of-machine.ts'
import { endAll } from './processes.ts'
import type { Product } from './product.ts'
import { products, without_packages } from './products.ts'
import { tableOf, writeResult, writeWithoutTemplate } from './results.ts'
import { type Service, startService } from './service.ts'
import { type Outcome, tryProduct } from './trial.ts'

const root = join(import.meta.dirname, '..')
const folder = join(root, '.node/applications')

const { values, positionals } = parseArgs({
  options: { only: { type: 'string', multiple: true }, install: { type: 'boolean' }, defaults: { type: 'boolean' } },
  allowPositionals: true,
})
const by_template = !values.defaults
const word = (is_so: boolean | null) => (is_so === null ? '-' : is_so ? 'yes' : 'NO')
const folderOf = ({ template }: Product) => join(folder, 'runs', template)
const names = [...(values.only ?? []), ...positionals]
const isChosen = (name: string) => names.length === 0 || names.includes(name)
const unknown = names.filter((name) => !(name in without_packages) && !products.some(({ template }) => template === name))
if (unknown.length > 0) {
  console.error(`There is no product ${unknown.join(', ')}. There are: ${products.map(({ template }) => template).join(', ')}.`)
  process.exit(2)
}
const chosen = products.filter(({ template }) => isChosen(template))

process.once('exit', endAll)
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(130))

const rows = [['Product', 'Version', 'Both people', 'Refresh', 'Sign-out', 'Back-channel', 'Seconds']]
const failures: string[] = []
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'package.json'), '{}\n') // programs of a run do not belong to this repository
const shared: { service?: Service; browser?: Browser } = {}
try {
  for (const product of chosen) await report(product)
} finally {
  await shared.browser?.close()
  await shared.service?.stop()
  rmSync(join(folder, 'services', String(process.pid)), { recursive: true, force: true })
}
for (const [name, why] of Object.entries(without_packages)) if (isChosen(name)) rows.push([name, '', `skipped: ${why}`])
console.log(`\n${tableOf(rows)}${failures.length > 0 ? `\n\n${failures.join('\n')}` : ''}`)
process.exitCode = failures.length > 0 ? 1 : 0

async function report(product: Product): Promise<void> {
  const { template } = product
  const began = performance.now()
  const finish = (...cells: string[]) => {
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    rows.push([template, ...cells, ...Array.from({ length: 5 - cells.length }, () => ''), seconds])
    console.log(`${template}: ${cells.join(', ')} (${seconds} s)`)
  }
  try {
    const installed = await install(product, folderOfPackages(product))
    if (values.install) return finish(installed.version, 'installed')
    const { tried, problems } = await tryOne(product, installed)
    for (const problem of problems) failures.push(`${template}: ${problem}`)
    if (problems.length > 0) failures.push(`${template}: its log and pictures are in ${folderOf(product)}`)
    if (!by_template) writeWithoutTemplate(template, tried !== null)
    if (tried === null) return finish(installed.version, 'NO')
    const at = new Date().toISOString().slice(0, 10)
    if (by_template) writeResult({ slug: template, version: installed.version, at, ...tried })
    finish(installed.version, 'yes', ...[tried.refresh, tried.sign_out, tried.back_channel].map(word))
  } catch (error) {
    if (error instanceof Missing) return finish('', `skipped: ${error.message}`)
    failures.push(`${template}: ${error instanceof Error ? error.message : error}`, `${template}: its log is in ${folderOf(product)}`)
    finish('', 'NO')
  }
}

async function tryOne(product: Product, installed: Installed): Promise<Outcome> {
  shared.service ??= await startService(join(folder, 'services', String(process.pid)))
  shared.browser ??= await launchBrowser()
  const parts = await provide(product, join(folder, 'machine'))
  try {
    return await tryProduct(product, installed, {
      ...parts,
      service: shared.service,
      browser: shared.browser,
      folder: folderOf(product),
      by_template,
    })
  } finally {
    await parts.stop()
  }
}
