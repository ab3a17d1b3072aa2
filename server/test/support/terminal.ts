/** Terminals for documents that are followed as written: commands are typed into a shell, and programs that keep running get their own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { after } from 'node:test'

const started = new Set<ChildProcess>()
// A shell leads a group of processes, which ends with it.
after(() => {
  for (const { pid, exitCode } of started) if (pid !== undefined && exitCode === null) process.kill(-pid, 'SIGKILL')
})

export interface Place {
  cwd: string
  env: Record<string, string | undefined>
}

/** A shell that keeps its variables and its folder. `type` returns the output of the commands. */
export function openTerminal({ cwd, env }: Place) {
  // bash reads its input line by line, as at a terminal, so that `read` gets the next line. Other shells read ahead.
  const shell = spawn('bash', ['-s'], { cwd, env, detached: true })
  started.add(shell)
  let output = ''
  let noticed = () => {}
  for (const stream of [shell.stdout, shell.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
      noticed()
    })
  const ended = once(shell, 'close').then(() => noticed())
  let typed = 0

  return {
    async type(commands: string): Promise<string> {
      const end = `[end of block ${++typed}]\n`
      output = ''
      shell.stdin.write(`${commands}echo '${end.trim()}'\n`)
      while (!output.includes(end)) {
        if (shell.exitCode !== null) throw new Error(`The shell ended: ${output}`)
        await new Promise<void>((resolve) => {
          noticed = resolve
        })
      }
      return output.replace(end, '')
    },
    /** Starts to type commands that wait for `answer` on standard input. */
    answer(commands: string, answer: string) {
      return this.type(`${commands}${answer}\n`)
    },
    async close() {
      shell.stdin.end()
      await ended
    },
  }
}

/** Starts a program that keeps running. Resolves when its output contains `shown`. */
export async function startProgram(commands: string, shown: RegExp, place: Place): Promise<Program> {
  const program = runProgram(commands, place)
  await new Promise<void>((resolve, reject) => {
    program.onOutput(() => {
      if (shown.test(program.output())) resolve()
    })
    program.ended.then(() => reject(new Error(`"${commands.trim()}" ended: ${program.output()}`)))
  })
  return program
}

export type Program = ReturnType<typeof runProgram>

/** Starts a program. `ended` resolves with all its output. */
export function runProgram(commands: string, { cwd, env }: Place) {
  const shell = spawn('sh', ['-c', commands], { cwd, env, detached: true })
  started.add(shell)
  let output = ''
  let noticed = () => {}
  for (const stream of [shell.stdout, shell.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
      noticed()
    })
  return {
    output: () => output,
    onOutput(listener: () => void) {
      noticed = listener
    },
    type: (line: string) => void shell.stdin.write(`${line}\n`),
    hasEnded: () => shell.exitCode !== null,
    ended: once(shell, 'close').then(() => output),
  }
}
