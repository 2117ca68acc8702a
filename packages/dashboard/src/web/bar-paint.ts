// Draws the bars on a canvas: only the rows and the part of time that are visible. Each kind has a texture, not only a colour.
import type { Instant } from '@dayfly/kit/clock'
import type { Life, Mark } from '../model/life.ts'
import { timeOfDay } from './format.ts'
import { pixelOf, type Scale, type SegmentKind, segmentKinds, segmentsOf, ticksOf } from './segments.ts'

export const axisHeight = 30

export type Colours = Readonly<Record<SegmentKind | 'ink' | 'line' | 'failed' | 'back' | 'mark', string>>

export type Scene = {
  readonly lanes: readonly (readonly Life[])[]
  readonly marks: readonly Mark[]
  readonly now: Instant
  readonly scale: Scale
  /** Pixels of the screen, not of the device. */
  readonly height: number
  readonly rowHeight: number
  readonly scrollTop: number
  /** The life that the pointer or the keyboard chose. */
  readonly chosen: string | null
}

export type Brush = {
  readonly context: CanvasRenderingContext2D
  readonly colours: Colours
  readonly fills: Readonly<Record<SegmentKind, string | CanvasPattern>>
}

type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number }

/** Returns a brush whose textures fit the pixels of the device. */
export function createBrush(context: CanvasRenderingContext2D, colours: Colours, ratio: number): Brush {
  const fill = (kind: SegmentKind) => texture(context, kind, colours, ratio)
  return {
    context,
    colours,
    fills: { queue: fill('queue'), start: fill('start'), idle: fill('idle'), job: fill('job'), end: fill('end') },
  }
}

export function paint(brush: Brush, scene: Scene): void {
  const { context } = brush
  const { scale, height } = scene
  context.clearRect(0, 0, scale.width, height)
  paintGrid(brush, scene)
  context.save()
  context.beginPath()
  context.rect(0, axisHeight, scale.width, height - axisHeight)
  context.clip()
  paintBars(brush, scene)
  context.restore()
  paintMarks(brush, scene)
}

/** Returns the rows that are visible, the last one not included. */
export function visibleRows({ scrollTop, height, rowHeight, lanes }: Scene): readonly [first: number, end: number] {
  const first = Math.max(0, Math.floor(scrollTop / rowHeight))
  const end = Math.ceil((scrollTop + height - axisHeight) / rowHeight)
  return [first, Math.min(lanes.length, end)]
}

function paintBars({ context, fills, colours }: Brush, scene: Scene): void {
  const { lanes, scale, rowHeight, scrollTop, now, chosen } = scene
  const boxes: Record<SegmentKind, Box[]> = { queue: [], start: [], idle: [], job: [], end: [] }
  const failed: Box[] = []
  let outline: Box | null = null
  const gap = rowHeight >= 8 ? 3 : rowHeight >= 4 ? 1 : 0
  const [first, end] = visibleRows(scene)
  for (let row = first; row < end; row++) {
    const y = axisHeight + row * rowHeight - scrollTop + gap / 2
    for (const life of lanes[row] ?? []) {
      const segments = segmentsOf(life, now)
      let last: Box | null = null
      for (const { kind, from, to } of segments) {
        if (to < scale.from) continue
        const x = Math.max(0, pixelOf(scale, from))
        last = { x, y, width: Math.max(1, pixelOf(scale, to) - x), height: rowHeight - gap }
        boxes[kind].push(last)
      }
      if (last === null) continue
      if (life.problem !== null) failed.push(last)
      if (life.id === chosen) outline = wholeOf(last, Math.max(0, pixelOf(scale, segments[0]?.from ?? 0)))
    }
  }
  for (const kind of segmentKinds) {
    context.fillStyle = fills[kind]
    for (const { x, y, width, height } of boxes[kind]) context.fillRect(x, y, width, height)
  }
  paintFailed(context, failed, colours.failed)
  if (outline !== null) {
    context.strokeStyle = colours.ink
    context.lineWidth = 2
    context.strokeRect(outline.x, outline.y - 1, outline.width, outline.height + 2)
  }
}

function wholeOf(last: Box, x: number): Box {
  return { ...last, x, width: last.x + last.width - x }
}

/** A failure has a cross at the end of its bar, where rows are high enough, and a block otherwise. */
function paintFailed(context: CanvasRenderingContext2D, boxes: readonly Box[], colour: string): void {
  context.fillStyle = colour
  context.strokeStyle = colour
  context.lineWidth = 2
  context.beginPath()
  for (const { x, y, width, height } of boxes) {
    const right = x + width
    if (height < 7) context.fillRect(right - 3, y, 6, height)
    else {
      const middle = y + height / 2
      context.moveTo(right - 4, middle - 4)
      context.lineTo(right + 4, middle + 4)
      context.moveTo(right - 4, middle + 4)
      context.lineTo(right + 4, middle - 4)
    }
  }
  context.stroke()
}

function paintGrid({ context, colours }: Brush, { scale, height, now }: Scene): void {
  context.font = '12px system-ui, sans-serif'
  context.textBaseline = 'middle'
  context.lineWidth = 1
  for (const at of ticksOf(scale, 84)) {
    const x = Math.round(pixelOf(scale, at)) + 0.5
    context.strokeStyle = colours.line
    context.beginPath()
    context.moveTo(x, axisHeight - 8)
    context.lineTo(x, height)
    context.stroke()
    const text = timeOfDay(at, now).replace(/:00$/, '')
    const half = context.measureText(text).width / 2
    context.fillStyle = colours.ink
    context.fillText(text, Math.min(Math.max(x - half, 0), scale.width - 2 * half), 10)
  }
}

function paintMarks({ context, colours }: Brush, { marks, scale, height }: Scene): void {
  context.strokeStyle = colours.mark
  context.fillStyle = colours.mark
  context.lineWidth = 1.5
  context.setLineDash([5, 3])
  for (const { at } of marks) {
    if (at < scale.from || at > scale.to) continue
    const x = Math.round(pixelOf(scale, at)) + 0.5
    context.beginPath()
    context.moveTo(x, axisHeight - 2)
    context.lineTo(x, height)
    context.stroke()
    context.beginPath()
    context.moveTo(x - 5, axisHeight - 11)
    context.lineTo(x + 5, axisHeight - 11)
    context.lineTo(x, axisHeight - 2)
    context.fill()
  }
  context.setLineDash([])
}

const tile = 8

/** Hatching waits, dots start, an empty frame is idle, a solid bar works, and upright lines end. */
function texture(
  target: CanvasRenderingContext2D,
  kind: SegmentKind,
  colours: Colours,
  ratio: number,
): string | CanvasPattern {
  const colour = colours[kind]
  if (kind === 'job') return colour
  const size = Math.round(tile * ratio)
  const canvas = new OffscreenCanvas(size, size)
  const context = canvas.getContext('2d')
  if (context === null) return colour
  context.scale(size / tile, size / tile)
  context.fillStyle = colours.back
  context.fillRect(0, 0, tile, tile)
  context.fillStyle = colour
  context.strokeStyle = colour
  drawTile(context, kind)
  const pattern = target.createPattern(canvas, 'repeat')
  pattern?.setTransform(new DOMMatrix().scale(tile / size))
  return pattern ?? colour
}

function drawTile(context: OffscreenCanvasRenderingContext2D, kind: SegmentKind): void {
  if (kind === 'queue') {
    context.lineWidth = 2
    context.beginPath()
    for (const shift of [-4, 0, 4, 8]) {
      context.moveTo(shift - 2, 10)
      context.lineTo(shift + 10, -2)
    }
    context.stroke()
  }
  if (kind === 'start') for (const x of [0, 4]) for (const y of [0, 4]) context.fillRect(x + 1, y + 1, 2.4, 2.4)
  if (kind === 'idle') for (const y of [0, 4]) context.fillRect(0, y + 1.5, tile, 1)
  if (kind === 'end') for (const x of [0, 4]) context.fillRect(x, 0, 1.6, tile)
}
