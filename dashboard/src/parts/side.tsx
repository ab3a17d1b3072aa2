/** A record beside its list: a drawer from the right, whose address is in the query of the page. */
import { Drawer } from '@mantine/core'
import type { ReactNode } from 'react'
import { Code } from './code.tsx'
import { useEscape } from './escape.ts'

export function Side({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  useEscape(true, onClose)
  return (
    <Drawer.Root opened onClose={onClose} position="right" size={520}>
      <Drawer.Overlay />
      <Drawer.Content>
        <div className="drawer-head">
          <Drawer.Title className="any">{title}</Drawer.Title>
          <Drawer.CloseButton aria-label="Close" />
        </div>
        <div className="side-body">{children}</div>
      </Drawer.Content>
    </Drawer.Root>
  )
}

/** Facts by their names. Those that are `null` are left out. */
export const Facts = ({ of }: { of: Readonly<Record<string, ReactNode>> }) => (
  <dl className="facts">
    {Object.entries(of)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => (
        <div key={name} className="fact-row">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)

/** An object as it is on the wire. */
export const Json = ({ of }: { of: unknown }) => (
  <div className="box">
    <Code code={JSON.stringify(of, null, 2)} language="json" />
  </div>
)
