import { own, type Product, setup } from '../product.ts'

export default {
  template: 'mod-auth-openidc',
  version_of: 'libapache2-mod-auth-openidc',
  debian: ['apache2', 'libapache2-mod-auth-openidc'],
  files: {
    'site/index.shtml': [own('<p>Signed in as <!--#echo var="REMOTE_USER" --> <!--#echo var="OIDC_CLAIM_email" --></p>')],
    'apache.conf': [
      own(`ServerRoot "{folder}"
ServerName localhost
PidFile "{folder}/apache.pid"
ErrorLog "/dev/stderr"
# Of a start by root alone, which Apache gives up for this user.
User www-data
Group www-data
Mutex posixsem
Listen 127.0.0.1:{port}
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authn_core_module /usr/lib/apache2/modules/mod_authn_core.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule authz_user_module /usr/lib/apache2/modules/mod_authz_user.so
LoadModule dir_module /usr/lib/apache2/modules/mod_dir.so
LoadModule mime_module /usr/lib/apache2/modules/mod_mime.so
LoadModule include_module /usr/lib/apache2/modules/mod_include.so
LoadModule auth_openidc_module /usr/lib/apache2/modules/mod_auth_openidc.so
TypesConfig /etc/mime.types
AddOutputFilter INCLUDES .shtml
DirectoryIndex index.shtml
DocumentRoot "{folder}/site"
<Directory "{folder}/site">
  Options +Includes
</Directory>
`),
      setup(0),
    ],
  },
  start: '/usr/sbin/apache2 -DFOREGROUND -f {folder}/apache.conf',
  ready: '/',
  walk: {
    begin: async ({ page, url }) => void (await page.goto(`${url}/`)),
    async who({ page, url }) {
      await page.goto(`${url}/`)
      return page.locator('body').innerText()
    },
    shown: ({ email }) => email,
    signOut: async ({ page, url }) => void (await page.goto(`${url}/oidc/callback?logout=${encodeURIComponent(`${url}/`)}`)),
  },
} satisfies Product
