/** A choice among a few, each on a card. */
import { type ReactNode, useId } from 'react'

interface ChoiceCardsProps<T> {
  legend: string
  options: readonly { value: T; name: ReactNode; text?: string }[]
  value: T
  choose: (value: T) => void
  /** Follows the cards. */
  children?: ReactNode
}

export function ChoiceCards<T extends string>({ legend, options, value, choose, children }: ChoiceCardsProps<T>) {
  const id = useId()
  const look = options.some(({ text }) => text) ? '' : ' tiles'
  return (
    <fieldset>
      <legend className="lab">{legend}</legend>
      <div className={`kinds${options.length > 2 ? ' three' : ''}${look}`}>
        {options.map((option) => (
          <label className="kind" key={option.value}>
            <input type="radio" name={id} checked={option.value === value} onChange={() => choose(option.value)} />
            <b>{option.name}</b>
            {option.text ? <span>{option.text}</span> : null}
          </label>
        ))}
      </div>
      {children}
    </fieldset>
  )
}
