/** The story of one product, from its packages to both people signed out. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext } from 'playwright-core'
import type { ApplicationTemplate } from '../contract/src/application-template.ts'
import { templates } from '../contract/src/application-templates/index.ts'
import { fillSetup } from '../contract/src/template-setup.ts'
import { freePort } from '../server/test/support/free-port.ts'
import { passHostedPages, passSignOut } from './hosted-pages.ts'
import { impostors, registration, startLyingProvider } from './impostors.ts'
import type { Installed } from './install.ts'
import { createPeople, type SomePerson } from './people.ts'
import { answers, eventually, run, start, withDeadline } from './processes.ts'
import type { Product, Visit } from './product.ts'
import type { Tried } from './results.ts'
import { createEnvironment, type Environment, type Service } from './service.ts'
import { filled, stepsIn, type Values, writeFiles } from './setup.ts'

export interface Tools {
  readonly service: Service
  readonly browser: Browser
  /** Where the product works, and where its logs and pictures stay. */
  readonly folder: string
  /** The parts of the machine that some products need, as values of their texts. */
  readonly values: Values
  /** If not, the application has the defaults of a new one, and its redirect URIs: which products need more? */
  readonly by_template: boolean
}

/** What a trial found. `tried` is null if the product did not sign both people in. */
export interface Outcome {
  readonly tried: Pick<Tried, 'refresh' | 'sign_out' | 'back_channel'> | null
  readonly problems: readonly string[]
}

const seconds_of_prepare = 600
const seconds_of_walk = 150

export async function tryProduct(product: Product, installed: Installed, tools: Tools): Promise<Outcome> {
  const { service, folder } = tools
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const template = templates.find(({ slug }) => slug === product.template)
  if (!template) throw new Error(`There is no template ${product.template}.`)
  const [port, port_2, port_3] = [await freePort(), await freePort(), await freePort()]
  const host = `http://localhost:${port}`
  const url = `${host}${product.path ?? ''}`
  const environment = await createEnvironment(service, template.slug)
  const { access_token_seconds } = product
  if (access_token_seconds !== undefined)
    await service.client.changeSettings(environment.path, { tokens: { access_token_ttl_seconds: access_token_seconds } })
  await giveClaims(service, environment, template)
  const steps = await (tools.by_template ? register : registerByDefaults)(service, environment, { template, url })
  const { site, modules, unpacked, programs } = installed
  const values: Values = { ...tools.values, port, port_2, port_3, url, folder, site, modules, unpacked }
  writeFiles(product, steps, values)

  const place = {
    cwd: folder,
    env: { PATH: [...programs, process.env.PATH].join(':'), HOME: folder, LANG: 'C.UTF-8', PYTHONUNBUFFERED: '1', NODE_PATH: modules },
    log: join(folder, 'product.log'),
  }
  const shell = (command: string): [string, ...string[]] => ['sh', '-c', `set -a; . ./product.env; set +a; ${filled(command, values)}`]
  for (const command of product.prepare ?? []) await run(shell(`exec ${command}`), { ...place, seconds: seconds_of_prepare })
  const program = start(shell(`exec ${product.start}`), place)
  try {
    const { ready, start_seconds = 90 } = product
    await Promise.race([answers(`${host}${ready}`, start_seconds), program.gone])
    return await Promise.race([walkThrough(product, { environment, template, url, tools }), program.gone])
  } finally {
    await program.stop()
  }
}

interface Stage {
  readonly environment: Environment
  readonly template: ApplicationTemplate
  readonly url: string
  readonly tools: Tools
}

/** Gives people the names that the product needs, as the command says where it is missing. */
async function giveClaims({ client }: Service, { path }: Environment, { needs }: ApplicationTemplate): Promise<void> {
  const claims = needs.filter((need) => need === 'name' || need === 'preferred_username')
  if (claims.length > 0) await client.changeSettings(path, { claims: Object.fromEntries(claims.map((claim) => [claim, 'email'])) })
}

/** Creates the application as a person does. Returns the setup. */
async function register(
  { ostiary }: Service,
  { project }: Environment,
  { template, url }: { template: ApplicationTemplate; url: string },
): Promise<string[]> {
  const words = ['applications', 'create', '--project', project, '--env', 'test', '--template', template.slug, '--url', url]
  return stepsIn(await ostiary(words), template)
}

async function registerByDefaults(
  { client }: Service,
  { path, issuer }: Environment,
  { template, url }: { template: ApplicationTemplate; url: string },
): Promise<string[]> {
  const { name, application_type, redirect_uris } = template
  const body = { name, application_type, redirect_uris: redirect_uris.map((address) => address.replace('{url}', url)) }
  const { id, client_secret } = await client.createApplication(path, body)
  return template.setup.map((step) => fillSetup(step, { issuer, client_id: id, client_secret, url }))
}

/** A person who is signed in, and the text by which the product names them. */
interface SignedIn {
  readonly visit: Visit
  readonly id: string
  readonly shown: string
}

/** Both people sign in. What follows is tried only where the product has it, and a failure there is a problem, not the end. */
async function walkThrough(product: Product, stage: Stage): Promise<Outcome> {
  const people = await createPeople(stage.environment)
  const problems: string[] = []
  const attempt = async <T>(what: string, work: () => Promise<T>): Promise<T | false> => {
    try {
      return await withDeadline(work(), seconds_of_walk, 'It did not end')
    } catch (error) {
      problems.push(`${what}: ${textOf(error)}`)
      return false
    }
  }
  const contexts: BrowserContext[] = []
  const visits: SignedIn[] = []
  try {
    for (const [who, person] of Object.entries(people)) {
      const context = await stage.tools.browser.newContext()
      contexts.push(context)
      // Fonts and scripts of other hosts are not needed, and a page would wait for them where there is no network.
      await context.route(
        ({ hostname }) => hostname !== 'localhost',
        (route) => route.abort(),
      )
      const visit = { page: await context.newPage(), url: stage.url, person }
      const signed_in = await attempt(`${who} signs in`, () => signIn(product, visit, { ...stage, person }))
      if (signed_in !== false) {
        visits.push(signed_in)
        continue
      }
      await visit.page.screenshot({ path: join(stage.tools.folder, `${who}.png`) }).catch(() => {}) // the browser may show nothing
      problems.push(`${who} is at ${visit.page.url()}`, ...(await refusedCalls(stage)))
      return { tried: null, problems }
    }
    const [first, second] = visits
    if (!first || !second) throw new Error('There are two people.')
    const { refresh, signOut } = product.walk
    const works = async (what: string, work: () => Promise<void>) => (await attempt(what, work)) !== false
    const has_back_channel = stage.tools.by_template && stage.template.backchannel_logout_uri !== null
    const tried = {
      refresh: refresh ? await works('refresh', () => refresh(second.visit)) : null,
      back_channel: has_back_channel ? await works('back-channel logout', () => endSession(product, first, stage)) : null,
      sign_out: signOut ? await works('sign-out', () => leave(product, second, stage)) : null,
    }
    if (product.meets_impostors)
      await attempt('impostors', async () => void problems.push(...(await meetImpostors(product, visits, stage))))
    if (problems.length > 0) problems.push(...(await refusedCalls(stage)))
    return { tried, problems }
  } finally {
    for (const context of contexts) await context.close()
  }
}

async function signIn({ walk }: Product, visit: Visit, { tools, environment, person }: Stage & { person: SomePerson }): Promise<SignedIn> {
  const { page } = visit
  await walk.begin(visit)
  await page.waitForURL((address) => address.origin === tools.service.url, { timeout: 30_000 })
  await passHostedPages(page, tools.service.url, person)
  await walk.finish?.(visit)
  const { data } = await tools.service.client.listUsers({ ...environment.path, email: person.email }).page()
  const [user] = data
  if (!user) throw new Error('The person has no account.')
  const shown = walk.shown(person, user.id)
  let said = ''
  await eventually(`The product did not show ${shown}`, 60, async () => {
    said = await walk.who(visit)
    return said.includes(shown)
  }).catch((error: unknown) => {
    throw new Error(`It said ${said.slice(0, 300)}`, { cause: error })
  })
  return { visit, id: user.id, shown }
}

/** The impostors who came in as a person who was there before, each as a sentence. */
async function meetImpostors({ walk }: Product, before: readonly SignedIn[], { tools, environment, url }: Stage): Promise<string[]> {
  const { client } = tools.service
  const provider = await startLyingProvider()
  try {
    const { id } = await client.createProvider(environment.path, {
      type: 'oidc',
      issuer: provider.issuer,
      ...registration,
      accept_preferred_username: true,
    })
    const entered: string[] = []
    for (const impostor of impostors) {
      provider.is = impostor
      const context = await tools.browser.newContext()
      try {
        const visit = { page: await context.newPage(), url, person: { ...impostor, password: '', name: null, preferred_username: null } }
        await walk.begin(visit)
        await visit.page.locator(`[name="provider"][value="${id}"]`).click()
        await visit.page.waitForURL((address) => address.origin !== provider.issuer)
        if (impostor.email_verified && !visit.page.url().startsWith(url))
          throw new Error(`${JSON.stringify(impostor)} is at ${visit.page.url()}`)
        const said = await walk.who(visit)
        const victim = before.find(({ shown }) => said.includes(shown))
        if (victim) entered.push(`${JSON.stringify(impostor)} entered as ${victim.shown}`)
      } finally {
        await context.close()
      }
    }
    return entered
  } finally {
    await provider.stop()
  }
}

/** The service does not answer meanwhile: a product that asks it at once would sign the person in again, without a question. */
async function isOut({ walk }: Product, { visit, shown }: SignedIn, { url }: Service): Promise<void> {
  const context = visit.page.context()
  const closed = `${url}/**`
  await context.route(closed, (route) => route.abort())
  const asked = () =>
    walk.who(visit).catch((error: unknown) => {
      if (/net::ERR_FAILED/.test(String(error))) return 'a page of the service'
      throw error
    })
  await eventually('The product still showed the person', 60, async () => !(await asked()).includes(shown))
  await context.unroute(closed)
}

async function leave(product: Product, person: SignedIn, { tools }: Stage): Promise<void> {
  await product.walk.signOut?.(person.visit)
  await passSignOut(person.visit.page, tools.service.url)
  await isOut(product, person, tools.service)
}

/** The backend ends the sessions of a person, and the product ends its own. */
async function endSession(product: Product, person: SignedIn, { environment, tools }: Stage): Promise<void> {
  await environment.backend.endUserSessions({ user_id: person.id })
  await isOut(product, person, tools.service)
}

/** Why the service refused calls of this product, for the report of a failure. */
async function refusedCalls({ tools, environment }: Stage): Promise<string[]> {
  const { data } = await tools.service.client.listRefusedCalls(environment.path).page()
  return data.map(({ method, route, code, reason }) => `refused call: ${method} ${route}: ${code}: ${reason}`)
}

const textOf = (error: unknown): string =>
  error instanceof Error ? `${error.message}${error.cause === undefined ? '' : ` (${textOf(error.cause)})`}` : String(error)
