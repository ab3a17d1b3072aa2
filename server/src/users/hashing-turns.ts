// pure
/**
 * The order in which waiting password hashes get their turns. At each level the parts take turns, one hash each: tenants, then
 * environments, networks, sources, and within a source the browsers with a mark of the account and all others. Within such a part the
 * oldest comes first. A part whose hash runs has its turn now, so a part that begins to wait comes before its next one. So whatever waits
 * elsewhere, a hash waits for at most one hash of each other part between its own. See docs/decisions/0069.
 */

/** Where a hash comes from. */
export interface Place {
  readonly tenant_id: string
  readonly environment_id: string
  /** An IPv4 /24 or an IPv6 /48, or the key of the call. */
  readonly network: string
  /** An IPv4 address or an IPv6 /64, or the key of the call. */
  readonly source: string
  /** The browser signed in to the account before. */
  readonly has_mark: boolean
}

export interface Waiting<T> {
  readonly place: Place
  readonly value: T
}

/** The waiting hashes of one part. Its children are in the order of their next turns; a part without children has a queue. */
interface Part<T> {
  waiting: number
  readonly children: Map<string, Part<T>>
  readonly queue: Set<Waiting<T>>
}

const namesOf = ({ tenant_id, environment_id, network, source, has_mark }: Place): readonly string[] => [
  tenant_id,
  environment_id,
  network,
  source,
  has_mark ? 'marked' : 'other',
]

/** The path of the part of a place at each level below the root. */
function pathsOf(place: Place): string[] {
  let path = ''
  return namesOf(place).map((name) => {
    path = `${path}/${name}`
    return path
  })
}

const newPart = <T>(): Part<T> => ({ waiting: 0, children: new Map(), queue: new Set() })

export function createTurns<T>() {
  const root = newPart<T>()
  /** All that wait, in the order of their arrival. */
  const all = new Set<Waiting<T>>()
  const of_source = new Map<string, number>()
  /** How many hashes of a part run, by the path of the part. */
  const running = new Map<string, number>()

  function countRunning(place: Place, change: 1 | -1): void {
    for (const path of pathsOf(place)) {
      const count = (running.get(path) ?? 0) + change
      if (count > 0) running.set(path, count)
      else running.delete(path)
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

  /** Returns the part of a place at each level, from the root on, as far as they exist. */
  function partsOf(place: Place): Part<T>[] {
    const parts = [root]
    for (const name of namesOf(place)) {
      const child = parts.at(-1)?.children.get(name)
      if (!child) break
      parts.push(child)
    }
    return parts
  }

  function forget(one: Waiting<T>): void {
    all.delete(one)
    const { source } = one.place
    const left = (of_source.get(source) ?? 0) - 1
    if (left > 0) of_source.set(source, left)
    else of_source.delete(source)
  }

  return {
    get waiting(): number {
      return all.size
    },

    /** Counts a hash that runs without waiting. `ended` follows. */
    begins: (place: Place): void => countRunning(place, 1),

    /** A hash has run that `begins` or `next` counted. */
    ended: (place: Place): void => countRunning(place, -1),

    /** Adds a hash behind those of its part. */
    add(place: Place, value: T): Waiting<T> {
      const one = { place, value }
      let part = root
      let path = ''
      part.waiting += 1
      for (const name of namesOf(place)) {
        part = part.children.get(name) ?? addChild(part, path, name)
        path = `${path}/${name}`
        part.waiting += 1
      }
      part.queue.add(one)
      all.add(one)
      of_source.set(place.source, (of_source.get(place.source) ?? 0) + 1)
      return one
    },

    /** Takes the hash whose turn it is out; `null` if none waits. It runs until `ended`. */
    next(): Waiting<T> | null {
      if (all.size === 0) return null
      const one = takeFrom(root)
      forget(one)
      countRunning(one.place, 1)
      return one
    },

    /** Takes a hash out before its turn. Those behind it move up. */
    remove(one: Waiting<T>): void {
      if (!all.has(one)) return
      const names = namesOf(one.place)
      const parts = partsOf(one.place)
      for (const [level, part] of parts.entries()) {
        part.waiting -= 1
        if (part.waiting === 0) parts[level - 1]?.children.delete(names[level - 1] ?? '')
        part.queue.delete(one)
      }
      forget(one)
    },

    /** Returns how many hashes have their turn before one that arrives at this place now, if nothing else arrives. */
    turnsBefore(place: Place): number {
      const parts = partsOf(place)
      const names = namesOf(place)
      let turns = parts[names.length]?.queue.size ?? 0
      const paths = ['', ...pathsOf(place)]
      for (const [level, name] of [...names.entries()].reverse()) {
        const part = parts[level]
        const path = paths[level] ?? ''
        if (part) turns = turnsWithin(part, name, turns, running.has(`${path}/${name}`) ? [] : atTheirTurn(part, path))
      }
      return turns
    },

    /**
     * Returns the hash that gives way to one that arrives at this place: the newest of the source with the most waiting. `null` where no
     * source has more than the newcomer's, itself included.
     */
    givesWayTo(place: Place): Waiting<T> | null {
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

/** Takes the next hash of a part that has one, and moves the child that had the turn behind the others. */
function takeFrom<T>(part: Part<T>): Waiting<T> {
  part.waiting -= 1
  for (const one of part.queue) {
    part.queue.delete(one)
    return one
  }
  for (const [name, child] of part.children) {
    part.children.delete(name)
    const one = takeFrom(child)
    if (child.waiting > 0) part.children.set(name, child)
    return one
  }
  throw new Error('A part without waiting hashes was asked for one.')
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
