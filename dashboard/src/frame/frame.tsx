/** The frame of every page: skip link, band, top bar, sidebar. Below 860 px the sidebar is a drawer. */
import { Drawer } from '@mantine/core'
import { CatchBoundary, Outlet, useLocation, useRouter } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useEscape } from '../parts/escape.ts'
import { useScope } from '../scope.tsx'
import { Band } from './band.tsx'
import { PageFailed } from './failed.tsx'
import { pageAt } from './navigation.ts'
import { Palette } from './palette.tsx'
import { Shortcuts } from './shortcuts.tsx'
import { Sidebar } from './sidebar.tsx'
import { TopBar } from './top-bar.tsx'

const Forbidden = lazy(() => import('./forbidden.tsx'))

export function Frame() {
  const { environment, can } = useScope()
  const [is_drawer_open, setDrawerOpen] = useState(false)
  const [is_palette_open, setPaletteOpen] = useState(false)
  const [are_keys_open, setKeysOpen] = useState(false)
  const [fault, setFault] = useState<{ error: unknown } | null>(null) // of what lies over the page
  const closeDrawer = () => setDrawerOpen(false)
  useEscape(is_drawer_open, closeDrawer)
  const { pathname } = useLocation()
  const page = pageAt(pathname)
  const router = useRouter()
  useEffect(() => {
    // As the way to another page begins, not as it ends: the palette that is opened meanwhile stays.
    return router.subscribe('onBeforeNavigate', ({ pathChanged }) => {
      if (!pathChanged) return
      setDrawerOpen(false)
      setPaletteOpen(false)
      setKeysOpen(false)
    })
  }, [router])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has another fault, or none
  useEffect(() => {
    setFault(null)
  }, [pathname])
  return (
    <>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      {environment ? <Band /> : null}
      <TopBar openDrawer={() => setDrawerOpen(true)} openPalette={() => setPaletteOpen(true)} />
      <div className="body">
        <Sidebar />
        <main id="content" tabIndex={-1}>
          <div className="wrap">
            {fault ? (
              <PageFailed error={fault.error} reset={() => setFault(null)} />
            ) : page && !can(page.role) ? (
              <Suspense fallback={null}>
                <Forbidden page={page} />
              </Suspense>
            ) : (
              <Outlet />
            )}
          </div>
        </main>
      </div>
      <Drawer.Root opened={is_drawer_open} onClose={closeDrawer} size={288}>
        <Drawer.Overlay />
        <Drawer.Content>
          <div className="drawer-head">
            <Drawer.Title>Pages</Drawer.Title>
            <Drawer.CloseButton aria-label="Close navigation" />
          </div>
          <Sidebar in_drawer />
        </Drawer.Content>
      </Drawer.Root>
      <CatchBoundary getResetKey={() => pathname} errorComponent={() => null} onCatch={(error) => setFault({ error })}>
        <Shortcuts opened={are_keys_open} setOpened={setKeysOpen} openPalette={() => setPaletteOpen(true)} />
        <Palette opened={is_palette_open} setOpened={setPaletteOpen} showKeys={() => setKeysOpen(true)} />
      </CatchBoundary>
    </>
  )
}
