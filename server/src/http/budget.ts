// pure
/**
 * Bounds what strangers can make a process keep. Each holder says how many bytes it keeps. Where all of them keep too much, the newest
 * holder of the network that keeps most is refused: who fills the memory loses it, and others go on.
 */
import { networkOf } from '../base/source.ts'

export interface Claim {
  /** Says how many bytes the holder keeps now. May refuse this holder, or another. */
  keep(bytes: number): void
  /** The holder keeps nothing any more, and is never refused. */
  release(): void
}

export interface Budget {
  /**
   * @param addressOf the address of the sender, read when it first counts
   * @param refuse called at most once, after the claim was released
   */
  open(addressOf: () => string | null, refuse: () => void): Claim
  /** The counted bytes of all holders. */
  kept(): number
}

interface Holder {
  readonly number: number
  readonly refuse: () => void
  bytes: number
  network: Network | null
  has_ended: boolean
}

interface Network {
  readonly name: string
  readonly holders: Set<Holder>
  bytes: number
}

/** @param free_bytes a holder that keeps no more is neither counted nor refused */
export function createBudget({ most_bytes, free_bytes }: { most_bytes: number; free_bytes: number }): Budget {
  const networks = new Map<string, Network>()
  let begun = 0
  let total = 0

  function networkNamed(name: string): Network {
    const network = networks.get(name) ?? { name, holders: new Set(), bytes: 0 }
    networks.set(name, network)
    return network
  }

  function count(holder: Holder, addressOf: () => string | null, bytes: number): void {
    if (bytes > 0) {
      holder.network ??= networkNamed(networkOf(addressOf()))
      holder.network.holders.add(holder)
    }
    const { network } = holder
    if (!network) return
    network.bytes += bytes - holder.bytes
    total += bytes - holder.bytes
    holder.bytes = bytes
    if (bytes > 0) return
    network.holders.delete(holder)
    holder.network = null
    if (network.holders.size === 0) networks.delete(network.name)
  }

  function refuseOne(): void {
    let heaviest: Network | null = null
    for (const network of networks.values()) if (!heaviest || network.bytes > heaviest.bytes) heaviest = network
    let newest: Holder | null = null
    for (const holder of heaviest?.holders ?? []) if (!newest || holder.number > newest.number) newest = holder
    if (!newest) return
    end(newest)
    newest.refuse()
  }

  function end(holder: Holder): void {
    holder.has_ended = true
    count(holder, () => null, 0)
  }

  return {
    open(addressOf, refuse) {
      const holder: Holder = { number: begun++, refuse, bytes: 0, network: null, has_ended: false }
      return {
        keep(bytes) {
          if (holder.has_ended) return
          count(holder, addressOf, bytes > free_bytes ? bytes : 0)
          while (total > most_bytes) refuseOne()
        },
        release: () => end(holder),
      }
    },
    kept: () => total,
  }
}
