import { template } from '../application-template.ts'

export default template({
  slug: 'streamlit',
  name: 'Streamlit',
  homepage: 'https://streamlit.io/',
  redirect_uris: ['{url}/oauth2callback'],
  post_logout_redirect_uris: ['{url}/'],
  nonce_replaces_pkce: false,
  setup: [
    {
      title: '.streamlit/secrets.toml, with the packages Authlib and httpx',
      language: 'toml',
      text: `[auth]
redirect_uri = "{url}/oauth2callback"
cookie_secret = "a long random text of your own"
client_id = "{client_id}"
client_secret = "{client_secret}"
server_metadata_url = "{issuer}/.well-known/openid-configuration"`,
    },
    {
      title: 'At the top of the program',
      language: 'python',
      text: `import streamlit as st

if not st.user.is_logged_in:
    st.button("Sign in", on_click=st.login)
    st.stop()

st.button("Sign out", on_click=st.logout)`,
    },
  ],
  notes: [
    '`st.logout` signs out here and at the service.',
    'Replace `cookie_secret` by what `openssl rand -hex 32` prints: with it anyone can make the cookie of a person.',
    'Know people by `st.user.sub`; `email` can be an unverified address.',
  ],
  tried: { version: '1.67.0', at: '2026-11-26' },
  source: 'https://docs.streamlit.io/develop/api-reference/user/st.login',
})
