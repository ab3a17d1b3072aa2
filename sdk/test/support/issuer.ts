/** An issuer that the tests control: it publishes keys over HTTP. */
import type { SigningKey } from '../portable/signing-key.ts'
import { type PeerAnswer, startPeer } from './peer.ts'

/** The `keys` of an issuer can change; `answer` replaces its answer. */
export async function startIssuer(keys: SigningKey[], headers: Record<string, string> = { 'cache-control': 'public, max-age=600' }) {
  const state: { keys: SigningKey[]; headers: Record<string, string>; answer: PeerAnswer | null } = { keys, headers, answer: null }
  const peer = await startPeer(
    () => state.answer ?? { status: 200, headers: state.headers, body: { keys: state.keys.map(({ jwk }) => jwk) } },
  )
  return { state, issuer: peer.base_url, received: peer.received }
}
