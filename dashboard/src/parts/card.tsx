import type { ReactNode } from 'react'

interface CardProps {
  title: ReactNode
  /** The id of the title, for a card that it names. */
  id?: string
  /** At the other end of the head. */
  beside?: ReactNode
  children: ReactNode
}

/** A part of a page with a head of its own. */
export const Card = ({ title, id, beside, children }: CardProps) => (
  <section className="card" aria-labelledby={id}>
    <header>
      <h2 id={id}>{title}</h2>
      {beside ? <div className="r">{beside}</div> : null}
    </header>
    {children}
  </section>
)
