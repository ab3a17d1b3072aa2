// For HEALTHCHECK of a container: exits with 0 while the service accepts requests and its database answers.
const port = process.env.OSTIARY_PORT || '3000'
try {
  const { status } = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(4_000) })
  process.exitCode = status === 200 ? 0 : 1
} catch {
  process.exitCode = 1 // nothing listens, or it does not answer
}
