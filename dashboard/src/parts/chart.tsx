/**
 * Stacked bars over time. The arrow keys move through the bars and a line below says what each one is, which screen readers read as
 * the value. Each series has a pattern beside its colour. The same numbers follow as a table.
 */
import '../styles/charts.css'
import { type KeyboardEvent, useId, useState } from 'react'
import { type Bar, fewOf, type Series, topOf } from './chart-data.ts'
import { intervalStart, intervalStartWithDay } from './clock.ts'

interface ChartProps {
  title: string
  /** The counted events, such as "sign-ins". */
  unit: string
  interval: 'hour' | 'day'
  series: readonly Series[]
  bars: readonly Bar[]
  /** The look of each series, by its place. */
  looks?: readonly Look[]
}

/** The looks differ in colour and in pattern. */
export type Look = 'plain' | 'hatched' | 'dotted' | 'outlined'
const in_order: readonly Look[] = ['plain', 'hatched', 'dotted', 'outlined']

/** In pixels, as in the style sheet. */
const HEIGHT = 120

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
const number = (value: number) => value.toLocaleString('en')

export function Chart({ title, unit, interval, series, bars, looks = in_order }: ChartProps) {
  const [chosen, setChosen] = useState<number | null>(null)
  const [width, setWidth] = useState(600)
  const id = useId().replace(/\W/g, '')
  const top = topOf(bars)
  const total = sum(series.map((each) => each.total))
  const lookOf = (index: number) => looks[index] ?? 'outlined'
  const at = Math.min(chosen ?? bars.length - 1, bars.length - 1)
  const bar = bars[at]
  const step = width / bars.length
  const gap = step / 7
  const few = fewOf(bars)
  const inWords = ({ start, values }: Bar) =>
    `${intervalStart(start, interval)}: ${sum(values) === 0 ? `no ${unit}` : series.map(({ name }, index) => `${number(values[index] ?? 0)} ${name}`).join(', ')}`
  const move = (event: KeyboardEvent) => {
    const to = { ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1, Home: 0, End: bars.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    setChosen(Math.max(0, Math.min(to, bars.length - 1)))
  }
  return (
    <figure className="chart">
      <figcaption>
        <b>{title}</b>
        <span className="muted">
          {number(total)} {total === 1 ? unit.replace(/s$/, '') : unit}
        </span>
      </figcaption>
      {total === 0 || !bar ? (
        <p className="muted none">No {unit} in this time.</p>
      ) : few ? (
        <Few title={title} interval={interval} series={series} bars={few} />
      ) : (
        <>
          <div
            ref={(plot) => {
              return observeWidth(plot, setWidth)
            }}
            className="plot"
            role="slider"
            tabIndex={0}
            aria-label={`${title}, bar by bar`}
            aria-valuemin={1}
            aria-valuemax={bars.length}
            aria-valuenow={at + 1}
            aria-valuetext={inWords(bar)}
            onKeyDown={move}
            onPointerMove={({ currentTarget, clientX }) => {
              const { left, width } = currentTarget.getBoundingClientRect()
              setChosen(Math.max(0, Math.floor(((clientX - left) / width) * bars.length)))
            }}
          >
            <span className="most" aria-hidden="true">
              {number(top)}
            </span>
            <svg viewBox={`0 0 ${width} ${HEIGHT}`} aria-hidden="true">
              <Patterns id={id} />
              {chosen === null ? null : <rect className="cursor" x={at * step} width={step} y={0} height={HEIGHT} />}
              {bars.map(({ start, values }, index) =>
                heights(values, top).map(({ y, height }, place) =>
                  height === 0 ? null : (
                    <rect
                      key={`${start} ${series[place]?.name}`}
                      className={`look-${lookOf(place)}`}
                      fill={`url(#${id}-${lookOf(place)})`}
                      x={index * step + gap}
                      width={step - 2 * gap}
                      y={y}
                      height={height}
                    />
                  ),
                ),
              )}
            </svg>
          </div>
          <div className="axis" aria-hidden="true">
            {[0, Math.floor(bars.length / 2), bars.length - 1].map((index) => (
              <span key={index}>{intervalStart(bars[index]?.start ?? '', interval)}</span>
            ))}
          </div>
          <p className="readout small" aria-hidden="true">
            {inWords(bar)}
          </p>
          <ul className="legend">
            {series.map(({ name, total }, index) => (
              <li key={name}>
                <svg width="14" height="14" aria-hidden="true">
                  <rect className={`look-${lookOf(index)}`} fill={`url(#${id}-${lookOf(index)})`} x="1" y="1" width="12" height="12" />
                </svg>
                {name} <span className="muted">{number(total)}</span>
              </li>
            ))}
          </ul>
          <Numbers title={title} interval={interval} series={series} bars={bars} />
        </>
      )}
    </figure>
  )
}

type Shown = Pick<ChartProps, 'title' | 'interval' | 'series' | 'bars'>

/** One or two intervals with counts, in words: a chart of one bar says less than its number. */
const Few = ({ title, interval, series, bars }: Shown) => (
  <ul className="few small" aria-label={title}>
    {bars.map(({ start, values }) => (
      <li key={start}>
        <time dateTime={start} className="muted">
          {intervalStartWithDay(start, interval)}
        </time>
        <span>
          {series.flatMap(({ name }, index) => ((values[index] ?? 0) > 0 ? [`${number(values[index] ?? 0)} ${name}`] : [])).join(', ')}
        </span>
      </li>
    ))}
  </ul>
)

/** Patterns must not be stretched, so the drawing has as many units as the page has pixels. */
function observeWidth(plot: HTMLElement | null, setWidth: (width: number) => void) {
  if (!plot) return
  const observer = new ResizeObserver(() => setWidth(plot.clientWidth))
  observer.observe(plot)
  return () => observer.disconnect()
}

/** From the bottom up, in the order of the series. A count that is not 0 is visible. */
function heights(values: readonly number[], top: number): { y: number; height: number }[] {
  let y = HEIGHT
  return values.map((value) => {
    const height = value === 0 ? 0 : Math.max((value / top) * HEIGHT, 1.5)
    y -= height
    return { y, height }
  })
}

const Patterns = ({ id }: { id: string }) => (
  <defs>
    <pattern id={`${id}-plain`} width="4" height="4" patternUnits="userSpaceOnUse">
      <rect width="4" height="4" className="ink" />
    </pattern>
    <pattern id={`${id}-hatched`} width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect width="4" height="4" className="paper" />
      <rect width="2.2" height="4" className="ink" />
    </pattern>
    <pattern id={`${id}-dotted`} width="4" height="4" patternUnits="userSpaceOnUse">
      <rect width="4" height="4" className="paper" />
      <circle cx="2" cy="2" r="1.3" className="ink" />
    </pattern>
    <pattern id={`${id}-outlined`} width="4" height="4" patternUnits="userSpaceOnUse">
      <rect width="4" height="4" className="paper" />
    </pattern>
  </defs>
)

/** The intervals with counts, newest first. */
const Numbers = ({ title, interval, series, bars }: Shown) => (
  <details>
    <summary>
      Show as table<span className="vh">: {title}</span>
    </summary>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls sideways needs the keyboard */}
    <div className="scroll" tabIndex={0}>
      <table className="small" aria-label={title}>
        <thead>
          <tr>
            <th scope="col">{interval === 'hour' ? 'Hour from' : 'Day'}</th>
            {series.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {bars
            .filter(({ values }) => sum(values) > 0)
            .toReversed()
            .map(({ start, values }) => (
              <tr key={start}>
                <th scope="row">
                  <time dateTime={start}>{intervalStartWithDay(start, interval)}</time>
                </th>
                {values.map((value, index) => (
                  <td key={series[index]?.name}>{number(value)}</td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  </details>
)
