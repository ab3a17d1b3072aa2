/** A record beside its list: a drawer from the right, whose address is in the query of the page. */
import { Drawer } from '@mantine/core'
import type { ReactNode } from 'react'

export const Side = ({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) => (
  <Drawer
    opened
    onClose={onClose}
    title={title}
    position="right"
    size={520}
    transitionProps={{ duration: 0 }}
    closeButtonProps={{ 'aria-label': 'Close' }}
    classNames={{ body: 'side-body' }}
  >
    {children}
  </Drawer>
)

export const Facts = ({ of }: { of: readonly (readonly [string, ReactNode])[] }) => (
  <dl className="facts">
    {of.map(([name, value]) => (
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
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls sideways needs the keyboard */}
    <pre tabIndex={0}>{JSON.stringify(of, null, 2)}</pre>
  </div>
)
