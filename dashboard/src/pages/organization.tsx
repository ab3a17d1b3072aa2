/** One organization: its members, invitations to it, and its settings. */
import type { Organization as Record } from '@ostiary/sdk'
import { useParams } from '@tanstack/react-router'
import { Icon } from '../parts/icon.tsx'
import { ChangeButton, Page } from '../parts/page.tsx'
import { Problem } from '../parts/problem.tsx'
import { Loaded, useRead } from '../parts/reading.tsx'
import { Editing, useSave, type Version } from '../parts/save.tsx'
import { useQueryState } from '../parts/search.ts'
import { PageTabs } from '../parts/tabs.tsx'
import { organizations } from '../queries/organizations.ts'
import { useEnvironment } from '../scope.tsx'
import { Invitations } from './organizations/invitations.tsx'
import { Members } from './organizations/members.tsx'
import { savingOrganization } from './organizations/saving.ts'
import { Delete, Disable, OrganizationSettings } from './organizations/settings.tsx'
import { OrganizationStatus } from './organizations/status.tsx'

const tabs = [
  ['members', 'Members'],
  ['invitations', 'Invitations'],
  ['settings', 'Settings'],
] as const

export default function Organization() {
  const { organization_id = '' } = useParams({ strict: false })
  const { search } = useQueryState()
  const tab = search.tab ?? 'members'
  const read = useRead(organizations.one(useEnvironment(), organization_id))
  return (
    <Loaded of={read}>
      {(latest) => {
        const { data: organization } = latest
        const head = {
          title: organization.name,
          lead: (
            <>
              <OrganizationStatus of={organization} /> <code className="any">{organization.slug}</code>
            </>
          ),
        }
        const above = (
          <>
            {organization.disabled ? <SwitchedOff latest={latest} /> : null}
            <PageTabs label="Organization" tabs={tabs} current={tab} />
          </>
        )
        if (tab === 'invitations') return <Invitations organization={organization} {...head} above={above} />
        if (tab !== 'settings') return <Members organization={organization} {...head} above={above} />
        return (
          <Page {...head}>
            {above}
            <div className="stack">
              <Editing latest={latest}>{(edited) => <OrganizationSettings {...edited} />}</Editing>
              {organization.disabled ? null : <Disable latest={latest} />}
              <Delete organization={organization} />
            </div>
          </Page>
        )
      }}
    </Loaded>
  )
}

/** Says that nobody acts in it, and has the way back. */
function SwitchedOff({ latest }: { latest: Version<Record> }) {
  const save = useSave(savingOrganization(useEnvironment(), latest))
  return (
    <div className="note warn off">
      <Icon name="warn" size={16} />
      <div>
        <p className="strong">Disabled: nobody acts in this organization.</p>
        <p>Its members and their roles are kept. After you enable it, people sign in to it again.</p>
        <Problem error={save.error} />
        {save.dialog}
        <ChangeButton className="btn s" onClick={() => save.run({ disabled: false })} disabled={save.busy}>
          Enable
        </ChangeButton>
      </div>
    </div>
  )
}
