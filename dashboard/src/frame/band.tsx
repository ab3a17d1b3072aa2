/** The band over every page of an environment: Test or Live, by colour, pattern, icon and word. */
import { Link } from '@tanstack/react-router'
import { Icon } from '../parts/icon.tsx'
import { toPage, useEnvironment } from '../scope.tsx'

export function Band() {
  const { environment, environments } = useEnvironment()
  const is_test = environment.type === 'test'
  const other = environments.find(({ type }) => type !== environment.type)
  return (
    <section className={`band ${environment.type}`} aria-label="Environment">
      <b>
        <Icon name={is_test ? 'flask' : 'signal'} /> {is_test ? 'Test' : 'Live'}
        {environment.slug === environment.type ? null : `: ${environment.name}`}
      </b>
      <span className="more">
        {is_test ? 'For building and trying out. Mail is captured, not sent.' : 'Real people sign in here. Changes take effect at once.'}
      </span>
      {other ? <Link {...toPage('/test-and-live')}>{is_test ? 'Compare with Live' : 'Compare with Test'}</Link> : null}
    </section>
  )
}
