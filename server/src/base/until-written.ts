/**
 * Tries a write again while a guard fails because other writes came first. Each of them succeeded, so as many tries are needed as there are
 * writes at the same time.
 * @param write reads what it depends on at each try, and returns `null` where a guard failed
 * @param otherwise answers after the last try
 */
export async function untilWritten<T>(
  most_tries: number,
  write: (tries: number) => Promise<T | null>,
  otherwise: () => T | Promise<T>,
): Promise<T> {
  for (let tries = 0; tries < most_tries; tries++) {
    const written = await write(tries)
    if (written !== null) return written
  }
  return otherwise()
}
