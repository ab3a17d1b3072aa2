// pure
/**
 * The order in which waiting password hashes get their turns. At each level the parts take turns, one hash each: tenants, then
 * environments. In an environment every hash waits by network, then source, and within a source the browsers with a mark of the account and
 * all others take turns. A hash of a browser with a mark also waits by its account: of four turns of the environment one is that of the
 * accounts, which take turns. Within the last part the oldest comes first. A part whose hash runs has its turn now, so a part that begins
 * to wait comes before its next one. So whatever waits elsewhere, a hash waits for at most one hash of each other part between its own, and
 * one of a marked browser, beside those of other accounts, for at most three of its environment. See docs/decisions/0069.
 */

/** Where a hash comes from. */
export interface HashOrigin {
  readonly tenant_id: string
  readonly environment_id: string
  /** An IPv4 /24 or an IPv6 /48, or the key of the call. */
  readonly network: string
  /** An IPv4 address or an IPv6 /64, or the key of the call. */
  readonly source: string
  /** The account that the request names, if its browser signed in to it before; `null` for all others. */
  readonly marked_account: string | null
}

export interface Waiting<T> {
  readonly place: HashOrigin
  readonly value: T
}

/** A hash that had its turn has run. */
export type Ended = () => void

/** The waiting hashes of one part. Its children are in the order of their next turns; a part without children has a queue. */
interface Part<T> {
  waiting: number
  readonly children: Map<string, Part<T>>
  readonly queue: Set<Waiting<T>>
  /** Of an environment: its turns since the last one of the accounts. A new one begins with the accounts. */
  since_accounts: number
}

/** Between two turns of the accounts an environment has this many others. */
const turns_between = 3

/** The names of the parts in which a hash waits, from the tenant on. The last one has the queue. */
type Way = readonly string[]
/** The level of an environment and its parts on a way: below the root, the tenant and the environment. */
const level_of_environment = 2

function waysOf({ tenant_id, environment_id, network, source, marked_account }: HashOrigin): { by_network: Way; by_account: Way | null } {
  const environment = [tenant_id, environment_id]
  return {
    by_network: [...environment, 'networks', network, source, marked_account === null ? 'other' : 'marked'],
    by_account: marked_account === null ? null : [...environment, 'accounts', marked_account],
  }
}

/** The path of each part on a way, below the root. */
function pathsOf(way: Way): string[] {
  let path = ''
  return way.map((name) => {
    path = `${path}/${name}`
    return path
  })
}

const newPart = <T>(): Part<T> => ({ waiting: 0, children: new Map(), queue: new Set(), since_accounts: turns_between })

export function createTurns<T>() {
  const root = newPart<T>()
  /** All that wait, in the order of their arrival. */
  const all = new Set<Waiting<T>>()
  const of_source = new Map<string, number>()
  /** How many hashes of a part run, by the path of the part. */
  const running = new Map<string, number>()

  function countRunning(way: Way, change: 1 | -1): void {
    for (const path of pathsOf(way)) {
      const count = (running.get(path) ?? 0) + change
      if (count > 0) running.set(path, count)
      else running.delete(path)
    }
  }

  /** Counts a hash that runs in the parts of the way by which it got its turn. */
  function run(way: Way): Ended {
    countRunning(way, 1)
    return () => countRunning(way, -1)
  }

  /** Returns the last children in the order of turns whose hashes run now. A child that begins to wait comes before them. */
  function atTheirTurn(part: Part<T>, path: string): string[] {
    const names = [...part.children.keys()]
    const first = names.findLastIndex((name) => !running.has(`${path}/${name}`)) + 1
    return names.slice(first)
  }

  /** Adds a child that begins to wait. */
  function addChild(part: Part<T>, path: string, name: string): Part<T> {
    const child = newPart<T>()
    const later = running.has(`${path}/${name}`) ? [] : atTheirTurn(part, path)
    part.children.set(name, child)
    for (const other of later) moveBack(part, other)
    return child
  }

  /** Returns the part at each level of a way, from the root on, as far as they exist. */
  function partsOf(way: Way): Part<T>[] {
    const parts = [root]
    for (const name of way) {
      const child = parts.at(-1)?.children.get(name)
      if (!child) break
      parts.push(child)
    }
    return parts
  }

  /** Adds a hash behind those of its last part. The parts above the environment's own count it once, with the first way. */
  function addBy(way: Way, one: Waiting<T>, is_counted: boolean): void {
    let part = root
    let path = ''
    if (!is_counted) part.waiting += 1
    for (const [above, name] of way.entries()) {
      part = part.children.get(name) ?? addChild(part, path, name)
      path = `${path}/${name}`
      if (!is_counted || above >= level_of_environment) part.waiting += 1
    }
    part.queue.add(one)
  }

  function takeOutBy(way: Way, one: Waiting<T>, is_counted: boolean): void {
    const parts = partsOf(way)
    for (const [level, part] of parts.entries()) {
      if (!is_counted || level > level_of_environment) part.waiting -= 1
      if (part.waiting === 0) parts[level - 1]?.children.delete(way[level - 1] ?? '')
      part.queue.delete(one)
    }
  }

  /** Takes a hash out of all parts. The order of the others stays. */
  function takeOut(one: Waiting<T>): void {
    const { by_network, by_account } = waysOf(one.place)
    if (by_account) takeOutBy(by_account, one, true)
    takeOutBy(by_network, one, false)
    all.delete(one)
    const { source } = one.place
    const left = (of_source.get(source) ?? 0) - 1
    if (left > 0) of_source.set(source, left)
    else of_source.delete(source)
  }

  /** Returns how many turns of the part at a level of the way pass before that of a hash which arrives at the end of the way. */
  function turnsBy(way: Way, within: number, until: number, arriving: number): number {
    const parts = partsOf(way)
    const paths = ['', ...pathsOf(way)]
    let turns = arriving
    for (let level = until - 1; level >= within; level--) {
      const [part, path, name] = [parts[level], paths[level] ?? '', way[level] ?? '']
      if (part) turns = turnsWithin(part, name, turns, running.has(`${path}/${name}`) ? [] : atTheirTurn(part, path))
    }
    return turns
  }

  return {
    get waiting(): number {
      return all.size
    },

    /** Counts a hash that runs without waiting. */
    begins: (place: HashOrigin): Ended => run(waysOf(place).by_network),

    /** Adds a hash behind those of its part. */
    add(place: HashOrigin, value: T): Waiting<T> {
      const one = { place, value }
      const { by_network, by_account } = waysOf(place)
      addBy(by_network, one, false)
      if (by_account) addBy(by_account, one, true)
      all.add(one)
      of_source.set(place.source, (of_source.get(place.source) ?? 0) + 1)
      return one
    },

    /** Takes the hash whose turn it is out; `null` if none waits. It runs until `ended`. */
    next(): (Waiting<T> & { ended: Ended }) | null {
      if (all.size === 0) return null
      const { one, way } = takeTurn(root)
      takeOut(one)
      return { ...one, ended: run(way) }
    },

    /** Takes a hash out before its turn. Those behind it move up. */
    remove(one: Waiting<T>): void {
      if (all.has(one)) takeOut(one)
    },

    /**
     * Returns how many hashes have their turn before one that arrives at this place now, if nothing else arrives. Where hashes of marked
     * browsers wait it may be fewer, since they have two ways to their turns and take only one.
     */
    turnsBefore(place: HashOrigin): number {
      const { by_network, by_account } = waysOf(place)
      const environment = partsOf(by_network)[level_of_environment]
      const below = level_of_environment + 1
      const queued = (way: Way) => partsOf(way)[way.length]?.queue.size ?? 0
      const of_networks = turnsBy(by_network, below, by_network.length, queued(by_network))
      const since = Math.min(environment?.since_accounts ?? turns_between, turns_between)
      const of_accounts = Math.floor((since + of_networks) / turns_between)
      let turns = of_networks + Math.min(of_accounts, environment?.children.get('accounts')?.waiting ?? 0)
      if (by_account) {
        const accounts_before = turnsBy(by_account, below, by_account.length, queued(by_account))
        turns = Math.min(turns, accounts_before + Math.max(0, turns_between * (accounts_before + 1) - since))
      }
      return turnsBy(by_network, 0, level_of_environment, Math.min(turns, environment?.waiting ?? 0))
    },

    /**
     * Returns the hash that is evicted for one that arrives at this place: the newest of the source with the most waiting. `null` where no
     * source has more than the newcomer's, itself included.
     */
    givesWayTo(place: HashOrigin): Waiting<T> | null {
      const own = (of_source.get(place.source) ?? 0) + 1
      let most = own
      for (const count of of_source.values()) if (count > most) most = count
      if (most === own) return null
      let newest: Waiting<T> | null = null
      for (const one of all) if (of_source.get(one.place.source) === most) newest = one
      return newest
    },
  }
}

function moveBack<T>({ children }: Part<T>, name: string): void {
  const child = children.get(name)
  if (!child) return
  children.delete(name)
  children.set(name, child)
}

/** Finds the next hash of a part that has one, and moves each child on its way behind its siblings. */
function takeTurn<T>(root: Part<T>): { one: Waiting<T>; way: Way } {
  const way: string[] = []
  let part = root
  for (;;) {
    const [first] = part.queue
    if (first) return { one: first, way }
    const name = way.length === level_of_environment ? nextWithin(part) : part.children.keys().next().value
    const child = part.children.get(name ?? '')
    if (name === undefined || !child) throw new Error('A part without waiting hashes was asked for one.')
    moveBack(part, name)
    way.push(name)
    part = child
  }
}

/** Chooses between the accounts and the networks of an environment, and counts the turn. */
function nextWithin<T>(environment: Part<T>): 'accounts' | 'networks' {
  const is_of_accounts = environment.since_accounts >= turns_between && environment.children.has('accounts')
  environment.since_accounts = is_of_accounts ? 0 : environment.since_accounts + 1
  return is_of_accounts ? 'accounts' : 'networks'
}

/**
 * Returns how many turns of a part pass before the named child has had `own` turns and gets another one. Its siblings have one turn for
 * each of these, and those before it in the present round one more, as long as they have hashes. A child that begins to wait comes before
 * those of `later`.
 */
function turnsWithin<T>({ children }: Part<T>, name: string, own: number, later: readonly string[]): number {
  let turns = own
  const end = children.has(name) ? name : later[0]
  let is_before = true
  for (const [sibling, { waiting }] of children) {
    if (sibling === end) is_before = false
    if (sibling !== name) turns += Math.min(waiting, is_before ? own + 1 : own)
  }
  return turns
}
