/** Edits what a key is called, where it may be used from, how often and until when. A platform key also has scopes. */

import { NativeSelect, TextInput } from '@mantine/core'
import type { ApiKey } from '@ostiary/sdk'
import { type ReactNode, useEffect, useState } from 'react'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { fieldError } from '../../parts/problem.tsx'
import { useSave, type Version } from '../../parts/save.tsx'
import { Time } from '../../parts/time.tsx'
import { readiness } from '../../queries/environment.ts'
import { allKeys, type KeyVersion } from '../../queries/keys.ts'
import { keyName } from './end-dialogs.tsx'
import { AddressesField, lifetimes, OriginsField, RateField } from './fields.tsx'
import { changeOf, endAfter, isNarrowed, type KeyChange, limitOf, rateOf } from './restrictions.ts'
import { ScopePicker } from './scope-picker.tsx'

interface EditProps {
  base: Version<ApiKey>
  report: (is_edited: boolean) => void
  is_live: boolean
  lead: ReactNode
  of: KeyVersion
  write: (change: KeyChange, options: { if_match: string | undefined }) => Promise<Version<ApiKey>>
  close: () => void
}

const KEEP = 'keep'

export function EditKey({ base, report, is_live, lead, of, write, close }: EditProps) {
  const { data: key } = base
  const [label, setLabel] = useState(key.label ?? '')
  const [scopes, setScopes] = useState(key.scopes)
  const [allowed_origins, setOrigins] = useState(key.allowed_origins)
  const [ip_allowlist, setAddresses] = useState(key.ip_allowlist)
  const [rate, setRate] = useState(rateOf(key, is_live))
  const [days, setDays] = useState(KEEP)
  useEffect(() => {
    // an open dialog keeps the version that it began with
    report(true)
  }, [report])
  const save = useSave({ base, of, write, changes: [allKeys, readiness.everywhere], done: close })
  const changeAt = (now: Date) => {
    const expires_at = days === KEEP ? key.expires_at : endAfter(days, now)
    return changeOf(key, { label, scopes, allowed_origins, ip_allowlist, rate_limit: limitOf(rate, is_live), expires_at })
  }
  const submit = () => {
    const change = changeAt(new Date())
    if (Object.keys(change).length === 0) close()
    else save.run(change)
  }
  return (
    <FormDialog title={`Edit ${keyName(key)}`} lead={lead} submit="Save" action={save} onSubmit={submit} onClose={close}>
      <TextInput
        label="Label, so that you know it again"
        required={key.label !== null}
        maxLength={100}
        value={label}
        onChange={(event) => setLabel(event.currentTarget.value)}
        error={fieldError(save.error, '/label')}
      />
      {key.type === 'platform_secret' ? <ScopePicker value={scopes} onChange={setScopes} /> : null}
      {key.type === 'auth_publishable' ? (
        <OriginsField value={allowed_origins} change={setOrigins} is_live={is_live} error={save.error} />
      ) : null}
      <div className="two">
        <AddressesField value={ip_allowlist} change={setAddresses} error={save.error} />
        <RateField value={rate} change={setRate} is_live={is_live} error={save.error} />
      </div>
      <NativeSelect
        label="Expires"
        data={[
          { value: KEEP, label: key.expires_at ? 'As it is now' : 'Never, as it is now' },
          ...lifetimes.filter(({ value }) => key.expires_at || value),
        ]}
        value={days}
        onChange={(event) => setDays(event.currentTarget.value)}
        error={fieldError(save.error, '/expires_at')}
      />
      {isNarrowed(key, { allowed_origins, ip_allowlist }) ? (
        <div className="note warn">
          <Icon name="warn" size={16} />
          <span>
            Calls from anywhere else get 403 at once. Last used <Time at={key.last_used_at} />
            {key.last_used_ip ? (
              <>
                {' '}
                by <code>{key.last_used_ip}</code>
              </>
            ) : null}
            .
          </span>
        </div>
      ) : null}
      {save.dialog}
    </FormDialog>
  )
}
