// pure
/**
 * The order in which waiting password hashes get their turns. At each level the parts take turns, one hash each: tenants, then
 * environments. In an environment every hash waits by network, then source, and within a source the browsers with a mark of the account and
 * all others take turns. A hash of a browser with a mark also waits by its account: of four turns of the environment one is that of the
 * accounts, which take turns. Within the last part the oldest comes first. A part whose hash runs has its turn now, so a part that begins
 * to wait comes before its next one. So whatever waits elsewhere, a hash waits for at most one hash of each other part between its own, and
 * one of a marked browser, beside those of other accounts, for at most three of its environment. See docs/decisions/0069.
 *
 * Of the foreign hashes (`foreign-hashes.ts`) one runs at a time. While it does, the turns pass the others by: their parts keep their places
 * in the order, and come first when it has run.
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
  readonly is_foreign: boolean
}

/** The turns before a hash, and how many of them are those of foreign hashes, in the proportions of what waits. */
export interface Ahead {
  readonly turns: number
  readonly foreign: number
}

/** A hash that had its turn has run. */
export type Ended = () => void

/** The waiting hashes of one part. Its children are in the order of their next turns; a part without children has a queue. */
interface Part<T> {
  waiting: number
  /** How many of these are foreign. */
  foreign: number
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

const newPart = <T>(): Part<T> => ({ waiting: 0, foreign: 0, children: new Map(), queue: new Set(), since_accounts: turns_between })

export function createTurns<T>() {
  const root = newPart<T>()
  /** All that wait, in the order of their arrival. */
  const all = new Set<Waiting<T>>()
  const of_source = new Map<string, number>()
  /** How many hashes of a part run, by the path of the part. */
  const running = new Map<string, number>()
  let foreign_runs = false

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

  /** The same for a hash that may be foreign: no other foreign one has its turn before it ends. */
  function begin(way: Way, is_foreign: boolean): Ended {
    const ended = run(way)
    if (!is_foreign) return ended
    foreign_runs = true
    return () => {
      foreign_runs = false
      ended()
    }
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
    if (!is_counted) count(part, one, 1)
    for (const [above, name] of way.entries()) {
      part = part.children.get(name) ?? addChild(part, path, name)
      path = `${path}/${name}`
      if (!is_counted || above >= level_of_environment) count(part, one, 1)
    }
    part.queue.add(one)
  }

  function takeOutBy(way: Way, one: Waiting<T>, is_counted: boolean): void {
    const parts = partsOf(way)
    for (const [level, part] of parts.entries()) {
      if (!is_counted || level > level_of_environment) count(part, one, -1)
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

  /** Returns which turns of the part at a level of the way pass before that of a hash which arrives at the end of the way. */
  function turnsBy(way: Way, within: number, until: number, arriving: Ahead): Ahead {
    const parts = partsOf(way)
    const paths = ['', ...pathsOf(way)]
    let ahead = arriving
    for (let level = until - 1; level >= within; level--) {
      const [part, path, name] = [parts[level], paths[level] ?? '', way[level] ?? '']
      if (part) ahead = turnsWithin(part, name, ahead, running.has(`${path}/${name}`) ? [] : atTheirTurn(part, path))
    }
    return ahead
  }

  return {
    get waiting(): number {
      return all.size
    },

    get foreignRuns(): boolean {
      return foreign_runs
    },

    /** Counts a hash that runs without waiting. */
    begins: (place: HashOrigin, is_foreign = false): Ended => begin(waysOf(place).by_network, is_foreign),

    /** Adds a hash behind those of its part. */
    add(place: HashOrigin, value: T, is_foreign = false): Waiting<T> {
      const one = { place, value, is_foreign }
      const { by_network, by_account } = waysOf(place)
      addBy(by_network, one, false)
      if (by_account) addBy(by_account, one, true)
      all.add(one)
      of_source.set(place.source, (of_source.get(place.source) ?? 0) + 1)
      return one
    },

    /** Takes the hash whose turn it is out; `null` if none waits that may run. It runs until `ended`. */
    next(): (Waiting<T> & { ended: Ended }) | null {
      if (!hasTurn(root, foreign_runs)) return null
      const { one, way } = takeTurn(root, foreign_runs)
      takeOut(one)
      return { ...one, ended: begin(way, one.is_foreign) }
    },

    /** Takes a hash out before its turn. Those behind it move up. */
    remove(one: Waiting<T>): void {
      if (all.has(one)) takeOut(one)
    },

    /**
     * Returns how many hashes have their turn before one that arrives at this place now, if nothing else arrives. Where hashes of marked
     * browsers wait it may be fewer, since they have two ways to their turns and take only one; so may it be where foreign ones do, which
     * others pass by.
     */
    turnsBefore(place: HashOrigin): Ahead {
      const { by_network, by_account } = waysOf(place)
      const environment = partsOf(by_network)[level_of_environment]
      const below = level_of_environment + 1
      const queued = (way: Way) => turnsOf(partsOf(way)[way.length], Number.POSITIVE_INFINITY)
      const of_networks = turnsBy(by_network, below, by_network.length, queued(by_network))
      const since = Math.min(environment?.since_accounts ?? turns_between, turns_between)
      const of_accounts = Math.floor((since + of_networks.turns) / turns_between)
      let ahead = together(of_networks, turnsOf(environment?.children.get('accounts'), of_accounts))
      if (by_account) {
        const accounts_before = turnsBy(by_account, below, by_account.length, queued(by_account))
        const others = Math.max(0, turns_between * (accounts_before.turns + 1) - since)
        const by_mark = together(accounts_before, turnsOf(environment?.children.get('networks'), others))
        if (by_mark.turns < ahead.turns) ahead = by_mark
      }
      return turnsBy(by_network, 0, level_of_environment, atMost(ahead, environment?.waiting ?? 0))
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

function count<T>(part: Part<T>, { is_foreign }: Waiting<T>, change: 1 | -1): void {
  part.waiting += change
  if (is_foreign) part.foreign += change
}

/** Whether a hash of the part may have its turn. */
const hasTurn = <T>({ waiting, foreign }: Part<T>, foreign_runs: boolean): boolean => waiting > (foreign_runs ? foreign : 0)

/** Finds the next hash of a part that may run, and moves each child on its way behind its siblings. */
function takeTurn<T>(root: Part<T>, foreign_runs: boolean): { one: Waiting<T>; way: Way } {
  const way: string[] = []
  let part = root
  for (;;) {
    for (const first of part.queue) if (!first.is_foreign || !foreign_runs) return { one: first, way }
    const name = way.length === level_of_environment ? nextWithin(part, foreign_runs) : nextChild(part, foreign_runs)
    const child = part.children.get(name ?? '')
    if (name === undefined || !child) throw new Error('A part without waiting hashes was asked for one.')
    moveBack(part, name)
    way.push(name)
    part = child
  }
}

function nextChild<T>({ children }: Part<T>, foreign_runs: boolean): string | undefined {
  for (const [name, child] of children) if (hasTurn(child, foreign_runs)) return name
  return undefined
}

/** Chooses between the accounts and the networks of an environment, and counts the turn. */
function nextWithin<T>(environment: Part<T>, foreign_runs: boolean): 'accounts' | 'networks' {
  const accounts = environment.children.get('accounts')
  const is_of_accounts = environment.since_accounts >= turns_between && accounts !== undefined && hasTurn(accounts, foreign_runs)
  environment.since_accounts = is_of_accounts ? 0 : environment.since_accounts + 1
  return is_of_accounts ? 'accounts' : 'networks'
}

/** So many turns of a part, as far as it has hashes. */
function turnsOf<T>(part: Part<T> | undefined, most: number): Ahead {
  const { waiting, foreign } = part ?? { waiting: 0, foreign: 0 }
  return atMost({ turns: waiting, foreign }, most)
}

const together = (one: Ahead, other: Ahead): Ahead => ({ turns: one.turns + other.turns, foreign: one.foreign + other.foreign })

const atMost = (ahead: Ahead, most: number): Ahead =>
  ahead.turns <= most ? ahead : { turns: most, foreign: (ahead.foreign * most) / ahead.turns }

/**
 * Returns which turns of a part pass before the named child has had `own` turns and gets another one. Its siblings have one turn for
 * each of these, and those before it in the present round one more, as long as they have hashes. A child that begins to wait comes before
 * those of `later`.
 */
function turnsWithin<T>({ children }: Part<T>, name: string, own: Ahead, later: readonly string[]): Ahead {
  let ahead = own
  const end = children.has(name) ? name : later[0]
  let is_before = true
  for (const [sibling, part] of children) {
    if (sibling === end) is_before = false
    if (sibling !== name) ahead = together(ahead, turnsOf(part, is_before ? own.turns + 1 : own.turns))
  }
  return ahead
}
