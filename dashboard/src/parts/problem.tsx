/** Shows a failed call: the problem, the remedy, the code with its page, and the request id. */
import { type ClientErrorCode, OstiaryError } from '@ostiary/sdk'
import { useEffect, useRef, useState } from 'react'
import { useAnnounce } from './announce.tsx'
import { CopyButton } from './copy.tsx'
import { countdown, secondsLeft, waitOf } from './countdown.ts'
import { Icon } from './icon.tsx'

/** The sentence of the error for the field at a JSON pointer, or `undefined`. */
export const fieldError = (error: unknown, pointer: string): string | undefined =>
  error instanceof OstiaryError
    ? error.errors.find((field) => field.pointer === pointer || field.pointer.startsWith(`${pointer}/`))?.detail
    : undefined

const advice: Record<string, string> = {
  stale_version: 'It was changed meanwhile, by another person or in another tab. Load it again to see the new version.',
  insufficient_role: 'Your role in this tenant does not allow it. Ask an admin or owner of the tenant.',
}

/** Codes of the client have no page in the documentation, which is about the service. */
const of_client: Record<string, string> = {
  network_error: 'Check the connection, then try again.',
  timed_out: 'Check the connection, then try again.',
  unexpected_answer: 'Load the page again. If it happens again, ask the operator what stands between the browser and the service.',
} satisfies Record<ClientErrorCode, string>

/** The fields of a refused call. */
export const fieldsOf = (error: unknown): number => (error instanceof OstiaryError ? error.errors.length : 0)

interface ProblemProps {
  error: unknown
  retry?: () => void
  focus?: boolean
  /** Every field of the call shows its own sentence, so none is repeated here. */
  is_at_fields?: boolean
}

/** Nothing where there is no error. */
export const Problem = (props: ProblemProps) => (props.error ? <Failure {...props} /> : null)

function Failure({ error, retry, focus = false, is_at_fields = false }: ProblemProps) {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (focus) element.current?.focus()
  }, [focus])
  const known = error instanceof OstiaryError ? error : null
  const advised = known ? (advice[known.code] ?? of_client[known.code]) : undefined
  const detail = known?.detail ?? (error instanceof Error ? error.message : 'The page could not do this.')
  return (
    <div className="note bad problem" tabIndex={-1} ref={element}>
      <Icon name="warn" size={16} />
      <div>
        <div role="alert">
          <p className="strong">{is_at_fields ? 'Not saved. Change what is marked.' : detail.replace(/ \(at [^)]*\)$/, '')}</p>
          {advised ? <p>{advised}</p> : null}
          {known && known.errors.length > 1 && !is_at_fields ? (
            <ul>
              {known.errors.map((field) => (
                <li key={field.pointer}>
                  <b>{fieldWords(field.pointer)}</b>: {field.detail}
                </li>
              ))}
            </ul>
          ) : null}
          {known && known.required_scopes.length > 0 ? <p>Needs the scopes {known.required_scopes.join(', ')}.</p> : null}
          {known ? (
            <p className="xs">
              {known.code in of_client ? (
                <code>{known.code}</code>
              ) : (
                <a className="u" href={`/docs/errors/${known.code}`}>
                  {known.code}
                </a>
              )}
              {known.request_id ? (
                <>
                  {' · '}
                  <code>{known.request_id}</code> <CopyButton value={known.request_id} label="request id" />
                </>
              ) : null}
            </p>
          ) : null}
        </div>
        <Again key={known?.request_id} wait_seconds={waitOf(error)} retry={retry} />
      </div>
    </div>
  )
}

/** The field of a pointer in words: `/email/smtp/host` is "email, smtp, host". */
const fieldWords = (pointer: string) => pointer.slice(1).replaceAll('/', ', ').replaceAll('_', ' ')

/** Counts down beside the alert, not in it: a screen reader hears the detail once, and once more that the wait is over. */
function Again({ wait_seconds, retry }: { wait_seconds: number; retry: (() => void) | undefined }) {
  const [left, setLeft] = useState(wait_seconds)
  const announce = useAnnounce()
  useEffect(() => {
    if (wait_seconds === 0) return
    const ends_at = Date.now() + wait_seconds * 1_000
    const timer = setInterval(() => {
      const rest = secondsLeft(ends_at, Date.now())
      setLeft(rest)
      if (rest > 0) return
      clearInterval(timer)
      announce('You can try again now.')
    }, 1_000)
    return () => clearInterval(timer)
  }, [wait_seconds, announce])
  return (
    <>
      {wait_seconds > 0 ? <p>{left > 0 ? `You can try again in ${countdown(left)}.` : 'You can try again now.'}</p> : null}
      {retry ? (
        <button type="button" className="btn s" disabled={left > 0} onClick={retry}>
          Try again
        </button>
      ) : null}
    </>
  )
}
