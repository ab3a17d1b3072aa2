/**
 * Waits without a limit of its own, since a busy machine is slow. The test runner limits the time of the file and ends it with SIGTERM;
 * then the report says what the file was waiting for.
 */
const awaited = new Set<string>()

export async function awaiting<T>(what: string, done: Promise<T>): Promise<T> {
  if (awaited.size === 0 && !process.listeners('SIGTERM').includes(report)) process.once('SIGTERM', report)
  awaited.add(what)
  try {
    return await done
  } finally {
    awaited.delete(what)
  }
}

function report(): void {
  for (const what of awaited) process.stderr.write(`This did not happen: ${what}\n`)
  process.exit(1)
}
