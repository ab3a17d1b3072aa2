/** The part of an explanation that few people need, behind a press. */
import type { ReactNode } from 'react'

export const More = ({ about, children }: { about: string; children: ReactNode }) => (
  <details className="more">
    <summary>
      More<span className="vh"> about {about}</span>
    </summary>
    <div>{children}</div>
  </details>
)
