// pure
/** Takes batches from the items until none is left. Those of a batch that fails stay, with all after them. */
export async function inBatches<T>(items: T[], most: number, write: (batch: T[]) => Promise<unknown>): Promise<void> {
  while (items.length > 0) {
    await write(items.slice(0, most))
    items.splice(0, most)
  }
}
