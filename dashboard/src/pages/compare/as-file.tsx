/** The configuration of the environment as a file, and the commands that keep a file of it. */
import { useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { CodeTabs } from '../../parts/code.tsx'
import { Buttons, Dialog } from '../../parts/dialog.tsx'
import { download } from '../../parts/download.ts'
import { Icon } from '../../parts/icon.tsx'
import { Problem } from '../../parts/problem.tsx'
import { ThisEnvironment } from '../../parts/tag.tsx'
import { useEnvironment } from '../../scope.tsx'

export function AsFile({ className = 'btn' }: { className?: string }) {
  const [is_open, setOpen] = useState(false)
  return (
    <>
      <button type="button" className={className} onClick={() => setOpen(true)}>
        <Icon name="page" /> As a file
      </button>
      {is_open ? <FileDialog close={() => setOpen(false)} /> : null}
    </>
  )
}

function FileDialog({ close }: { close: () => void }) {
  const { client, at, project, environment } = useEnvironment()
  const save = useAction(() => client.getConfiguration(at), {
    done: (document) =>
      download(
        new Blob([`${JSON.stringify(document, null, 2)}\n`], { type: 'application/json' }),
        `${project.slug}-${environment.slug}.json`,
      ),
  })
  const line = (verb: string) => `ostiary ${verb} --project ${project.slug} --env ${environment.slug} --file ${environment.slug}.yaml`
  return (
    <Dialog
      onClose={close}
      title="As a file"
      lead={
        <>
          The configuration of <ThisEnvironment /> {project.name}: settings, applications, resource servers, roles, providers and webhooks.
          Secrets appear by name only.
        </>
      }
      footer={
        <Buttons
          keep="Close"
          onClose={close}
          act={
            <>
              <Icon name="save" /> Download JSON
            </>
          }
          onAct={() => save.run()}
          disabled={save.busy}
        />
      }
    >
      <p className="muted">
        The command line keeps the same as YAML in your repository, with your comments.{' '}
        <a className="u" href="/docs/guides/configuration">
          Configuration as code
        </a>
      </p>
      <CodeTabs
        label="By the command line"
        snippets={[
          { name: 'pull', code: `${line('pull')}\n`, language: 'sh' },
          { name: 'diff', code: `${line('diff')}\n`, language: 'sh' },
        ]}
      />
      <Problem error={save.error} focus />
    </Dialog>
  )
}
