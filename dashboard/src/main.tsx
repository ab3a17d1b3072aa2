/**
 * The dashboard: a page that calls the management API at `/dashboard/api` with the session of the server.
 *
 *   router.tsx     the addresses and their pages, each a chunk of its own; `first.ts` says what each reads first
 *   api.ts         the client and its errors; `renewal.tsx` signs in again without leaving the page
 *   scope.tsx      the tenant, project and environment of the address
 *   frame/         band, top bar, sidebar, palette
 *   queries/       what pages read: keys, calls, how long an answer is fresh
 *   parts/         what several pages use
 *   pages/         one folder or file for each page
 */
import '@fontsource-variable/inter/wght.css'
import './styles/library.css'
import './styles/tokens.css'
import './styles/base.css'
import './styles/frame.css'
import './styles/dialogs.css'
import './styles/parts.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queries } from './api.ts'
import { Announcer } from './parts/announce.tsx'
import { Renewal } from './renewal.tsx'
import { router } from './router.tsx'
import { cssVariables, schemeCookie, theme } from './theme.ts'

// The server puts a nonce into the page. Styles that are made at run time carry it (decision 0049).
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
Object.assign(globalThis, { __webpack_nonce__: nonce }) // the name under which react-remove-scroll looks for it

const root = document.getElementById('root')
if (!root) throw new Error('The page has no element "root".')

createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      colorSchemeManager={schemeCookie}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queries}>
        <Announcer>
          <Renewal>
            <RouterProvider router={router} />
          </Renewal>
        </Announcer>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
