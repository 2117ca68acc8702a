// The chart of queue times. It is in a chunk of its own, because most visits never open it.

import type { Instant } from '@dayfly/kit/clock'
import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import type { Mark } from '../model/life.ts'
import type { Trends } from '../model/trends.ts'
import { duration } from './format.ts'
import { useStore } from './store.ts'

const height = 300
/** Steps of the axis of durations, in seconds: full minutes and hours read better than hundreds. */
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400]

export function Chart({ trends }: { readonly trends: Trends }) {
  const marks = useStore().marks()
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const drawn = useRef(trends)
  drawn.current = trends
  const latestMarks = useRef(marks)
  latestMarks.current = marks
  const objectives = objectivesOf(trends)
  const shape = `${trends.window} ${objectives.join(' ')}`
  useEffect(() => {
    const { current } = box
    if (current === null) return
    const make = () => {
      plot.current?.destroy()
      const options = optionsOf(current, drawn.current, objectives, () => latestMarks.current)
      plot.current = new uPlot(options, valuesOf(drawn.current, objectives), current)
    }
    const sizes = new ResizeObserver(() => plot.current?.setSize({ width: current.clientWidth, height }))
    const dark = matchMedia('(prefers-color-scheme: dark)')
    make()
    sizes.observe(current)
    dark.addEventListener('change', make)
    return () => {
      sizes.disconnect()
      dark.removeEventListener('change', make)
      plot.current?.destroy()
    }
  }, [shape])
  useEffect(() => {
    plot.current?.setData(valuesOf(trends, objectives))
  }, [trends])
  return (
    <div
      ref={box}
      class="chart"
      role="img"
      aria-label="Chart of queue times. The sentence above and the tables below have its values."
    />
  )
}

/** Each different objective is one line, up to three: more lines would say nothing. */
function objectivesOf({ sets }: Trends): readonly number[] {
  const different = new Set(sets.map(({ objectiveMs }) => objectiveMs).filter((one) => one !== null))
  return [...different].sort((a, b) => a - b).slice(0, 3)
}

function valuesOf({ points }: Trends, objectives: readonly number[]): uPlot.AlignedData {
  const seconds = (value: number | null) => (value === null ? null : value / 1_000)
  return [
    points.map(({ at }) => at / 1_000),
    points.map(({ p50 }) => seconds(p50)),
    points.map(({ p95 }) => seconds(p95)),
    points.map(({ p99 }) => seconds(p99)),
    ...objectives.map((one) => points.map(() => one / 1_000)),
  ]
}

/** A line shows nothing of a few points with gaps between them. */
const fewPoints = 30

function optionsOf(
  box: Element,
  { from, to, points }: Trends,
  objectives: readonly number[],
  marks: () => readonly Mark[],
) {
  const span = to - from
  const style = getComputedStyle(box)
  const show = points.filter(({ jobs }) => jobs > 0).length <= fewPoints
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim()
  const line = (label: string, stroke: string, dash: number[], width: number): uPlot.Series => ({
    label,
    stroke,
    dash,
    width,
    value: (_, seconds) => (seconds === null ? '–' : duration(seconds * 1_000)),
    points: { show, size: 6 },
  })
  const axis = { stroke: colour('ink'), grid: { stroke: colour('line'), width: 1 }, ticks: { show: false } }
  const inWords = (seconds: number) => duration(seconds * 1_000)
  return {
    width: box.clientWidth,
    height,
    scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
    axes: [
      { ...axis, space: 90, values: (_, ticks) => ticks.map((seconds) => tickTime(seconds * 1_000, span)) },
      { ...axis, size: 70, incrs: steps, values: (_, ticks) => ticks.map(inWords) },
    ],
    series: [
      { label: 'Time', value: (_, seconds) => (seconds === null ? '–' : tickTime(seconds * 1_000, span)) },
      line('p50', colour('bar-job'), [], 2),
      line('p95', colour('bar-start'), [8, 4], 2),
      line('p99', colour('bar-queue'), [2, 3], 2),
      ...objectives.map((one) => line(`Objective ${duration(one)}`, colour('ink'), [14, 4], 1.5)),
    ],
    hooks: { draw: [(plot) => drawMarks(plot, marks(), colour('bar-mark'))] },
  } satisfies uPlot.Options
}

/** A week has days, a day has hours. */
function tickTime(at: Instant, span: number): string {
  const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' }).format(at)
  if (span <= 86_400_000) return time
  return `${new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' }).format(at)} ${time}`
}

function drawMarks(plot: uPlot, marks: readonly Mark[], colour: string): void {
  const { ctx: context, bbox } = plot
  context.save()
  context.strokeStyle = colour
  context.fillStyle = colour
  context.lineWidth = 1.5 * devicePixelRatio
  context.setLineDash([5 * devicePixelRatio, 3 * devicePixelRatio])
  for (const { at } of marks) {
    const x = Math.round(plot.valToPos(at / 1_000, 'x', true))
    if (x < bbox.left || x > bbox.left + bbox.width) continue
    context.beginPath()
    context.moveTo(x, bbox.top)
    context.lineTo(x, bbox.top + bbox.height)
    context.stroke()
  }
  context.restore()
}
