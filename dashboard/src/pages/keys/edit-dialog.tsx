/** Edits what a key is called, where it may be used from, how often and until when. A platform key also has scopes. */

import type { ApiKey } from '@ostiary/sdk'
import { useEffect, useState } from 'react'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Note } from '../../parts/note.tsx'
import { useSave, type Version } from '../../parts/save.tsx'
import { Time } from '../../parts/time.tsx'
import { readiness } from '../../queries/environment.ts'
import { allKeys, type KeyReads } from '../../queries/keys.ts'
import { KeyFields, lifetimes, useIsLive, Where } from './fields.tsx'
import { keyName } from './keys-table.tsx'
import { changeOf, endAfter, isNarrowed, type KeyChange, type KeyValues, limitOf, rateOf } from './restrictions.ts'

interface EditProps {
  base: Version<ApiKey>
  report: (is_edited: boolean) => void
  of: ReturnType<KeyReads['one']>
  write: (change: KeyChange, options: { if_match: string | undefined }) => Promise<Version<ApiKey>>
  close: () => void
}

const KEEP = 'keep'

export function EditKey({ base, report, of, write, close }: EditProps) {
  const { data: key } = base
  const is_live = useIsLive()
  const [values, setValues] = useState<KeyValues>({ ...key, label: key.label ?? '', rate: rateOf(key, is_live), days: KEEP })
  useEffect(() => {
    // an open dialog keeps the version that it began with
    report(true)
  }, [report])
  const save = useSave({ base, of, write, changes: [allKeys, readiness.everywhere], done: close })
  const submit = () => {
    const { label, scopes, allowed_origins, ip_allowlist, rate, days } = values
    const expires_at = days === KEEP ? key.expires_at : endAfter(days, new Date())
    const change = changeOf(key, { label, scopes, allowed_origins, ip_allowlist, rate_limit: limitOf(rate, is_live), expires_at })
    if (Object.keys(change).length === 0) close()
    else save.run(change)
  }
  return (
    <FormDialog title={`Edit ${keyName(key)}`} lead={<Where />} submit="Save" action={save} onSubmit={submit} onClose={close}>
      <KeyFields
        type={key.type}
        lifetimes={[
          { value: KEEP, label: key.expires_at ? 'As it is now' : 'Never, as it is now' },
          ...lifetimes.filter(({ value }) => key.expires_at || value),
        ]}
        values={values}
        change={setValues}
        error={save.error}
        is_labelled={key.label !== null}
      />
      {isNarrowed(key, values) ? (
        <Note tone="warn">
          Calls from anywhere else get 403 at once. Last used <Time at={key.last_used_at} />
          {key.last_used_ip ? (
            <>
              {' '}
              by <code>{key.last_used_ip}</code>
            </>
          ) : null}
          .
        </Note>
      ) : null}
      {save.dialog}
    </FormDialog>
  )
}
