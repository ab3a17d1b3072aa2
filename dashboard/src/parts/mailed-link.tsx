/** Says where the link of an invitation is that was not shown: one of an administrator, or one to an organization. */
import type { Answer, Invitation, OrganizationInvitation } from '@ostiary/sdk'

/** The service mailed the link. A repeated answer has none either way, so it does not say whether there was a mail. */
export const MailedLink = ({ of: { data, replayed } }: { of: Answer<Invitation | OrganizationInvitation> }) =>
  replayed ? (
    <span className="note warn">
      The answer with the link to {data.email} was lost. If no mail arrives there, make a new link, which ends the lost one.
    </span>
  ) : (
    <span className="note acc">Mailed to {data.email}. If nothing arrives, make a new link, which ends this one.</span>
  )
