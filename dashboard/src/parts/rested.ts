/** The text of a field once the typing rests, for what the service is asked then. */
import { useEffect, useState } from 'react'

const REST_MS = 300

export function useRested(text: string): string {
  const [rested, setRested] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), REST_MS)
    return () => clearTimeout(timer)
  }, [text])
  return rested
}
