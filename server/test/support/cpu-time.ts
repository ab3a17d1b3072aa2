/**
 * Starts a timer of the CPU time that this process uses, and returns a function that reads it in milliseconds. For tests that an input
 * costs little: unlike wall-clock time, it does not depend on other processes of the machine.
 */
export function startCpuTimer(): () => number {
  const start = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1_000
  }
}
