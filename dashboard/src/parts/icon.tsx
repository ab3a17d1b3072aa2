/** The icons: outlines of 24 by 24. They repeat what a word beside them says, so screen readers skip them. */

const paths = {
  flask: 'M9.5 3.5h5M10.5 3.5v6L5 18.6a1.3 1.3 0 0 0 1.1 1.9h11.8a1.3 1.3 0 0 0 1.1-1.9L13.5 9.5v-6M7.7 14.5h8.6',
  signal:
    'M10.5 12a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0M7.8 16.2a6 6 0 0 1 0-8.4M16.2 7.8a6 6 0 0 1 0 8.4M5 19a10 10 0 0 1 0-14M19 5a10 10 0 0 1 0 14',
  menu: 'M4 7h16M4 12h16M4 17h16',
  down: 'm7 10 5 5 5-5',
  right: 'm10 7 5 5-5 5',
  search: 'M4 10.5a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0-13 0m11.5 5 5 5',
  home: 'M4 11 12 4l8 7v8a1 1 0 0 1-1 1h-4.5v-6h-5v6H5a1 1 0 0 1-1-1z',
  users:
    'M5.5 8.5a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0M2.5 20c.4-3.6 3-5.5 6.5-5.5s6.1 1.9 6.5 5.5M16 5.3a3.5 3.5 0 0 1 0 6.4M18 15c2 .8 3.2 2.5 3.5 5',
  organization: 'M9.5 4h5v4.5h-5zM3.5 15.5h5V20h-5zM15.5 15.5h5V20h-5zM12 8.5V12M6 15.5V12h12v3.5',
  inbox: 'M4 13.5 6.5 5h11L20 13.5V19a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1zM4 13.5h4.5a3.5 3.5 0 0 0 7 0H20',
  window: 'M5.5 4.5h13a2 2 0 0 1 2 2v11a2 2 0 0 1-2 2h-13a2 2 0 0 1-2-2v-11a2 2 0 0 1 2-2M3.5 9h17M6.5 6.8h.01M9 6.8h.01',
  servers:
    'M5.5 4h13A1.5 1.5 0 0 1 20 5.5v3.5a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 1.5 0 0 1 4 9V5.5A1.5 1.5 0 0 1 5.5 4M5.5 13.5h13a1.5 1.5 0 0 1 1.5 1.5v3.5a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 1.5 0 0 1 4 18.5V15a1.5 1.5 0 0 1 1.5-1.5M7.5 7.3h.01M7.5 16.8h.01',
  badge:
    'M7.5 4.5h9a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2h-9a2 2 0 0 1-2-2v-12a2 2 0 0 1 2-2M10.5 4.5v-1a1.5 1.5 0 0 1 3 0v1M9.8 11a2.2 2.2 0 1 0 4.4 0a2.2 2.2 0 1 0-4.4 0M8.5 17.2c.5-1.7 1.8-2.6 3.5-2.6s3 .9 3.5 2.6',
  plug: 'M9 3v5M15 3v5M6.5 8h11v3a5.5 5.5 0 0 1-11 0zM12 16.5V21',
  page: 'M7 3.5h10a2 2 0 0 1 2 2v13a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2v-13a2 2 0 0 1 2-2M9 9h6M9 12.5h6M9 16h3',
  key: 'M4 15.5a4 4 0 1 0 8 0a4 4 0 1 0-8 0M11 12.5l8-8M16 7.5l2.5 2.5M13.8 9.7l1.7 1.7',
  webhook:
    'M9 6.5a3 3 0 1 0 6 0a3 3 0 1 0-6 0M2.5 17a3 3 0 1 0 6 0a3 3 0 1 0-6 0M15.5 17a3 3 0 1 0 6 0a3 3 0 1 0-6 0m-5-7.9-3.4 5.4M13.5 9.1l3.4 5.4M8.5 17h7',
  list: 'M4 6.5h2M4 12h2M4 17.5h2M9.5 6.5H20M9.5 12H20M9.5 17.5H20',
  sliders:
    'M4 7h8.8M17.2 7H20M4 17h2.8M11.2 17H20M12.8 7a2.2 2.2 0 1 0 4.4 0a2.2 2.2 0 1 0-4.4 0M6.8 17a2.2 2.2 0 1 0 4.4 0a2.2 2.2 0 1 0-4.4 0',
  compare: 'M8.5 4 5 7.5 8.5 11M5 7.5h14M15.5 13l3.5 3.5-3.5 3.5M19 16.5H5',
  building: 'M5 20.5v-15l8-2v17M13 9h6v11.5M3 20.5h18M8.5 9h1M8.5 13h1M8.5 17h1M16 13h.01M16 17h.01',
  shield: 'M12 3.5 5 6v5.5c0 4.3 2.9 7.5 7 9 4.1-1.5 7-4.7 7-9V6z',
  clock: 'M3.5 12a8.5 8.5 0 1 0 17 0a8.5 8.5 0 1 0-17 0M12 7.5V12l3 2',
  info: 'M3.5 12a8.5 8.5 0 1 0 17 0a8.5 8.5 0 1 0-17 0M12 11v5M12 8h.01',
  play: 'M8 5.5v13l10.5-6.5z',
  plus: 'M12 5v14M5 12h14',
  minus: 'M6 12h12',
  check: 'm5 12.5 4.5 4.5L19 7',
  cross: 'm6 6 12 12M18 6 6 18',
  warn: 'M12 4 2.8 19.5h18.4zM12 10v4.5M12 17h.01',
  copy: 'M10.5 8.5h8a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-8a2 2 0 0 1-2-2v-8a2 2 0 0 1 2-2M15.5 8.5v-3a2 2 0 0 0-2-2h-8a2 2 0 0 0-2 2v8a2 2 0 0 0 2 2h3',
  globe:
    'M3.5 12a8.5 8.5 0 1 0 17 0a8.5 8.5 0 1 0-17 0M3.5 12h17M12 3.5c2.5 2.4 3.7 5.2 3.7 8.5s-1.2 6.1-3.7 8.5c-2.5-2.4-3.7-5.2-3.7-8.5s1.2-6.1 3.7-8.5z',
  dots: 'M5 12h.01M12 12h.01M19 12h.01',
  lock: 'M7 10.5h10a2 2 0 0 1 2 2V18a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2v-5.5a2 2 0 0 1 2-2M8 10.5V8a4 4 0 0 1 8 0v2.5',
  again: 'M19.5 12a7.5 7.5 0 1 1-2.3-5.4M19.5 4v4.5H15',
  send: 'M20 4 10.5 13.5M20 4l-6 16.5-3.5-7-7-3.5z',
  promote: 'M12 15.5V4.5M7.5 9 12 4.5 16.5 9M4.5 15.5V19a1 1 0 0 0 1 1h13a1 1 0 0 0 1-1v-3.5',
  save: 'M12 4.5v11M7.5 11l4.5 4.5 4.5-4.5M4.5 15.5V19a1 1 0 0 0 1 1h13a1 1 0 0 0 1-1v-3.5',
  back: 'M9 5.5 4.5 10 9 14.5M4.5 10H15a4.75 4.75 0 0 1 0 9.5h-3',
  out: 'M14 4.5h4.5a1 1 0 0 1 1 1v13a1 1 0 0 1-1 1H14M10.5 8 6.5 12l4 4M6.5 12H15',
} as const
export type IconName = keyof typeof paths

export const Icon = ({ name, size = 15 }: { name: IconName; size?: number }) => (
  <svg
    className="i"
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth={name === 'dots' ? 2.6 : 1.75}
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    <path d={paths[name]} />
  </svg>
)

/** The mark: a door arch whose opening is a keyhole. */
export const Mark = ({ size = 26 }: { size?: number }) => (
  <svg className="mark" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
    <path
      fill="currentColor"
      fillRule="evenodd"
      d="M12 1.5c4.7 0 8.5 3.8 8.5 8.5v11.5a1 1 0 0 1-1 1h-3.2L13.7 14a3.9 3.9 0 1 0-3.4 0L7.7 22.5H4.5a1 1 0 0 1-1-1V10c0-4.7 3.8-8.5 8.5-8.5Z"
    />
  </svg>
)
