/** The theme of Mantine's parts. Their colours are the tokens of `styles/tokens.css`, so that both kinds of parts look alike. */
import { type CSSVariablesResolver, createTheme, type MantineColorSchemeManager } from '@mantine/core'

const still = { duration: 0 }

export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 8, dark: 4 },
  autoContrast: true,
  colors: {
    accent: ['#EDF7F8', '#D3ECEF', '#A8D9DF', '#7AD3E0', '#5CC6D5', '#2E9DAD', '#178392', '#0F7382', '#0B6472', '#084F5A'],
  },
  fontFamily: 'var(--sans)',
  fontFamilyMonospace: 'var(--mono)',
  fontWeights: { medium: '550' },
  shadows: { md: 'var(--shadow)', xl: 'var(--shadow)' }, // of menus, and of dialogs
  defaultRadius: 7,
  cursorType: 'pointer',
  focusRing: 'auto',
  components: {
    // Nothing moves, and Escape is `parts/escape.ts`: it closes what lies on top, of any kind.
    ModalRoot: { defaultProps: { padding: 0, closeOnEscape: false, transitionProps: still } },
    DrawerRoot: { defaultProps: { padding: 0, closeOnEscape: false, transitionProps: still } },
    Menu: { defaultProps: { position: 'bottom-end', transitionProps: still } },
    Popover: { defaultProps: { shadow: 'md', transitionProps: still } },
    Overlay: { defaultProps: { gradient: 'var(--scrim)' } },
    Tooltip: { defaultProps: { transitionProps: still } },
    // Optional fields say so.
    InputWrapper: { defaultProps: { withAsterisk: false, inputWrapperOrder: ['label', 'input', 'description', 'error'] } },
  },
})

const colors = {
  '--mantine-color-body': 'var(--surface)',
  '--mantine-color-text': 'var(--text)',
  '--mantine-color-dimmed': 'var(--muted)',
  '--mantine-color-placeholder': 'var(--faint)',
  '--mantine-color-error': 'var(--bad)',
  '--mantine-color-default': 'var(--surface)',
  '--mantine-color-default-hover': 'var(--hover)',
  '--mantine-color-default-border': 'var(--ctl)',
  '--mantine-color-anchor': 'var(--accent)',
}

// The greys of the library, where its parts name one by its number.
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: { ...colors, '--mantine-color-gray-2': 'var(--line)' },
  dark: {
    ...colors,
    '--mantine-color-dark-4': 'var(--line)',
    '--mantine-color-dark-6': 'var(--surface)',
    '--mantine-color-dark-7': 'var(--hover)',
  },
})

const NAME = 'ostiary_theme'
const isChoice = (value: string | undefined): value is 'light' | 'dark' => value === 'light' || value === 'dark'

/** Keeps a chosen scheme in a cookie of the dashboard's own path. The default follows the system and needs no cookie. */
export const schemeCookie: MantineColorSchemeManager = {
  get(fallback) {
    const value = document.cookie.match(/(?:^|; )ostiary_theme=(\w+)/)?.[1]
    return isChoice(value) ? value : fallback
  },
  set(value) {
    const age = isChoice(value) ? 31_536_000 : 0
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in Safari
    document.cookie = `${NAME}=${value}; Path=/dashboard; Max-Age=${age}; SameSite=Strict`
  },
  subscribe() {},
  unsubscribe() {},
  clear() {
    this.set('auto')
  },
}
