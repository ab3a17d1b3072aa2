/** Renders parts that the first screen does not need after all its requests, so that they take no network from it. */
import { useIsFetching } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'

/** A part whose code is still on its way asks for its data later: so long must nothing be asked for. */
const quiet_ms = 300

export function OnceQuiet({ children }: { children: ReactNode }) {
  const fetching = useIsFetching()
  const [is_quiet, setQuiet] = useState(false)
  useEffect(() => {
    if (fetching > 0 || is_quiet) return
    const timer = setTimeout(() => setQuiet(true), quiet_ms)
    return () => clearTimeout(timer)
  }, [fetching, is_quiet])
  return is_quiet ? children : null
}
