/** Captured mail of a Test environment, with the code and the link pulled out. */

import type { Mail } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { Copied, CopyButton } from '../parts/copy.tsx'
import { Page } from '../parts/page.tsx'
import { Loaded, useList, useRead } from '../parts/reading.tsx'
import { useQueryState } from '../parts/search.ts'
import { Facts, Side } from '../parts/side.tsx'
import { ByApi, pathOf } from '../parts/snippets.tsx'
import { type Column, Empty, Records } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { inbox } from '../queries/environment.ts'
import { useEnvironment } from '../scope.tsx'

export default function Inbox() {
  const here = useEnvironment()
  const { at, base } = here
  const { search, show } = useQueryState()
  const list = useList(inbox.list(here), { refetchInterval: 5_000 })
  const columns: Column<Mail>[] = [
    {
      head: 'Mail',
      kind: 'first',
      cell: ({ id, subject }) => (
        <button type="button" className="row-button" onClick={() => show({ chosen: id })}>
          {subject}
        </button>
      ),
    },
    { head: 'To', className: 'any', cell: ({ to }) => to },
    {
      head: 'Code',
      cell: ({ code }) =>
        code ? (
          <>
            <code>{code}</code> <CopyButton value={code} label={`code ${code}`} />
          </>
        ) : (
          <span className="faint">None</span>
        ),
    },
    { head: 'When', className: 'muted nowrap', cell: ({ created_at }) => <Time at={created_at} /> },
  ]
  return (
    <Page title="Inbox" lead="Test captures mail instead of sending it. Nothing here has left the service.">
      <Records
        label="Captured mail"
        list={list}
        columns={columns}
        open={({ id }) => show({ chosen: id })}
        keyOf={({ id }) => id}
        empty={
          <Empty
            action={
              <Link className="btn" from={base} to={`${base}/applications`}>
                Sign in to an application
              </Link>
            }
            snippet={<ByApi operation="listInbox" path={`${pathOf(at)}/inbox`} params={at} />}
          >
            No mail yet. Codes, links and notices of this environment appear here.
          </Empty>
        }
      />
      {search.chosen ? <MailSide key={search.chosen} mail_id={search.chosen} close={() => show({ chosen: undefined })} /> : null}
    </Page>
  )
}

/** One mail, read by its id: a link leads to it however many came later, and it stays open while they come. */
function MailSide({ mail_id, close }: { mail_id: string; close: () => void }) {
  const mail = useRead(inbox.one(useEnvironment(), mail_id))
  return (
    <Side title={mail.data?.subject ?? 'Mail'} onClose={close}>
      <Loaded of={mail}>
        {({ to, code, link, created_at, text }) => (
          <>
            <Facts
              of={[
                ['To', to],
                ['Code', code ? <Copied key="code" value={code} label="code" /> : null],
                ['Link', link ? <Copied key="link" value={link} label="link" /> : null],
                ['When', <Time key="at" at={created_at} />],
              ]}
            />
            <div className="box mail-text">{text}</div>
          </>
        )}
      </Loaded>
    </Side>
  )
}
