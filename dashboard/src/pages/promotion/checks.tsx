/** Lists the errors, each with a link to its solution, and then the warnings. */
import type { PromotionCheck } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { Card } from '../../parts/card.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useFirst } from '../../parts/table.tsx'
import { Tag } from '../../parts/tag.tsx'
import { environment_route, environmentBase, environmentParams, useProject } from '../../scope.tsx'
import { fieldAt, inWords, pages } from '../compare/fields.ts'
import { LeaveOut, useAbout } from './about.tsx'
import { inPlural, isAboutValue, keyOf, listed, placeWords } from './words.ts'

export function Checks() {
  const { promotion } = useAbout()
  const errors = promotion.checks.filter(({ level }) => level === 'error').length
  // Edits in the target are marked where they are, since each is confirmed there.
  const checks = promotion.checks.filter(({ code }) => code !== 'edited_there')
  return (
    <Card
      id="checks"
      title="Checks"
      beside={
        errors > 0 ? (
          <Tag tone="bad" icon="warn">
            {inPlural(errors, 'error')}
          </Tag>
        ) : (
          <Tag tone="ok">No error</Tag>
        )
      }
    >
      {checks.length === 0 ? <p className="pad muted">Nothing stands in the way.</p> : null}
      <CheckLines className="checks" checks={checks} />
    </Card>
  )
}

/** First the errors, each by itself, since each is solved by itself. Warnings that say the same are one line. */
export function CheckLines({ checks, className }: { checks: readonly PromotionCheck[]; className: string }) {
  const errors = checks.filter(({ level }) => level === 'error')
  const warnings = checks.filter(({ level }) => level === 'warning')
  const alike = [...Map.groupBy(warnings, ({ code, detail }) => `${code} ${detail}`).values()]
  const { first, more } = useFirst([...errors.map((check) => [check]), ...alike], 'checks')
  if (first.length === 0) return null
  return (
    <>
      <ul className={className}>
        {first.map((checks) => (
          <CheckLine key={checks.map((check) => `${check.code} ${keyOf(check)}`).join()} checks={checks} />
        ))}
      </ul>
      {more}
    </>
  )
}

function CheckLine({ checks }: { checks: readonly PromotionCheck[] }) {
  const { names } = useAbout()
  const [check] = checks
  if (!check) return null
  const is_error = check.level === 'error'
  const about = checks.map((each) => placeWords(is_error ? each : { ...each, pointer: null }, names))
  const words = listed(about)
  return (
    <li className={is_error ? 'bad' : ''}>
      <Icon name={is_error ? 'cross' : 'info'} size={16} />
      <div>
        <b>{words}</b>
        <span className="vh">{is_error ? ': error' : ': warning'}</span>
        <p>
          {check.code === 'value_required' ? 'The new object needs this value.' : inWords(check.detail)}{' '}
          {is_error ? <Solve check={check} /> : null} {is_error ? <LeaveOut of={check} words={words} /> : null}{' '}
          <a className="u" href={`/docs/errors/${check.code}`}>
            {check.code}
          </a>
        </p>
      </div>
    </li>
  )
}

/** The way to where an error is solved. */
/** Solved by another choice of differences, which brings the object that is missing. */
const brought_along: readonly string[] = ['unknown_scope', 'unknown_resource_server', 'unknown_role', 'too_many_changes']

function Solve({ check }: { check: PromotionCheck }) {
  const { tenant, project } = useProject()
  const { source, target, give } = useAbout()
  const { code, object, slug, pointer } = check
  const at = (environment: typeof target) => environmentBase(tenant.slug, project.slug, environment)
  if (source === null) return <>Change the file, and plan again. </>
  if (isAboutValue(check)) {
    const key = keyOf({ object, slug, pointer: fieldAt(object, pointer ?? '').pointer })
    return (
      <button type="button" className="text-button" onClick={() => give(key)}>
        Give the value
      </button>
    )
  }
  const toCompare = (
    <Link className="u" to={`${environment_route}/test-and-live`} params={environmentParams(tenant.slug, project.slug, source)}>
      Choose again
    </Link>
  )
  if (brought_along.includes(code)) return toCompare
  return (
    <>
      <Link className="u" to={at(target) + pages[object]}>
        Open in {target.name}
      </Link>
      {code === 'not_valid_there' ? (
        <>
          {' or '}
          <Link className="u" to={at(source) + pages[object]}>
            change it in {source.name}
          </Link>
        </>
      ) : null}
    </>
  )
}
