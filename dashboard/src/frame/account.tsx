/** The parts of the bar that belong to the person: the deployment, for operators, and the account. */
import { Menu, useMantineColorScheme } from '@mantine/core'
import type { Me } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { signOut } from '../api.ts'
import { useAction } from '../parts/action.ts'
import { Buttons, Dialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { Problem } from '../parts/problem.tsx'
import { deploymentParams, environment_route, type Role } from '../scope.tsx'

/** For operators: the deployment's own mail, methods and administrators. */
export function DeploymentLink({ me }: { me: Me }) {
  const params = deploymentParams(me)
  if (params === null) return null
  return (
    <Link className="deployment" to={`${environment_route}/deployment`} params={params} aria-label="Deployment">
      <Icon name="servers" /> <span>Deployment</span>
    </Link>
  )
}

/** @param rights what the person is in the tenant of the page; `null` outside of a tenant */
export function Account({ me, rights }: { me: Me; rights: Role | null }) {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const initials = (me.name ?? me.email).slice(0, 2).toUpperCase()
  const leave = useAction(signOut, { done: () => location.assign('/dashboard') })
  const schemes = { auto: 'Like the system', light: 'Light', dark: 'Dark' } as const
  return (
    <>
      <Menu>
        <Menu.Target>
          <button type="button" className="ava" aria-label={`${initials}: your account`}>
            {initials}
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{rights === null ? me.email : `${me.email}, ${rights}`}</Menu.Label>
          {(['auto', 'light', 'dark'] as const).map((scheme) => (
            <Menu.Item
              key={scheme}
              leftSection={<Icon name={colorScheme === scheme ? 'check' : 'dots'} />}
              onClick={() => setColorScheme(scheme)}
            >
              {schemes[scheme]}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item component="a" href="/docs" leftSection={<Icon name="page" />}>
            Documentation
          </Menu.Item>
          <Menu.Item leftSection={<Icon name="out" />} onClick={() => leave.run()}>
            Sign out
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Dialog
        opened={leave.error !== null}
        alert
        onClose={leave.reset}
        title="You are still signed in"
        footer={<Buttons keep="Stay" onClose={leave.reset} act="Sign out" onAct={() => leave.run()} disabled={leave.busy} />}
      >
        <Problem error={leave.error} />
      </Dialog>
    </>
  )
}
