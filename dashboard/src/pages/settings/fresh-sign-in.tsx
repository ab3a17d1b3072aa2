/** How old the sign-in of an administrator may be for calls of this environment that need a fresh one. The project has it, for each type. */
import '../../styles/mail.css'
import { type FormEvent, useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { Card } from '../../parts/card.tsx'
import { DurationInput } from '../../parts/duration-input.tsx'
import { fieldError, Problem } from '../../parts/problem.tsx'
import { projects } from '../../queries/tenancy.ts'
import { useEnvironment } from '../../scope.tsx'

const default_seconds = 600

const words = {
  test: {
    label: 'Oldest sign-in of an administrator in Test',
    name: 'test_seconds',
    range: '10 to 60 minutes, for every Test environment of the project.',
  },
  live: {
    label: 'Oldest sign-in of an administrator in Live',
    name: 'live_seconds',
    range: '1 to 10 minutes, for every Live environment of the project and for changes of the project itself.',
  },
} as const

export function FreshSignIn() {
  const { client, tenant, project, environment, can } = useEnvironment()
  const { label, name, range } = words[environment.type]
  const saved = project.fresh_sign_in[name]
  const [seconds, setSeconds] = useState<number | null>(saved)
  const save = useAction((value: number | null) => client.changeProject({ project_id: project.id }, { fresh_sign_in: { [name]: value } }), {
    changes: [projects.place({ tenant }, project.slug)],
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.run(seconds)
  }
  return (
    <Card title="Fresh sign-in of administrators">
      <form onSubmit={submit}>
        <fieldset disabled={!can('admin') || save.busy} className="settings-rows">
          <DurationInput
            label={label}
            description={`Keys, secrets, mail and whatever else opens a way in ask for a sign-in that is at most this old. ${range} The default is 10 minutes.`}
            error={fieldError(save.error, `/fresh_sign_in/${name}`)}
            value={seconds}
            empty={default_seconds}
            change={setSeconds}
          />
        </fieldset>
        <div className="mail-save">
          <button type="submit" className="btn" disabled={!can('admin') || save.busy || (seconds ?? default_seconds) === saved}>
            Save the oldest sign-in
          </button>
          {can('admin') ? null : <span className="muted">Needs the role admin.</span>}
        </div>
        <Problem error={save.error} focus />
      </form>
    </Card>
  )
}
