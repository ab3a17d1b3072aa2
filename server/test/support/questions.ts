/**
 * Questions as people ask them, each with the pages of which one must be among the first three that the search of the documentation finds.
 * `tuned` were read while the words of the search were chosen. `unseen` were written before, and are not read for it: a change of the
 * search looks at their number alone, and new questions go to `tuned`.
 */
export interface Question {
  readonly asked: string
  /** Addresses below `/docs/`. */
  readonly pages: readonly string[]
}

const q = (asked: string, ...pages: string[]): Question => ({ asked, pages })

export const tuned: readonly Question[] = [
  q('how do I rotate an api key without downtime', 'guides/key-rotation'),
  q('redirect mismatch', 'errors/redirect_uri_mismatch', 'guides/web-application', 'errors/invalid_redirect_uri'),
  q('custom domain for the login page', 'guides/issuer-host'),
  q('nextjs', 'guides/nextjs'),
  q('how to log a user out everywhere', 'guides/sign-out'),
  q('verify an access token in my backend', 'guides/backend-api', 'sdk'),
  q('receive webhooks on localhost', 'guides/webhooks', 'commands'),
  q('check the signature of a webhook', 'guides/webhooks'),
  q('sign in with google', 'guides/federation'),
  q('passkeys', 'guides/passkeys'),
  q('require mfa for everybody', 'guides/second-factor'),
  q('send mail with my own smtp server', 'guides/mail'),
  q('reset the password of the administrator', 'operate'),
  q('I am locked out of the dashboard', 'operate'),
  q('backup and restore', 'operate'),
  q('run behind nginx', 'guides/proxy'),
  q('move from sqlite to postgres', 'guides/postgresql'),
  q('what is an environment', 'concepts'),
  q('difference between test and live', 'concepts', 'guides/going-live'),
  q('is there a docker image', 'packaging/Dockerfile', 'packaging/compose.yaml', 'operate', 'readme', 'guides/proxy'),
  q('react login', 'guides/react', 'guides/single-page-application'),
  q('single page app without a backend', 'guides/single-page-application', 'examples/spa'),
  q('sign in from a command line tool', 'guides/native-application', 'examples/cli'),
  q('protect an mcp server', 'guides/mcp-server', 'examples/mcp-server'),
  q('playwright tests that sign in', 'guides/testing'),
  q('read the emailed code in a test', 'guides/testing', 'guides/emailed-codes'),
  q('prometheus metrics', 'metrics'),
  q('how many users can one server carry', 'operate', 'results'),
  q('memory usage', 'results', 'operate'),
  q('ostiary compared to keycloak', 'comparison'),
  q('which settings are there and what are the defaults', 'settings'),
  q('session lifetime', 'settings', 'concepts'),
  q('invalid_grant', 'errors/invalid_grant'),
  q('what does the error rate_limited mean', 'errors/rate_limited'),
  q('import users from another system', 'api/users', 'guides/backend-api', 'routes'),
  q('list all users with the api', 'api/users', 'routes'),
  q('report a security problem', 'vulnerabilities'),
  q(
    'refresh tokens',
    'concepts',
    'guides/single-page-application',
    'guides/native-application',
    'guides/web-application',
    'guides/sign-out',
  ),
  q('scopes and permissions of my api', 'guides/backend-api'),
  q('how do I contribute a new setting', 'contributing'),
  q('require_pkce', 'guides/web-application'),
  q('client_secret_post', 'guides/web-application'),
  q('an application shows an error after the sign-in', 'guides/web-application'),
  q('code_challenge is missing', 'guides/web-application'),
  q('unknown scope groups', 'guides/web-application'),
]

export const unseen: readonly Question[] = [
  q('django', 'guides/django'),
  q('how do i add login to an express app', 'guides/express', 'examples/express-web', 'guides/web-application'),
  q('golang', 'guides/go'),
  q('one time code by email instead of a password', 'guides/emailed-codes'),
  q('my users should use face id', 'guides/passkeys'),
  q('authenticator app', 'guides/second-factor'),
  q('mails are not delivered', 'guides/mail', 'errors/mail_not_set_up'),
  q('go to production checklist', 'guides/going-live'),
  q('replace the signing keys', 'guides/key-rotation', 'operate'),
  q('x-forwarded-for behind a load balancer', 'guides/proxy', 'operate'),
  q('federate with azure ad', 'guides/federation'),
  q('back-channel logout', 'guides/sign-out', 'guides/web-application'),
  q('upgrade to a new version', 'operate', 'changelog'),
  q('what happens when a webhook receiver is down', 'guides/webhooks'),
  q('audit log', 'concepts', 'api/audit'),
  q('python api that checks tokens', 'guides/fastapi', 'guides/backend-api', 'guides/django'),
  q('typescript client library', 'sdk'),
  q('create a project with the cli', 'commands', 'quick-start'),
  q('brute force protection', 'security', 'settings'),
  q('run more than one instance', 'operate', 'guides/postgresql', 'guides/proxy'),
]
