import { eventually } from '../processes.ts'
import { own, type Product, setup } from '../product.ts'

/** Keycloak as a broker: its realm has no people of its own. */
export default {
  template: 'keycloak',
  version_of: 'org.keycloak:keycloak-quarkus-dist',
  maven: { 'org.keycloak:keycloak-quarkus-dist': '26.7.3' },
  files: {
    'set-up.sh': [
      own(`set -eu
PATH="{folder}/keycloak/bin:$PATH"
signed_in() { kcadm.sh config credentials --server http://localhost:{port} --realm master --user admin --password admin; }
tries=0
until signed_in; do tries=$((tries + 1)); test $tries -lt 60; sleep 2; done
kcadm.sh create realms -s realm=main -s enabled=true
`),
      setup(1),
    ],
  },
  environment: [own('KC_BOOTSTRAP_ADMIN_USERNAME=admin\nKC_BOOTSTRAP_ADMIN_PASSWORD=admin')],
  prepare: ['cp -a {unpacked}/keycloak-26.7.3 keycloak'],
  start: 'sh -c "sh set-up.sh & exec keycloak/bin/kc.sh start-dev --http-host localhost --http-port {port}"',
  path: '/realms/main',
  ready: '/realms/main',
  start_seconds: 420,
  walk: {
    async begin({ page, url }) {
      // The realm answers before it has the provider.
      await eventually('Keycloak offered no sign-in by the provider', 90, async () => {
        await page.goto(`${url}/account`)
        await page.locator('#social-ostiary').click({ timeout: 5_000 })
        return true
      })
    },
    async finish({ page, person }) {
      const account = page.locator('[data-testid="personal-info"], #firstName, #kc-page-title')
      await account.first().waitFor()
      if (person.name === null) {
        await page.locator('#firstName').fill('Grace')
        await page.locator('#lastName').fill('Hopper')
        await page.locator('[type="submit"]').click()
      }
    },
    async who({ page, url }) {
      await page.goto(`${url}/account`)
      const email = page.locator('input#email')
      await email.or(page.locator('#social-ostiary')).first().waitFor()
      return (await email.count()) > 0 ? email.inputValue() : page.locator('body').innerText()
    },
    shown: ({ email }) => email,
    async signOut({ page, url }) {
      await page.goto(`${url}/protocol/openid-connect/logout`)
      await page.locator('#kc-logout').click()
    },
  },
} satisfies Product
