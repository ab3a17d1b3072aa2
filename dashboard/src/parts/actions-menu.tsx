import { Menu } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'

/** The further actions of a row, behind three dots. */
export const ActionsMenu = ({ of, children }: { of: string; children: ReactNode }) => (
  <Menu>
    <Menu.Target>
      <button type="button" className="btn quiet icon" aria-label={`Actions for ${of}`}>
        <Icon name="dots" />
      </button>
    </Menu.Target>
    <Menu.Dropdown>{children}</Menu.Dropdown>
  </Menu>
)
