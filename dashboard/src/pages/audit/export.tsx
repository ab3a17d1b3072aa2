/** Saves the entries of the filter as a file: JSON lines or comma-separated values. It is read page by page and can be stopped. */
import { Menu } from '@mantine/core'
import type { AuditEntry, Page } from '@ostiary/sdk'
import { useRef, useState } from 'react'
import { download } from '../../parts/download.ts'
import { Icon } from '../../parts/icon.tsx'
import { Problem } from '../../parts/problem.tsx'
import { line } from './cells.ts'

/** The file is put together in memory, so it has at most this many entries. The API also returns all of them at once, as JSON lines. */
const MOST = 50_000

const head = [
  'sequence',
  'time',
  'action',
  'actor_type',
  'actor_id',
  'actor',
  'object_type',
  'object_id',
  'ip',
  'request_id',
  'before',
  'after',
  'hash',
]
const rowOf = ({ sequence, created_at, action, actor, object, ip, request_id, before, after, hash }: AuditEntry) => [
  String(sequence),
  created_at,
  action,
  actor.type,
  actor.id ?? '',
  actor.label ?? '',
  object.type,
  object.id,
  ip ?? '',
  request_id ?? '',
  before === null ? '' : JSON.stringify(before),
  after === null ? '' : JSON.stringify(after),
  hash,
]

const forms = {
  jsonl: { type: 'application/jsonl', begin: '', of: (entry: AuditEntry) => `${JSON.stringify(entry)}\n` },
  csv: { type: 'text/csv', begin: line(head), of: (entry: AuditEntry) => line(rowOf(entry)) },
}

export function Export({ name, pages }: { name: string; pages: (signal: AbortSignal) => AsyncIterable<Page<AuditEntry>> }) {
  const [read, setRead] = useState<number | null>(null)
  const [is_cut, setCut] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const running = useRef<AbortController | null>(null)
  const save = async (form: keyof typeof forms) => {
    const controller = new AbortController()
    running.current = controller
    setError(null)
    setCut(false)
    setRead(0)
    const { type, begin, of } = forms[form]
    const parts = [begin]
    let count = 0
    try {
      for await (const page of pages(controller.signal)) {
        const taken = page.data.slice(0, MOST - count)
        parts.push(taken.map(of).join(''))
        count += taken.length
        setRead(count)
        if (count >= MOST) {
          setCut(page.has_more || taken.length < page.data.length)
          break
        }
      }
      download(new Blob(parts, { type }), `${name}.${form}`)
    } catch (failure) {
      if (!controller.signal.aborted) setError(failure)
    } finally {
      setRead(null)
    }
  }
  if (read !== null)
    return (
      <button type="button" className="btn" onClick={() => running.current?.abort()}>
        <span aria-live="polite">{read.toLocaleString('en')} entries read.</span> Stop
      </button>
    )
  return (
    <>
      <Menu>
        <Menu.Target>
          <button type="button" className="btn">
            Export <Icon name="down" size={14} />
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => void save('jsonl')}>JSON lines</Menu.Item>
          <Menu.Item onClick={() => void save('csv')}>Spreadsheet (CSV)</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {is_cut ? (
        <span className="small muted">
          The file has the newest {MOST.toLocaleString('en')} entries. Choose a shorter time for the rest.
        </span>
      ) : null}
      <Problem error={error} />
    </>
  )
}
