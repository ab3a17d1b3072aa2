/**
 * A real browser for tests: the Chromium of an npm package, whose version is pinned, or the program that OSTIARY_TEST_BROWSER names by its
 * path. Where the package has no Chromium for the platform, an installed one.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import axe from 'axe-core'
import { type Browser, chromium, firefox, type Page } from 'playwright-core'
import { has_front } from './front.ts'

const hasPackage = process.platform === 'linux' && process.arch === 'x64'
const named = process.env.OSTIARY_TEST_BROWSER
const usual_places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/microsoft-edge',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
]
const installed = named ? [named] : hasPackage ? [] : usual_places.filter((path) => existsSync(path))

export const isFirefox = (program = named ?? ''): boolean => /firefox/i.test(basename(program))

/** For `test('…', { skip: noBrowser }, …)`: why there is no browser, or `false`. */
export const noBrowser =
  installed.length > 0 || hasPackage ? false : 'needs Chromium or Chrome, and there is no npm package of it for this platform'

/** A page of a test ends before the optimising compilers of V8 are of use, which take a sixth of the browser's processor time. */
const quick_scripts = '--js-flags=--no-opt --no-maglev'

/** Starts a browser. The caller closes it. @param options further ones of Chromium; a benchmark takes none */
export async function launchBrowser(options: readonly string[] = [quick_scripts]): Promise<Browser> {
  const failures: unknown[] = []
  for (const executablePath of installed) {
    try {
      return await launch(executablePath, options)
    } catch (error) {
      failures.push(error) // such as Ubuntu's chromium-browser, which only points to a snap
    }
  }
  if (named || !hasPackage) throw new AggregateError(failures, named ? `${named} does not start.` : 'No browser of this machine starts.')
  const folder = unpackedChromium()
  return launch(join(folder, 'chromium'), options, { LD_LIBRARY_PATH: join(folder, 'al2023/lib'), FONTCONFIG_PATH: join(folder, 'fonts') })
}

/** The commands of a script that runs the browser with the arguments of its caller, for programs that start one by its path. */
export function browserCommand(): string {
  const [program] = installed
  if (program !== undefined) return `exec '${program}' --no-sandbox "$@"\n`
  const folder = unpackedChromium()
  return `LD_LIBRARY_PATH='${folder}/al2023/lib' FONTCONFIG_PATH='${folder}/fonts' exec '${folder}/chromium' --no-sandbox --disable-gpu "$@"\n`
}

/** The violations that axe finds on a page, one line for each rule. The page's Content-Security-Policy does not block axe. */
export async function axeViolations(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe.source)
  const options = { resultTypes: ['violations'], preload: false, ...(rules ? { runOnly: rules } : {}) }
  const { violations } = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as axe.AxeResults
  return violations.map(
    ({ id, impact, help, nodes }) => `${id} (${impact}): ${help}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
  )
}

/** Tries again once, because a start of Chromium on a busy machine can end with a signal. No page was open then. */
async function launch(executablePath: string, options: readonly string[], env: Record<string, string> = {}): Promise<Browser> {
  if (isFirefox(executablePath)) return firefox.launch({ executablePath, channel: 'moz-firefox' }) // by WebDriver BiDi
  // The names of a proxy of the tests lead here, and only Node knows its authority.
  const behind_front = has_front ? ['--host-resolver-rules=MAP *.example 127.0.0.1', '--ignore-certificate-errors'] : []
  const args = ['--disable-gpu', '--disable-quic', '--disable-sync', ...options, ...behind_front]
  const start = () => chromium.launch({ executablePath, args, chromiumSandbox: false, env: { ...process.env, ...env } }) // root has no sandbox
  try {
    return await start()
  } catch (error) {
    if (!/signal=SIG/.test(String(error))) throw error
    return start()
  }
}

/** The folder with the Chromium of the npm package. Unpacked once per version, and renamed at the end because test files run in parallel. */
function unpackedChromium(): string {
  const manifest = new URL('../../package.json', import.meta.resolve('@sparticuz/chromium'))
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
  const folder = join(tmpdir(), `ostiary-chromium-${version}`)
  if (existsSync(folder)) return folder

  const fresh = mkdtempSync(`${folder}-`)
  // The package unpacks its shared libraries only in AWS Lambda.
  const env = { ...process.env, TMPDIR: fresh, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x' }
  const { status, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, 'unpack-chromium.ts')], { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`Chromium could not be unpacked into ${fresh}: ${stderr}`)
  // Its font configuration names folders of AWS Lambda. Without fonts this Chromium crashes at the first form field.
  writeFileSync(
    join(fresh, 'fonts/fonts.conf'),
    `<fontconfig><dir>${folder}/fonts</dir><cachedir>${folder}/fonts/cache</cachedir></fontconfig>`,
  )
  try {
    renameSync(fresh, folder)
  } catch (error) {
    rmSync(fresh, { recursive: true })
    if (!existsSync(folder)) throw error // another process was faster
  }
  return folder
}
