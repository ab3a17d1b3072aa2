/** Changing something through the API: one call at a time, with a fresh sign-in where the call needs one. */
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { useSignIn } from '../renewal.tsx'

/** `changes` are the keys of what is read again after a success. */
export function useAction<Input, Output>(
  call: (input: Input) => Promise<Output>,
  { changes = [], done }: { changes?: QueryKey[]; done?: (output: Output, input: Input) => void } = {},
) {
  const queries = useQueryClient()
  const { run } = useSignIn()
  const mutation = useMutation({
    mutationFn: (input: Input) => run(() => call(input)),
    gcTime: 0, // answers can contain a secret, which only the dialog keeps
    onSuccess: (output, input) => {
      for (const queryKey of changes) void queries.invalidateQueries({ queryKey })
      done?.(output, input)
    },
  })
  return { run: mutation.mutate, busy: mutation.isPending, error: mutation.error, reset: mutation.reset }
}
