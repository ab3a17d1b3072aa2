/** Captured mail of a Test environment, with the code and the link pulled out. */

import type { Mail } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { Copied, CopyButton } from '../parts/copy.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { Loaded, useList, useRead } from '../parts/reading.tsx'
import { Facts, Side } from '../parts/side.tsx'
import { ByApi, pathOf } from '../parts/snippets.tsx'
import { type Column, timeColumn } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { inbox } from '../queries/environment.ts'
import { toPage, useEnvironment } from '../scope.tsx'

const columns: Column<Mail>[] = [
  { head: 'Mail', cell: ({ subject }, open) => open(subject) },
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
  timeColumn('When', ({ created_at }) => created_at),
]

export default function Inbox() {
  const here = useEnvironment()
  const { at } = here
  const list = useList(inbox.list(here), { refetchInterval: 5_000 })
  return (
    <ListPage
      title="Inbox"
      label="Captured mail"
      lead="Test captures mail instead of sending it. Nothing here has left the service."
      list={list}
      columns={columns}
      empty="No mail yet. Codes, links and notices of this environment appear here."
      first={
        <Link className="btn" {...toPage('/applications')}>
          Sign in to an application
        </Link>
      }
      snippet={<ByApi operation="listInbox" path={`${pathOf(at)}/inbox`} params={at} />}
      side={{ param: 'chosen', of: (id, close) => <MailSide mail_id={id} close={close} /> }}
    />
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
              of={{
                To: to,
                Code: code ? <Copied value={code} label="code" /> : null,
                Link: link ? <Copied value={link} label="link" /> : null,
                When: <Time at={created_at} />,
              }}
            />
            <div className="box mail-text">{text}</div>
          </>
        )}
      </Loaded>
    </Side>
  )
}
