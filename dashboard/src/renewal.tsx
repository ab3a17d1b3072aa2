/**
 * Signing in again without leaving the page. A call that needs a fresh sign-in, or whose session has ended, waits while the person
 * signs in in another window; then it is sent again. The form that made the call stays as it is.
 */
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { needsSignIn, signInAddress } from './api.ts'
import { Dialog } from './parts/dialog.tsx'

/** The page to which the other window returns. It reports to this one by a channel of the origin. */
const RENEWED = '/dashboard/renewed'
export const CHANNEL = 'ostiary-sign-in'

type Run = <T>(call: () => Promise<T>) => Promise<T>
const RunContext = createContext<Run>((call) => call())

/** Returns a function that sends a call and, after a fresh sign-in if one is needed, sends it again. */
export const useFreshSignIn = () => use(RunContext)

interface Waiting {
  max_age: number | null
  resume: () => void
  cancel: () => void
}

export function Renewal({ children }: { children: ReactNode }) {
  const [waiting, setWaiting] = useState<Waiting | null>(null)
  const current = useRef(waiting)
  current.current = waiting

  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL)
    channel.onmessage = () => current.current?.resume()
    return () => channel.close()
  }, [])

  const run = useCallback<Run>(async (call) => {
    try {
      return await call()
    } catch (error) {
      if (!needsSignIn(error)) throw error
      await new Promise<void>((resolve, reject) => {
        const settle = (outcome: () => void) => () => {
          setWaiting(null)
          outcome()
        }
        setWaiting({ max_age: error.max_age, resume: settle(resolve), cancel: settle(() => reject(error)) })
      })
      return await call()
    }
  }, [])
  const open = useMemo(
    () => () => window.open(signInAddress(RENEWED, waiting?.max_age ?? null), 'ostiary-sign-in', 'width=480,height=720'),
    [waiting],
  )

  return (
    <RunContext value={run}>
      {children}
      <Dialog
        opened={waiting !== null}
        above
        onClose={() => waiting?.cancel()}
        title={waiting?.max_age === null ? 'Your session has ended' : 'Confirm that it is you'}
        lead={
          waiting?.max_age === null
            ? 'Sign in again. Nothing that you have entered is lost.'
            : `This change needs a sign-in from the last ${Math.round((waiting?.max_age ?? 600) / 60)} minutes. Nothing that you have entered is lost.`
        }
        footer={
          <>
            <button type="button" className="btn" onClick={() => waiting?.cancel()}>
              Cancel
            </button>
            <button type="button" className="btn pri" onClick={open}>
              Sign in again
            </button>
          </>
        }
      >
        <p className="muted">A window opens for the sign-in and closes by itself. Then the change goes on here.</p>
      </Dialog>
    </RunContext>
  )
}
