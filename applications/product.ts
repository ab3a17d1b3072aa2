/**
 * `npm run applications`: products that others wrote, each installed from its registry and set up by the lines that its template prints, and
 * two people who sign in to it by a browser. A product is one file of `products/` and a line in `products.ts`. Nothing here is part of the
 * service. `npm test` starts three light products, where their packages are installed.
 *
 * `main.ts` is the command, `trial.ts` the story of one product, `install.ts` its packages, `setup.ts` its files, `hosted-pages.ts` what a
 * person does at the service, `results.ts` what is written down.
 */
import type { Page } from 'playwright-core'

export interface Person {
  readonly email: string
  readonly password: string
  /** `null` for the person who has an address and nothing else. */
  readonly name: string | null
  readonly preferred_username: string | null
}

/** A browser in which one person uses the product. */
export interface Visit {
  readonly page: Page
  /** The address of the product, without a slash at the end. */
  readonly url: string
  readonly person: Person
}

/** What the product is asked. Each fails by its deadline, or by an error that says what it saw instead. */
export interface Walk {
  /** From the first page of the product to the service. */
  begin(visit: Visit): Promise<void>
  /** What the product asks at the first sign-in, after the service has answered it. */
  finish?(visit: Visit): Promise<void>
  /** What the product says about the person who is signed in, or anything else when nobody is. */
  who(visit: Visit): Promise<string>
  /** A text that `who` has for this person alone. `id` is the subject. */
  shown(person: Person, id: string): string
  /** Refreshes the tokens, where the product has a way to do that. */
  refresh?(visit: Visit): Promise<void>
  /** The sign-out of the product. */
  signOut?(visit: Visit): Promise<void>
}

/** Text of the configuration: what the product needs to run at all (`own`), or a step of the setup that the template printed, by its number. */
export type Part = { readonly own: string } | { readonly setup: number }

/**
 * In `own` texts and commands these stand for values of the run: {port}, {port_2} and {port_3} are free ports, {url} is the address of the
 * product, {folder} its working folder, {site} the folder of its Python packages, {modules} that of its npm packages,
 * {unpacked} that of its archives from Maven Central, {database_url} an empty
 * PostgreSQL database, {redis_url} an empty Redis.
 */
export interface Product {
  /** The slug of its template. */
  readonly template: string
  /** The package whose version is the one of the product. */
  readonly version_of: string
  /** Exact versions. Debian's packages are those of the machine, whose version is read. */
  readonly pypi?: Readonly<Record<string, string>>
  readonly npm?: Readonly<Record<string, string>>
  readonly debian?: readonly string[]
  /** Main packages of Go modules, by the exact versions of the modules. */
  readonly go?: Readonly<Record<string, string>>
  /** Archives from Maven Central as `group:artifact`, by their exact versions. */
  readonly maven?: Readonly<Record<string, string>>
  /** The Python that it needs, such as `3.12`, if not the usual one. */
  readonly python?: string
  /** Its npm packages have native parts that are compiled at the installation. */
  readonly runs_npm_scripts?: true
  /** Files by their path from the working folder, or from {site} or {modules}. */
  readonly files?: Readonly<Record<string, readonly Part[]>>
  /** The steps of the setup that are the environment of the product, and what it needs besides. */
  readonly environment?: readonly Part[]
  /** Shell commands that run to their end before the start. */
  readonly prepare?: readonly string[]
  /** The shell command of the product. */
  readonly start: string
  /** The path of its address, such as `/realms/main`, if it has one. */
  readonly path?: string
  /** A path of its host that answers with a page or a redirect when the product runs. */
  readonly ready: string
  /** Seconds until it must answer; 90 if not said. */
  readonly start_seconds?: number
  /** The lifetime of access tokens, for a product that refreshes one which is about to expire. */
  readonly access_token_seconds?: number
  /** Whether the product keys its accounts by a name, so that forty people of a provider that lies try to come in as others. */
  readonly meets_impostors?: true
  readonly walk: Walk
}

export const own = (text: string): Part => ({ own: text })
export const setup = (step: number): Part => ({ setup: step })
