/** The clock, waits and randomness of the platform. Nothing else in this library reads them. */
import type { Runtime } from './options.ts'

export const platform: Runtime = {
  now: () => new Date(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', end)
        resolve()
      }, ms)
      signal?.addEventListener('abort', end, { once: true })
      if (signal?.aborted) end()
    }),
  random: () => Math.random(),
  // `randomUUID` exists only in secure contexts of browsers; `getRandomValues` everywhere.
  newKey: () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(''),
}
