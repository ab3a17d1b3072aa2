/** Short messages for screen readers, such as "Copied". */
import { createContext, type ReactNode, use, useState } from 'react'

const AnnounceContext = createContext<(message: string) => void>(() => {})
export const useAnnounce = () => use(AnnounceContext)

export function Announcer({ children }: { children: ReactNode }) {
  const [message, setMessage] = useState('')
  return (
    <AnnounceContext value={setMessage}>
      {children}
      <div className="vh" aria-live="polite">
        {message}
      </div>
    </AnnounceContext>
  )
}
