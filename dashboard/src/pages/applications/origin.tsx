/** The first question about a new application: whose code it is. */

const origins = [
  { origin: 'code', name: 'Code that you write', text: 'You choose a library, and get a snippet for it.' },
  { origin: 'product', name: 'A product that exists', text: 'Grafana, GitLab, JupyterHub: you get the lines for its configuration.' },
] as const
export type Origin = (typeof origins)[number]['origin']

export function OriginField({ value, change }: { value: Origin; change: (origin: Origin) => void }) {
  return (
    <fieldset>
      <legend className="lab">What signs people in?</legend>
      <div className="kinds">
        {origins.map(({ origin, name, text }) => (
          <label className="kind" key={origin}>
            <input type="radio" name="origin" checked={value === origin} onChange={() => change(origin)} />
            <b>{name}</b>
            <span>{text}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
