/**
 * The page of a list: its head, the button that creates, its filters, the list in each of its states, and the record beside it. A page says
 * what is its own: the query, the columns, the words, the dialogs.
 */
import { Fragment, type ReactNode } from 'react'
import { useScope } from '../scope.tsx'
import { Icon } from './icon.tsx'
import { ChangeButton, type ChangeButtonProps, Page, type PageProps } from './page.tsx'
import { useQueryState } from './search.ts'
import { Empty, hasNone, Records, type RecordsProps, type Row } from './table.tsx'

interface ListPageProps<T extends Row> extends Omit<PageProps, 'logo'>, Omit<RecordsProps<T>, 'label' | 'open' | 'empty'> {
  /** The objects of the list, if the title does not name them. */
  label?: string
  /** Between the head and the list, such as filters. */
  above?: ReactNode
  /** In the place of a list of which filters leave no row. */
  no_match?: ReactNode
  /** The words of a list without a row. The audit log always has one. */
  empty?: ReactNode
  /** How its first row comes about; for a list of what this page creates, its button. */
  first?: ReactNode
  /** How a program creates the first row. */
  snippet?: ReactNode
  /** The button that creates, in the head or in the empty list, and its dialog. */
  create?: Pick<ChangeButtonProps, 'needs' | 'in_root'> & { words: string; form: (close: () => void) => ReactNode }
  /** The record beside the list, whose id is in the query of the address. */
  side?: { param: 'chosen' | 'key' | 'message'; of: (id: string, close: () => void) => ReactNode }
}

export function ListPage<T extends Row>({ title, lead, actions, children, ...props }: ListPageProps<T>) {
  const { label = title, list, above, no_match, empty, first, snippet, create, side, ...records } = props
  const { search, show } = useQueryState()
  const { can } = useScope()
  const button = create ? (
    <ChangeButton needs={create.needs} in_root={create.in_root} className="btn pri" onClick={() => show({ new: '1' })}>
      <Icon name="plus" /> {create.words}
    </ChangeButton>
  ) : null
  const chosen = side && search[side.param]
  return (
    <Page title={title} lead={lead} actions={actions ?? (hasNone(list) && !no_match ? null : button)}>
      {above}
      <Records
        {...records}
        label={label}
        list={list}
        open={side && (({ id }: T) => show({ [side.param]: id ?? undefined }))}
        empty={
          no_match || (
            <Empty action={first ?? button} snippet={snippet}>
              {empty}
            </Empty>
          )
        }
      />
      {children}
      {side && chosen ? <Fragment key={chosen}>{side.of(chosen, () => show({ [side.param]: undefined }))}</Fragment> : null}
      {create && search.new && can(create.needs ?? 'developer') ? create.form(() => show({ new: undefined })) : null}
    </Page>
  )
}
