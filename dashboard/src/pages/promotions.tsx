/** The promotions of a project: plans that wait, and what became of the others. The page of one is in the same chunk. */
import '../styles/promotions.css'
import type { PromotionInList } from '@ostiary/sdk'
import { Link, useParams } from '@tanstack/react-router'
import { useAction } from '../parts/action.ts'
import { FilterSelect, NoMatch } from '../parts/filters.tsx'
import { Icon } from '../parts/icon.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { ChangeButton } from '../parts/page.tsx'
import { Problem } from '../parts/problem.tsx'
import { useList } from '../parts/reading.tsx'
import { useQueryState } from '../parts/search.ts'
import { type Column, hasNone, timeColumn } from '../parts/table.tsx'
import { Tag } from '../parts/tag.tsx'
import { promotionFilter, promotions } from '../queries/promotions.ts'
import { projects } from '../queries/tenancy.ts'
import { environment_route, environmentParams, toPromotion, useProject } from '../scope.tsx'
import { FromTo } from './promotion/from-to.tsx'
import { PromotionStatus } from './promotion/status.tsx'
import { inPlural, summaryWords, whoWords } from './promotion/words.ts'
import { PromotionPage } from './promotion.tsx'

const statuses = [
  ['planned', 'Planned'],
  ['applied', 'Applied'],
  ['reverted', 'Reverted'],
] as const

/** The list, or the promotion of the address. */
export default function Promotions() {
  const { promotion_id } = useParams({ strict: false })
  return promotion_id ? <PromotionPage promotion_id={promotion_id} /> : <List />
}

const columns: Column<PromotionInList>[] = [
  {
    head: 'Promotion',
    cell: ({ summary, status, note }, open) => (
      <>
        <b>{open(summaryWords(summary, status))}</b>
        {note ? <span className="sub any">{note}</span> : null}
      </>
    ),
  },
  {
    head: 'Status',
    cell: (promotion) => (
      <>
        <PromotionStatus of={promotion} />
        {promotion.status === 'planned' && promotion.summary.errors > 0 ? (
          <span className="sub">{inPlural(promotion.summary.errors, 'error')}</span>
        ) : null}
      </>
    ),
  },
  { head: 'From and to', cell: (promotion) => <FromTo of={promotion} /> },
  { head: 'Who', className: 'muted any', cell: ({ created_by }) => whoWords(created_by) },
  timeColumn(
    'When',
    ({ status, created_at, applied_at, reverted_at }) =>
      (status === 'reverted' ? reverted_at : status === 'applied' ? applied_at : created_at) ?? created_at,
  ),
]

function List() {
  const here = useProject()
  const { search, show } = useQueryState()
  const list = useList(promotions.list(here, promotionFilter(search)))
  return (
    <ListPage
      title="Promotions"
      lead="A promotion brings the configuration of one environment to another: a plan shows every change before it happens, and what was applied can be taken back."
      actions={!search.status && hasNone(list) ? null : <Compare />}
      above={
        <div className="toolbar">
          <FilterSelect label="Status" any="Any status" options={statuses} value={search.status} choose={(status) => show({ status })} />
        </div>
      }
      list={list}
      columns={columns}
      link={({ id }) => toPromotion(id)}
      no_match={search.status ? <NoMatch clear={() => show({ status: undefined })}>No promotion has this status.</NoMatch> : null}
      empty="No promotion yet. Compare Test and Live, tick what is ready, and review the plan. Plans from files appear here too."
      first={<Compare />}
    >
      <Approval />
    </ListPage>
  )
}

/** To the comparison of the first environment for Test. */
function Compare() {
  const { tenant, project, environments } = useProject()
  const live = environments.find(({ type }) => type === 'live')
  const test = environments.findLast(({ type }) => type === 'test')
  if (!live || !test) return null
  return (
    <Link className="btn pri" to={`${environment_route}/test-and-live`} params={environmentParams(tenant.slug, project.slug, test)}>
      <Icon name="compare" /> Compare Test and Live
    </Link>
  )
}

/** Whether a second administrator looks at plans to Live. */
function Approval() {
  const { client, tenant, project, can } = useProject()
  const is_required = project.promotion.require_approval
  const change = useAction(
    (require_approval: boolean) => client.changeProject({ project_id: project.id }, { promotion: { require_approval } }),
    { changes: [projects.place({ tenant }, project.slug), promotions.all({ project })] },
  )
  return (
    <section className="card after">
      <header>
        <h2>Approval</h2>
        <div className="r">
          <Tag tone={is_required ? 'ok' : ''}>{is_required ? 'Needed for Live' : 'Not needed'}</Tag>
        </div>
      </header>
      <div className="pad stack">
        <p className="muted">
          With approvals, a plan to Live is applied only after another owner or admin has looked at it. Edits by hand need none.
        </p>
        <Problem error={change.error} />
        <p>
          <ChangeButton needs="admin" disabled={change.busy} onClick={() => change.run(!is_required)}>
            {is_required ? 'Need no approvals' : 'Need approvals for Live'}
          </ChangeButton>{' '}
          {can('admin') ? null : <span className="muted">Needs the role admin.</span>}
        </p>
      </div>
    </section>
  )
}
