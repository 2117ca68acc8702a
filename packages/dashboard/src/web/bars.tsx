// The runners as bars in time. A table below has the same data, so the canvas is a picture for those who see it.
import { useSignal } from '@preact/signals'
import { useRef, useState } from 'preact/hooks'
import type { Life } from '../model/life.ts'
import { BarCanvas } from './bar-canvas.tsx'
import type { Hit } from './bar-hit.ts'
import { Changes, Legend } from './bar-legend.tsx'
import { axisHeight } from './bar-paint.ts'
import { BarTip } from './bar-tip.tsx'
import { count } from './format.ts'
import { createLanes, type Lanes } from './lanes.ts'
import { type Zoom, zoomMs } from './route.ts'
import { useStore } from './store.ts'

type Props = {
  readonly lives: readonly Life[]
  /** Marks of other sets are left out. Empty shows all. */
  readonly set: string
  readonly zoom: Zoom
  readonly onZoom?: (zoom: Zoom) => void
}

const zoomNames: Readonly<Record<Zoom, string>> = {
  '5min': '5 minutes',
  '15min': '15 minutes',
  '1h': '1 hour',
  '6h': '6 hours',
}
const heightMax = 460
/** So high is the picture of all rows at once. Beyond that it scrolls, because a row needs a pixel. */
const fitMax = 1_400
const rowMin = 5
const rowMax = 18

export function Bars(props: Props) {
  const { now, marks: allMarks } = useStore()
  const [isFit, setFit] = useState(false)
  // The pointer moves often, so only the box beside it and the canvas follow it.
  const hit = useSignal<Hit | null>(null)
  const lanes = useRef<Lanes>(undefined)
  lanes.current ??= createLanes()
  const from = now.peek() - zoomMs[props.zoom]
  const marks = allMarks().filter((mark) => mark.set === null || props.set === '' || mark.set === props.set)
  const rows = lanes.current.place(props.lives.filter((life) => isIn(life, from)))
  const room = heightMax - axisHeight
  const least = isFit ? 1 : rowMin
  const rowHeight = Math.min(rowMax, Math.max(least, Math.floor(room / Math.max(1, rows.length))))
  const wanted = Math.max(40, rows.length * rowHeight)
  const height = axisHeight + (isFit ? Math.min(fitMax, wanted) : Math.min(room, wanted))
  const canFit = rows.length * rowMin > room
  const scene = { lanes: rows, marks, rowHeight, height, span: zoomMs[props.zoom] }
  return (
    <div class="bars">
      <div class="bars-tools">
        <Legend />
        <div class="bars-buttons">
          {canFit ? (
            <button type="button" aria-pressed={isFit} onClick={() => setFit(!isFit)}>
              Smallest rows ({count(rows.length)})
            </button>
          ) : null}
          {props.onZoom ? <ZoomButtons zoom={props.zoom} onZoom={props.onZoom} /> : null}
        </div>
      </div>
      <div class="bars-frame">
        <BarCanvas scene={scene} hit={hit} />
        <BarTip hit={hit} />
        {rows.length === 0 ? <p class="bars-empty">No runner in the last {zoomNames[props.zoom]}.</p> : null}
      </div>
      <Changes marks={marks.filter((mark) => mark.at >= from)} />
    </div>
  )
}

function ZoomButtons({ zoom, onZoom }: { readonly zoom: Zoom; readonly onZoom: (zoom: Zoom) => void }) {
  return (
    <fieldset class="choices">
      <legend class="unseen">Time that is shown</legend>
      {(Object.keys(zoomMs) as Zoom[]).map((one) => (
        <button key={one} type="button" aria-pressed={one === zoom} onClick={() => onZoom(one)}>
          {one.replace(/(\d)([a-z])/, '$1 $2')}
        </button>
      ))}
    </fieldset>
  )
}

function isIn({ steps, phase }: Life, from: number): boolean {
  if (phase !== 'gone') return true
  const end = steps.gone ?? steps.ended ?? steps.jobFinished
  return end === null || end >= from
}
