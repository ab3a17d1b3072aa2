/** The captured mail of a Test environment, and sign-ups that end with the code in it. */
import type { Agent } from './cookie-browser.ts'
import { expectStatus, type Reply, type TestEnvironment, type World } from './world.ts'

/** All captured mails to an address, newest first. */
export async function mailsTo(w: World, environment: Pick<TestEnvironment, 'path'>, to: string) {
  const { data } = expectStatus(200, await w.call('GET', `${environment.path}/inbox?to=${encodeURIComponent(to)}`))
  return data as { kind: string; code: string | null; link: string | null; subject: string; text: string }[]
}

export async function newestMail(w: World, environment: Pick<TestEnvironment, 'path'>, to: string) {
  const [mail] = await mailsTo(w, environment, to)
  if (!mail) throw new Error(`There is no mail to ${to}.`)
  return mail
}

/** Enters the newest code that was mailed to an address. */
export async function enterMailedCode(
  w: World,
  environment: Pick<TestEnvironment, 'path'>,
  { agent, page }: { agent: Agent; page: Reply },
  to: string,
) {
  const { code } = await newestMail(w, environment, to)
  return agent.submit(page, { code: code ?? '' })
}
