/** Saves the objects of a filter as a file: JSON lines or comma-separated values. It is read page by page and can be stopped. */
import { Menu } from '@mantine/core'
import type { Page } from '@ostiary/sdk'
import { useRef, useState } from 'react'
import { line } from './cells.ts'
import { download } from './download.ts'
import { Icon } from './icon.tsx'
import { Problem } from './problem.tsx'

/** The file is put together in memory, so it has at most this many objects. The API also returns all of them at once. */
const MOST = 50_000

interface ExportProps<T> {
  /** The name of the file. */
  name: string
  /** The objects in the words of a sentence: `entries`. */
  of: string
  pages: (signal: AbortSignal) => AsyncIterable<Page<T>>
  /** The heads of the columns of a spreadsheet, and its cells. */
  head: readonly string[]
  rowOf: (object: T) => string[]
  /** The advice where there are more objects than a file has. */
  rest: string
}

export function Export<T>({ name, of: objects, pages, head, rowOf, rest }: ExportProps<T>) {
  const forms = {
    jsonl: { type: 'application/jsonl', begin: '', of: (object: T) => `${JSON.stringify(object)}\n` },
    csv: { type: 'text/csv', begin: line(head), of: (object: T) => line(rowOf(object)) },
  }
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
        <span aria-live="polite">
          {read.toLocaleString('en')} {objects} read.
        </span>{' '}
        Stop
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
          The file has the first {MOST.toLocaleString('en')} {objects}. {rest}
        </span>
      ) : null}
      <Problem error={error} />
    </>
  )
}
