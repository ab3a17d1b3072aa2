/** The options of a command that is made from the route table, in the order of its help. */
import type { Option } from '../arguments.ts'
import { confirm_options } from './confirm.ts'
import { type ClientCommand, isList, naturalList, type Row } from './derive.ts'
import { canEnd } from './endings.ts'
import { bodyFields, type Field, queryFields } from './fields.ts'
import { scopeOf } from './scope.ts'

export interface CommandOptions {
  /** The tenant, the project and the environment. */
  readonly scope: readonly Option[]
  readonly filters: readonly Field[]
  readonly fields: readonly Field[]
  /** How the command runs and prints. */
  readonly common: readonly Option[]
}

const scope_options: Readonly<Record<string, Option>> = {
  tenant_id: { name: 'tenant', kind: 'text', value: 'TENANT', help: 'slug or id of the tenant; administrators of several tenants need it' },
  project_id: { name: 'project', kind: 'text', value: 'PROJECT', help: 'slug or id of the project' },
  environment_id: {
    name: 'env',
    kind: 'text',
    value: 'ENV',
    help: 'test, live, or the slug or id of another environment; a change in Live needs it written out',
  },
}

const profile: Option = { name: 'profile', kind: 'text', value: 'NAME', help: 'the sign-in to use, if not the last one' }
const json: Option = { name: 'json', kind: 'switch', help: 'print JSON' }
const limit: Option = { name: 'limit', kind: 'number', value: 'N', help: 'how many objects at most (default: 20)' }
const all: Option = { name: 'all', kind: 'switch', help: 'all objects' }
const data: Option = {
  name: 'data',
  kind: 'text',
  value: 'JSON',
  help: 'the body: JSON, @FILE, or - for standard input; options replace its members',
}
const if_absent: Option = {
  name: 'if-absent',
  kind: 'switch',
  help: 'do nothing if the object exists already; exit with 3 if it differs from these values',
}
const origin: Option = { name: 'origin', kind: 'text', value: 'ORIGIN', help: 'an allowed origin of the publishable key' }

export function optionsOf({ rows }: ClientCommand): CommandOptions {
  const [{ route }] = rows
  const is_list = isList(route)
  const filters = rows.flatMap((row) => queryFields(row.route)).filter(({ option }) => !is_list || option !== 'limit')
  const fields = bodyFields(route)
  return {
    scope: scopeParameters(rows).flatMap((name) => scope_options[name] ?? []),
    filters: filters.filter(({ option }, index) => filters.findIndex((other) => other.option === option) === index),
    fields,
    common: [
      ...(is_list ? [limit, all] : []),
      ...(fields.length > 0 ? [data] : []),
      ...(naturalKeyOf(rows[0]) === null ? [] : [if_absent]),
      ...(rows.some((row) => canEnd(row, fields)) ? confirm_options : []),
      ...(route.credential.kind === 'publishable' ? [origin] : []),
      json,
      profile,
    ],
  }
}

const scopeParameters = (rows: readonly Row[]) => {
  const needed = rows.flatMap((row) => [...row.scope, ...scopeOf(row, 'administrator')])
  return ['tenant_id', 'project_id', 'environment_id'].filter((name) => needed.some((each) => each === name))
}

/** The field by which an object is found before it is created; `null` for objects without one, such as keys. */
export function naturalKeyOf({ route }: Row): 'slug' | 'email' | null {
  if (route.method !== 'POST' || route.returns[0] !== 201) return null
  return naturalList(route.path)?.natural_key ?? null
}

export const optionOfField = ({ option, kind, is_list, is_nullable, choices, help }: Field): Option => ({
  name: option,
  kind,
  is_list,
  is_nullable,
  choices,
  value: choices.length > 0 && choices.length <= 4 ? choices.join('|') : valueNames[kind],
  help: `${help.replace(/\.$/, '')}${isSecret(option) ? '. Other users of this machine can read options, so pass it by --data' : ''}`,
})

const isSecret = (option: string) => /(^|[.-])(password|secret|private-key)$/.test(option)

const valueNames = { text: 'TEXT', number: 'N', boolean: 'true|false', json: 'JSON' } as const

export const allOptions = ({ scope, filters, fields, common }: CommandOptions): Option[] => [
  ...scope,
  ...filters.map(optionOfField),
  ...fields.map(optionOfField),
  ...common,
]
