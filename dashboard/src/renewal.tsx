/**
 * Signing in again without leaving the page. A call that needs a fresh sign-in, or whose session has ended, waits while the person
 * signs in in another window; then it is sent again. The form that made the call stays as it is.
 */
import type { Me } from '@ostiary/sdk'
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { needsSignIn, queries, signInAddress } from './api.ts'
import { duration } from './parts/clock.ts'
import { Buttons, Dialog } from './parts/dialog.tsx'
import { me } from './queries/tenancy.ts'

/** The page to which the other window returns. It reports to this one by a channel of the origin. */
const RENEWED = '/dashboard/renewed'
export const CHANNEL = 'ostiary-sign-in'

type Outcome = 'signed_in' | 'cancelled'

interface SignIn {
  /** Sends a call and, after a fresh sign-in if it needs one, sends it again. */
  run: <T>(call: () => Promise<T>) => Promise<T>
  /** Waits for a sign-in that is at most this many seconds old; `null` for any session. */
  wait: (max_age: number | null) => Promise<Outcome>
}
const SignInContext = createContext<SignIn>({ run: (call) => call(), wait: async () => 'cancelled' })
export const useSignIn = () => use(SignInContext)

/** The calls that wait for one sign-in. */
interface Waiting {
  /** In seconds: the smallest of the calls. `null` where any session will do. */
  max_age: number | null
  resume: () => void
  cancel: () => void
  ended: Promise<Outcome>
}

function createWaiting(max_age: number | null): Waiting {
  const { promise: ended, resolve } = Promise.withResolvers<Outcome>()
  return { max_age, resume: () => resolve('signed_in'), cancel: () => resolve('cancelled'), ended }
}

const youngest = (one: number | null, other: number | null) => (one === null || other === null ? (one ?? other) : Math.min(one, other))

export function Renewal({ children }: { children: ReactNode }) {
  const [waiting, setWaiting] = useState<Waiting | null>(null)
  const current = useRef<Waiting | null>(null)

  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL)
    channel.onmessage = () => current.current?.resume()
    return () => channel.close()
  }, [])

  const wait = useCallback(async (max_age: number | null) => {
    const before = current.current
    const next = before ? { ...before, max_age: youngest(before.max_age, max_age) } : createWaiting(max_age)
    current.current = next
    setWaiting(next)
    const outcome = await next.ended
    if (current.current?.ended === next.ended) {
      current.current = null
      setWaiting(null)
    }
    return outcome
  }, [])

  const sign_in = useMemo<SignIn>(() => {
    const run: SignIn['run'] = async (call) => {
      try {
        return await call()
      } catch (error) {
        if (!needsSignIn(error) || (await wait(error.max_age)) === 'cancelled') throw error
        return await call()
      }
    }
    return { run, wait }
  }, [wait])
  const open = () => {
    // The page still knows the person after the session has ended.
    const login_hint = queries.getQueryData<Me | null>(me.queryKey)?.email
    window.open(signInAddress(RENEWED, { max_age: waiting?.max_age ?? null, login_hint }), 'ostiary-sign-in', 'width=480,height=720')
  }

  return (
    <SignInContext value={sign_in}>
      {children}
      <Dialog
        opened={waiting !== null}
        above
        onClose={() => waiting?.cancel()}
        title={waiting?.max_age === null ? 'Your session has ended' : 'Confirm that it is you'}
        lead={
          waiting?.max_age === null
            ? 'Sign in again. Nothing that you have entered is lost.'
            : `This change needs a sign-in from the last ${duration(waiting?.max_age ?? 600)}. Nothing that you have entered is lost.`
        }
        footer={<Buttons keep="Cancel" onClose={() => waiting?.cancel()} act="Sign in again" onAct={open} />}
      >
        <p className="muted">A window opens for the sign-in and closes by itself. Then the page goes on.</p>
      </Dialog>
    </SignInContext>
  )
}
