/** Explains the steps at the provider: the redirect URI to enter, its console, and the objects to create there. */
import { CopyButton } from '../../parts/copy.tsx'
import { Uri } from '../../parts/uri.tsx'
import type { KindOfProvider } from './kinds.ts'
import { ProviderMark } from './mark.tsx'

interface RegisterProps {
  kind: KindOfProvider
  /** The name on the button of the sign-in page. */
  name: string
  callback_url: string
}

export const RegisterThere = ({ kind: { value, console: place, steps }, name, callback_url }: RegisterProps) => (
  <section className="there" aria-label="At the provider">
    <div className="lab">Redirect URI to register there</div>
    <div className="uri">
      <Uri value={callback_url} /> <CopyButton value={callback_url} label={`the redirect URI of ${name}`} />
    </div>
    <p className="small muted">{steps}</p>
    {place ? (
      <a className="btn s" href={place.url} target="_blank" rel="noreferrer">
        <ProviderMark type={value} size={15} /> Open {place.name}
        <span className="vh"> in a new tab</span>
      </a>
    ) : null}
  </section>
)
