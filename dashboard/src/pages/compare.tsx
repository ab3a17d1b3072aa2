/** Test and Live side by side. Chosen differences go to Live, after a plan has shown them. */
import '../styles/compare.css'
import type { Environment } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { compared } from '../frame/places.ts'
import { CopyButton } from '../parts/copy.tsx'
import { ChangeButton, Page } from '../parts/page.tsx'
import { Loaded } from '../parts/reading.tsx'
import { useQueryState } from '../parts/search.ts'
import { Empty } from '../parts/table.tsx'
import { EnvironmentTag, Tag } from '../parts/tag.tsx'
import { environmentBase, useEnvironment } from '../scope.tsx'
import { type Configuration, compare, type Group, isDifference, type Row, type State } from './compare/compare.ts'
import { useConfigurations } from './compare/configurations.ts'
import { Plan } from './compare/plan.tsx'
import { ReadyForLive } from './compare/ready.tsx'

export default function Compare() {
  const { project, environments, environment } = useEnvironment()
  const { search } = useQueryState()
  const { test, live } = compared(environments, environment, search)
  return (
    <Page
      title="Test and Live"
      lead={`What ${project.name} does in each environment, side by side. Secrets, keys, client ids, redirect URIs and users belong to one environment and are never copied.`}
    >
      {test && live ? (
        <div className="cols ready">
          <Comparison key={`${test.id} ${live.id}`} test={test} live={live} />
          <ReadyForLive environment={live} />
        </div>
      ) : (
        <Empty>This project has no {test ? 'Live' : 'Test'} environment, so there is nothing to compare.</Empty>
      )}
    </Page>
  )
}

function Comparison({ test, live }: { test: Environment; live: Environment }) {
  const read = useConfigurations(test, live)
  return (
    <Loaded of={read} rows={10}>
      {([of_test, of_live]) => <Table test={test} live={live} groups={compare(of_test, of_live)} configuration={of_live} />}
    </Loaded>
  )
}

interface TableProps {
  test: Environment
  live: Environment
  groups: Group[]
  /** That of Live. */
  configuration: Configuration
}

function Table({ test, live, groups, configuration }: TableProps) {
  const { search } = useQueryState()
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  const [is_planning, setPlanning] = useState(false)
  const rows = groups.flatMap((group) => group.rows)
  const shows_all = search.show === 'all'
  const shown = groups
    .map(({ title, rows }) => ({ title, rows: shows_all ? rows : rows.filter(isDifference) }))
    .filter(({ rows }) => rows.length > 0)
  const changes = rows.flatMap(({ id, change }) => (change && ticked.has(id) ? [change] : []))
  const tick = (id: string) => (is_ticked: boolean) => {
    const next = new Set(ticked)
    if (is_ticked) next.add(id)
    else next.delete(id)
    setTicked(next)
  }
  const chosen = changes.length === 1 ? '1 change chosen.' : `${changes.length} changes chosen.`
  return (
    <section className="card">
      <Tools
        count={rows.filter(isDifference).length}
        shows_all={shows_all}
        json={JSON.stringify(groups, null, 2)}
        test={test}
        live={live}
      />
      {shown.length === 0 ? (
        <p className="pad muted">Nothing differs that could travel, and nothing is missing in Live.</p>
      ) : (
        <table className="cmp" aria-label="Comparison">
          <thead>
            <tr>
              <th scope="col">
                <span className="vh">Take to Live</span>
              </th>
              <th scope="col">Setting</th>
              {[test, live].map(({ type }) => (
                <th key={type} scope="col" className="e">
                  <EnvironmentTag type={type} />
                </th>
              ))}
              <th scope="col">State</th>
            </tr>
          </thead>
          {shown.map(({ title, rows }) => (
            <tbody key={title}>
              <tr className="g">
                <th colSpan={5} scope="colgroup">
                  {title}
                </th>
              </tr>
              {rows.map((row) => (
                <ComparedRow key={row.id} row={row} live={live} is_ticked={ticked.has(row.id)} tick={tick(row.id)} />
              ))}
            </tbody>
          ))}
        </table>
      )}
      <div className="foot">
        <span>
          <b className="strong">{chosen}</b> <span className="muted">Nothing happens before you have seen the plan.</span>
        </span>
        <ChangeButton
          className="btn pri"
          why={changes.length === 0 ? 'Choose a difference first.' : undefined}
          onClick={() => setPlanning(true)}
        >
          Review changes to Live
        </ChangeButton>
      </div>
      {is_planning ? <Plan chosen={changes} live={{ environment: live, configuration }} close={() => setPlanning(false)} /> : null}
    </section>
  )
}

interface ToolsProps {
  count: number
  shows_all: boolean
  json: string
  test: Environment
  live: Environment
}

function Tools({ count, shows_all, json, test, live }: ToolsProps) {
  const { environments, base } = useEnvironment()
  const { search, show } = useQueryState()
  const here = `${base}/test-and-live` as const
  return (
    <div className="tool">
      <nav className="seg" aria-label="Show">
        <Link from={base} to={here} search={{ ...search, show: undefined }} aria-current={shows_all ? undefined : 'true'} activeProps={{}}>
          Differences {count}
        </Link>
        <Link from={base} to={here} search={{ ...search, show: 'all' }} aria-current={shows_all ? 'true' : undefined} activeProps={{}}>
          Everything
        </Link>
      </nav>
      {[test, live].map((chosen) => {
        const choices = environments.filter(({ type }) => type === chosen.type)
        if (choices.length < 2) return null
        return (
          <select
            key={chosen.type}
            className="in"
            aria-label={chosen.type === 'test' ? 'Test environment' : 'Live environment'}
            value={chosen.slug}
            onChange={(event) => show({ [chosen.type]: event.target.value })}
          >
            {choices.map(({ slug, name }) => (
              <option key={slug} value={slug}>
                {name}
              </option>
            ))}
          </select>
        )
      })}
      <CopyButton look="quiet" value={json} label="as JSON" text="Copy as JSON" />
    </div>
  )
}

const states: Record<State, { word: string; tone: '' | 'acc' | 'bad' | 'warn' }> = {
  same: { word: 'Same', tone: '' },
  differs: { word: 'Differs', tone: 'acc' },
  to_do: { word: 'To do in Live', tone: 'bad' },
  missing: { word: 'Missing in Live', tone: 'bad' },
  own_values: { word: 'Own values', tone: '' },
  only_live: { word: 'Only in Live', tone: 'warn' },
}

interface ComparedRowProps {
  row: Row
  live: Environment
  is_ticked: boolean
  tick: (is_ticked: boolean) => void
}

function ComparedRow({ row: { label, note, test, live: of_live, state, change, page }, live, is_ticked, tick }: ComparedRowProps) {
  const { can, tenant, project } = useEnvironment()
  const { word, tone } = states[state]
  const [path, query] = (page ?? '').split('?')
  const classes = ['r', state === 'same' ? 'same' : '', change ? 'd' : '', is_ticked ? 'sel' : '']
  return (
    <tr className={classes.filter(Boolean).join(' ')}>
      <td>
        {change ? (
          <input
            type="checkbox"
            aria-label={`Take ${label} to Live`}
            checked={is_ticked}
            disabled={!can('developer')}
            title={can('developer') ? undefined : 'Needs the role developer.'}
            onChange={(event) => tick(event.target.checked)}
          />
        ) : null}
      </td>
      <td className="any">
        {label}
        {note ? (
          <small>
            {page ? (
              <Link to={environmentBase(tenant.slug, project.slug, live) + path} search={query ? { new: '1' } : {}}>
                {note}
              </Link>
            ) : (
              note
            )}
          </small>
        ) : null}
      </td>
      <td className="any">{test}</td>
      <td className="any">{of_live}</td>
      <td>
        <Tag tone={tone} {...(tone === 'bad' ? { icon: 'warn' as const } : {})}>
          {word}
        </Tag>
      </td>
    </tr>
  )
}
