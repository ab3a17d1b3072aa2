/** Serves the demo, if the deployment has one. */
import { readFileSync } from 'node:fs'
import { serviceRoutes } from '@ostiary/contract/routes.ts'
import { assetUrl } from '../../base/assets.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import type { Answer } from '../../oidc/call.ts'
import { html } from '../../oidc/hosted-page.ts'
import { demo_names, findDemo } from '../../setup/demo.ts'
import { demoPage } from './page.ts'

const scripts = ['view.js', 'tokens.js', 'client.js', 'words.js']

/** Returns the page or one of its scripts; `null` if there is none. */
export async function answerDemo(deployment: Deployment, script?: string): Promise<Answer | null> {
  const demo = await findDemo(deployment)
  if (!demo) return null
  if (script !== undefined) return scripts.includes(script) ? scriptFile(script) : null

  const { base_url } = deployment.config
  const origin = new URL(demo.issuer).origin
  const addresses = {
    start: `${origin}${serviceRoutes.demo.path}`,
    callback: `${origin}${serviceRoutes.demoCallback.path}`,
    script: serviceRoutes.demoScript.path.replace('{script}', 'view.js'),
  }
  return html(demoPage({ base_url, ...demo, ...demo_names, addresses }))
}

function scriptFile(name: string): Answer {
  return {
    status: 200,
    headers: { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-cache' },
    body: readFileSync(assetUrl(`src/site/demo/browser/${name}`), 'utf8'),
  }
}
