/** The thread that runs checkpoints. It begins when one is due, and ends when none was due for a while. */
import { Worker } from 'node:worker_threads'
import { threadUrl } from '../../base/assets.ts'

export interface CheckpointThread {
  /** Moves the part of the log that no reader needs into the database. Rejects with an error of SQLite, which has an `errcode`, or of the thread. */
  checkpoint(): Promise<void>
  end(): Promise<void>
}

/** The answer of the thread to each message: an error of SQLite, with its extended code, or nothing. */
export interface CheckpointAnswer {
  readonly error: { readonly message: string; readonly errcode: number } | null
}

/** The thread needs some megabytes while it lives. */
const idle_ms = 60_000
const resourceLimits = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 }

export function createCheckpointThread(path: string): CheckpointThread {
  let worker: Worker | null = null
  let ending: NodeJS.Timeout | undefined

  function begin(): Worker {
    const begun = new Worker(threadUrl('db/sqlite/checkpoint-worker'), {
      workerData: path,
      execArgv: ['--disable-warning=ExperimentalWarning'],
      resourceLimits,
    })
    begun.unref()
    begun.on('error', () => {}) // it rejects the answer that is awaited
    begun.on('exit', () => {
      if (worker === begun) worker = null
    })
    return begun
  }

  async function end(): Promise<void> {
    clearTimeout(ending)
    await worker?.terminate()
  }

  return {
    async checkpoint() {
      clearTimeout(ending)
      const asked = worker ?? begin()
      worker = asked
      try {
        await answerOf(asked)
      } finally {
        ending = setTimeout(end, idle_ms).unref()
      }
    },
    end,
  }
}

function answerOf(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = () => worker.off('message', answered).off('error', failed).off('exit', ended)
    const answered = ({ error }: CheckpointAnswer) => {
      settle()
      if (error) reject(Object.assign(new Error(error.message), { errcode: error.errcode }))
      else resolve()
    }
    const failed = (error: Error) => {
      settle()
      reject(error)
    }
    const ended = () => failed(new Error('The thread for checkpoints ended.'))
    worker.on('message', answered).on('error', failed).on('exit', ended)
    worker.postMessage('checkpoint')
  })
}
