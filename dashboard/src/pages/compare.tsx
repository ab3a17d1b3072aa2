/** Test and Live side by side. The service says what differs and what Live would refuse; what is ticked becomes a plan. */
import '../styles/compare.css'
import { Menu } from '@mantine/core'
import type { Environment, Planned, Promotion } from '@ostiary/sdk'
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { compared } from '../frame/places.ts'
import { useAction } from '../parts/action.ts'
import { ActionsMenu } from '../parts/actions-menu.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { Icon } from '../parts/icon.tsx'
import { ChangeButton, Page } from '../parts/page.tsx'
import { Problem } from '../parts/problem.tsx'
import { Loaded, useRead } from '../parts/reading.tsx'
import { useQueryState } from '../parts/search.ts'
import { Empty, useFirst } from '../parts/table.tsx'
import { EnvironmentTag, Tag } from '../parts/tag.tsx'
import { configurations } from '../queries/configurations.ts'
import { promotions } from '../queries/promotions.ts'
import { environmentBase, toPromotion, useEnvironment } from '../scope.tsx'
import { AsFile } from './compare/as-file.tsx'
import {
  type Compared,
  compare,
  entriesOf,
  entriesOfAll,
  errorsOfAll,
  type Group,
  isDifference,
  type Row,
  type State,
} from './compare/compare.ts'
import { Keep, useUnkeep } from './compare/keep.tsx'
import { onlyOf } from './compare/only.ts'
import { ReadyForLive } from './compare/ready.tsx'

export default function Compare() {
  const { project, environments, environment } = useEnvironment()
  const { search } = useQueryState()
  const { test, live } = compared(environments, environment, search)
  return (
    <Page
      title="Test and Live"
      lead={`What ${project.name} does in each environment, side by side. Secrets, keys, client ids, redirect URIs and users belong to one environment and are never copied.`}
      actions={<AsFile />}
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
  const read = useRead(configurations.pair(useEnvironment(), { test: test.id, live: live.id }))
  return (
    <Loaded of={read} rows={10}>
      {(both) => <Table test={test} live={live} both={both} />}
    </Loaded>
  )
}

const views = {
  differences: { name: 'Differences', has: isDifference },
  kept: { name: 'Meant to differ', has: ({ state }: Row) => state === 'kept' },
  all: { name: 'Everything', has: () => true },
} as const
type View = keyof typeof views

interface TableProps {
  test: Environment
  live: Environment
  both: Compared
}

function Table({ test, live, both }: TableProps) {
  const { can } = useEnvironment()
  const { search } = useQueryState()
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  const [keeping, setKeeping] = useState<Row | null>(null)
  const unkeep = useUnkeep(live)
  const groups = compare(both, live.keeps)
  const rows = groups.flatMap((group) => group.rows)
  const view: View = search.show === 'all' || search.show === 'kept' ? search.show : 'differences'
  const shown = groups.map(({ title, rows }) => ({ title, rows: rows.filter(views[view].has) })).filter(({ rows }) => rows.length > 0)
  const open = rows.filter(({ entry, closed }) => entry && closed === null)
  const chosen = open.filter(({ id }) => ticked.has(id))
  const tick = (ids: readonly string[]) => (is_ticked: boolean) => {
    const next = new Set(ticked)
    for (const id of ids)
      if (is_ticked) next.add(id)
      else next.delete(id)
    setTicked(next)
  }
  const may = can('developer')
  const all = shown.flatMap(({ rows }) => rows).filter((row) => open.includes(row))
  return (
    <section className="card">
      <Tools rows={rows} view={view} json={JSON.stringify(groups, null, 2)} test={test} live={live} />
      {errorsOfAll(rows, both.plan).map((detail) => (
        <p key={detail} className="note warn pad">
          <Icon name="warn" size={16} /> <span>All of it together: {detail}</span>
        </p>
      ))}
      {shown.length === 0 ? (
        <p className="pad muted">
          {view === 'kept' ? 'Nothing is meant to differ.' : 'Nothing differs that could travel, and nothing is missing in Live.'}
        </p>
      ) : (
        <table className="cmp" aria-label="Comparison">
          <thead>
            <tr>
              <th scope="col">
                {all.length > 0 && may ? (
                  <label className="pressed">
                    <input
                      type="checkbox"
                      aria-label="Take all to Live"
                      checked={all.every(({ id }) => ticked.has(id))}
                      onChange={(event) => tick(all.map(({ id }) => id))(event.target.checked)}
                    />
                  </label>
                ) : (
                  <span className="vh">Take to Live</span>
                )}
              </th>
              <th scope="col">Setting</th>
              {[test, live].map(({ type }) => (
                <th key={type} scope="col" className="e">
                  <EnvironmentTag type={type} />
                </th>
              ))}
              <th scope="col">State</th>
              <th scope="col">
                <span className="vh">Actions</span>
              </th>
            </tr>
          </thead>
          {shown.map((group) => (
            <GroupRows key={group.title} group={group}>
              {(row) => (
                <ComparedRow
                  key={row.id}
                  row={row}
                  live={live}
                  is_ticked={ticked.has(row.id)}
                  tick={tick([row.id])}
                  keep={() => setKeeping(row)}
                  unkeep={unkeep}
                />
              )}
            </GroupRows>
          ))}
        </table>
      )}
      <Problem error={unkeep.error} focus />
      <Review test={test} live={live} chosen={chosen} open={open} rows={rows} changes={both.plan?.changes ?? []} />
      {keeping ? <Keep row={keeping} live={live} close={() => setKeeping(null)} /> : null}
    </section>
  )
}

/** A group begins with its first rows: a project can have a thousand applications. */
function GroupRows({ group: { title, rows }, children }: { group: Group; children: (row: Row) => ReactNode }) {
  const { first, more } = useFirst(rows, title)
  return (
    <tbody>
      <tr className="g">
        <th colSpan={6} scope="colgroup">
          {title}
        </th>
      </tr>
      {first.map(children)}
      {more ? (
        <tr className="g">
          <td colSpan={6}>{more}</td>
        </tr>
      ) : null}
    </tbody>
  )
}

interface ReviewProps {
  test: Environment
  live: Environment
  chosen: readonly Row[]
  open: readonly Row[]
  rows: readonly Row[]
  changes: Promotion['changes']
}

/** Plans what is ticked, else all that Live does not refuse. */
function Review({ test, live, chosen, open, rows, changes }: ReviewProps) {
  const { client, project } = useEnvironment()
  const navigate = useNavigate()
  const plan = useAction(
    async (entries: readonly Planned[] | undefined): Promise<Promotion> =>
      client.createPromotion(
        { project_id: project.id },
        { from_environment_id: test.id, to_environment_id: live.id, ...(entries ? { only: onlyOf(entries, changes) } : {}) },
      ),
    {
      changes: [promotions.all({ project })],
      done: ({ id }) => void navigate(toPromotion(id)),
    },
  )
  const is_all = chosen.length === 0
  const words = chosen.length === 1 ? '1 change chosen.' : `${chosen.length} changes chosen.`
  return (
    <>
      <Problem error={plan.error} focus />
      <div className="foot">
        <span>
          <b className="strong">{is_all ? 'All changes.' : words}</b>{' '}
          <span className="muted">Nothing happens before you have seen the plan.</span>
        </span>
        <ChangeButton
          className="btn pri"
          disabled={plan.busy}
          why={open.length === 0 ? 'Nothing can be brought to Live.' : undefined}
          onClick={() => plan.run(is_all ? entriesOfAll(rows) : entriesOf(chosen))}
        >
          Review changes to Live
        </ChangeButton>
      </div>
    </>
  )
}

interface ToolsProps {
  rows: readonly Row[]
  view: View
  json: string
  test: Environment
  live: Environment
}

function Tools({ rows, view, json, test, live }: ToolsProps) {
  const { environments, base } = useEnvironment()
  const { search, show } = useQueryState()
  const here = `${base}/test-and-live` as const
  const count = (of: View) => rows.filter(views[of].has).length
  return (
    <div className="tool">
      <nav className="seg" aria-label="Show">
        {(['differences', 'kept', 'all'] as const)
          .filter((each) => each !== 'kept' || view === 'kept' || count('kept') > 0)
          .map((each) => (
            <Link
              key={each}
              from={base}
              to={here}
              search={{ ...search, show: each === 'differences' ? undefined : each }}
              aria-current={each === view ? 'true' : undefined}
              activeProps={{}}
              activeOptions={{ exact: true }}
            >
              {views[each].name} {each === 'all' ? '' : count(each)}
            </Link>
          ))}
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
  kept: { word: 'Meant to differ', tone: '' },
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
  keep: () => void
  unkeep: ReturnType<typeof useUnkeep>
}

function ComparedRow({ row, is_ticked, tick, ...actions }: ComparedRowProps) {
  const { can } = useEnvironment()
  const { label, note, test, live: of_live, state, entry, closed } = row
  const { word, tone } = states[state]
  const may = can('developer')
  const can_tick = entry !== null && closed === null
  const classes = ['r', state === 'same' ? 'same' : '', entry && state === 'differs' ? 'd' : '', is_ticked && can_tick ? 'sel' : '']
  return (
    <tr className={classes.filter(Boolean).join(' ')}>
      <td>
        {entry ? (
          <label className="pressed">
            <input
              type="checkbox"
              aria-label={`Take ${label} to Live`}
              aria-describedby={closed ? `why-${row.id}` : undefined}
              checked={is_ticked && can_tick}
              disabled={!may || !can_tick}
              title={may ? (closed ?? undefined) : 'Needs the role developer.'}
              onChange={(event) => tick(event.target.checked)}
            />
          </label>
        ) : null}
      </td>
      <td className="any">
        {label}
        {note ? (
          <small id={`why-${row.id}`} className={closed ? 'tone-bad' : ''}>
            {closed ? 'Live would refuse it: ' : ''}
            {note}
          </small>
        ) : null}
      </td>
      <td className="any">{test}</td>
      <td className="any">{of_live}</td>
      <td>
        <Tag tone={tone} icon={tone === 'bad' ? 'warn' : null}>
          {word}
        </Tag>
      </td>
      <td>
        <Actions row={row} {...actions} />
      </td>
    </tr>
  )
}

function Actions({ row, live, keep, unkeep }: Pick<ComparedRowProps, 'row' | 'live' | 'keep' | 'unkeep'>) {
  const { can, tenant, project } = useEnvironment()
  const navigate = useNavigate()
  const { label, place, state, page } = row
  if (state === 'same' && place?.slug === null) return null
  const needs = live.type === 'live' ? 'admin' : 'developer'
  const [path = '', query] = page.split('?')
  const open = () =>
    void navigate({
      to: environmentBase(tenant.slug, project.slug, live) + path,
      search: Object.fromEntries(new URLSearchParams(query)),
    })
  return (
    <ActionsMenu of={label}>
      <Menu.Item onClick={open}>Open in Live</Menu.Item>
      {place && !can(needs) ? <Menu.Label>Needs the role {needs}:</Menu.Label> : null}
      {place === null ? null : state === 'kept' ? (
        <Menu.Item disabled={!can(needs) || unkeep.busy} onClick={() => unkeep.run(place)}>
          No longer meant to differ
        </Menu.Item>
      ) : (
        <Menu.Item disabled={!can(needs)} onClick={keep}>
          Meant to differ…
        </Menu.Item>
      )}
    </ActionsMenu>
  )
}
