/** Parallel work of a bounded width. */

/** Does the work `count` times, `lanes` at once. Returns the results in order. */
export async function inLanes<T>(lanes: number, count: number, work: (i: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  let next = 0
  const lane = async () => {
    for (let i = next++; i < count; i = next++) results[i] = await work(i)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return results
}
