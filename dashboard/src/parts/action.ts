/** Changing something through the API: one call at a time, with a fresh sign-in where the call needs one. */
import { useMutation } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { type Key, readAgain } from '../queries/query.ts'
import { useSignIn } from '../renewal.tsx'

interface ActionOptions<Input, Output> {
  /** The keys of what is read again after a success. */
  changes?: readonly Key[]
  /** Is called after a success, unless the person has left meanwhile: a late answer acts on no other page. */
  done?: (output: Output, input: Input) => void
  /** Whether the answer has a secret, which is shown once. Leaving the page asks until it is there. */
  secret?: boolean
}

export function useAction<Input = void, Output = unknown>(
  call: (input: Input) => Promise<Output>,
  { changes = [], done, secret = false }: ActionOptions<Input, Output> = {},
) {
  const { run } = useSignIn()
  const is_due = useRef(false) // also for `done`, which is called before the page is drawn again and may leave it
  // The mutation says that it is pending by a timer, and a press of Escape can come before it.
  const [is_begun, setBegun] = useState(false)
  const mutation = useMutation({
    mutationFn: async (input: Input) => {
      is_due.current = true
      try {
        return await run(() => call(input))
      } finally {
        is_due.current = false
      }
    },
    gcTime: 0, // answers can contain a secret, which only the dialog keeps
    onSuccess: () => {
      readAgain(changes)
    },
    onSettled: () => setBegun(false),
  })
  const busy = is_begun || mutation.isPending
  useBlocker({
    disabled: !(secret && busy),
    shouldBlockFn: () =>
      is_due.current && !confirm('The answer is still on its way. It has a secret that is shown only once. Leave without it?'),
    enableBeforeUnload: () => is_due.current,
  })
  return {
    run(input: Input) {
      setBegun(true)
      mutation.mutate(input, { onSuccess: (output) => done?.(output, input) }) // not called after an unmount
    },
    busy,
    error: mutation.error,
    reset: mutation.reset,
  }
}
