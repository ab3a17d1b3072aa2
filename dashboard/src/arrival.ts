/**
 * The loaders of the routes. The first reads of a page begin when its address is opened, in parallel with its code. A loader waits for
 * nothing, so a page appears as early as before, and it never fails: the page reads the same and shows the problem in its frame.
 * A link that the pointer passes loads only the code of its page: a list has a link in each row, and calls count against limits.
 */
import type { Me } from '@ostiary/sdk'
import type { Asked, ofEnvironment as Environments, ofProject as ProjectPages, ofTenant as Tenants } from './first.ts'
import { pageAt } from './frame/navigation.ts'
import type { Search } from './parts/search.ts'
import { answerTo, begin } from './queries/query.ts'
import { me, projects } from './queries/tenancy.ts'
import { environmentOf, projectOf, type Scope, scopeOf, withEnvironment } from './scope.tsx'

interface Opened {
  params: Search
  location: { pathname: string; search: Search }
  cause: 'preload' | 'enter' | 'stay'
}

/** The page that was opened last. A change of its query opens no page: what it reads then is up to the page. */
let opened: string | null = null

interface Address extends Asked {
  pathname: string
}

/** `open` begins what needs nobody, and returns what then begins for the person. */
function loader(open: (address: Address) => (me: Me) => Promise<void> | void) {
  return ({ params, location: { pathname, search }, cause }: Opened): void => {
    if (cause === 'preload' || pathname === opened) return
    opened = pathname
    const start = open({ params, search, pathname })
    const ready = answerTo(me).then((me) => me && start(me))
    ready.catch(() => {}) // the frame and the page read the same, and show what failed
  }
}

function loadFirst() {
  const loaded = import('./first.ts')
  loaded.catch(() => {}) // then the page begins when it is drawn
  return loaded
}

/** Of a page outside of every tenant: the person alone. */
export const ofPerson = loader(() => () => {})

/** Of the address of a project, which leads to its first environment. */
export const ofProject = loader(({ params: { tenant, project = '' } }) => (me) => {
  const scope = scopeOf(me, tenant)
  if (scope) begin(projects.withEnvironments(scope, project))
})

export const ofTenant = (page: keyof typeof Tenants) =>
  loader(({ pathname, ...asked }) => {
    const first = loadFirst()
    return async (me) => {
      const scope = scopeOf(me, asked.params.tenant)
      if (scope && mayRead(scope, pathname)) (await first).ofTenant[page](scope, asked)
    }
  })

/** The environment of the address, or its project alone, where the person may read the page. */
async function innerOf(me: Me, pathname: string, { tenant, project = '', env }: Search): Promise<Scope | null> {
  const scope = scopeOf(me, tenant)
  const place = scope ? await answerTo(projects.withEnvironments(scope, project)) : null
  const inner = scope && place ? withEnvironment(scope, place, env) : null
  return inner && mayRead(inner, pathname) ? inner : null
}

/** Begins what a page of an environment, or of a project, reads first. */
const within = (read: (first: Awaited<ReturnType<typeof loadFirst>>, inner: Scope, asked: Asked) => void) =>
  loader(({ pathname, ...asked }) => {
    const first = loadFirst()
    return async (me) => {
      const inner = await innerOf(me, pathname, asked.params)
      if (inner) read(await first, inner, asked)
    }
  })

export const ofEnvironment = (page: keyof typeof Environments) =>
  within((first, inner, asked) => first.ofEnvironment[page](environmentOf(inner), asked))

/** Of a page about a project as a whole. */
export const ofProjectPage = (page: keyof typeof ProjectPages) =>
  within((first, inner, asked) => first.ofProject[page](projectOf(inner), asked))

/** A page that the role may not read is not read: the service would refuse the call and record it. */
function mayRead({ can }: Scope, pathname: string): boolean {
  const page = pageAt(pathname)
  return page === undefined || can(page.role)
}
