/** A field for a JSON object. A save sends the merge patch that turns the stored object into the entered one. */
import { Textarea } from '@mantine/core'
import { useState } from 'react'
import { type JsonObject, objectText, patchTo, readObject } from './json-object.ts'

export function useJsonObject(stored: JsonObject) {
  const [text, setText] = useState(() => objectText(stored))
  const typed = readObject(text)
  const patch = 'object' in typed ? patchTo(typed.object, stored) : {}
  return {
    text,
    setText,
    problem: 'problem' in typed ? typed.problem : undefined,
    patch: Object.keys(patch).length > 0 ? patch : null,
  }
}

interface JsonFieldProps {
  of: ReturnType<typeof useJsonObject>
  label: string
  description: string
  /** The sentence of the last attempt. */
  error: string | undefined
}

export const JsonField = ({ of: { text, setText, problem }, label, description, error }: JsonFieldProps) => (
  <Textarea
    label={label}
    description={description}
    rows={5}
    spellCheck={false}
    placeholder='{"plan": "team"}'
    styles={{ input: { fontFamily: 'var(--mono)', fontSize: 13 } }}
    value={text}
    onChange={(event) => setText(event.currentTarget.value)}
    error={problem ?? error}
  />
)
