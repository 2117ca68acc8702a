// Draws the bars on a canvas: only the rows and the part of time that are visible. Each kind has a texture, not only a colour.
import type { Instant } from '@dayfly/kit/clock'
import type { Life, Mark } from '../model/life.ts'
import { timeOfDay } from './format.ts'
import { pixelOf, type Scale, type Segment, type SegmentKind, segmentKinds, segmentsOf, ticksOf } from './segments.ts'

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
  /** Whether the browser gave each texture. Another brush may have those that this one lacks. */
  readonly isWhole: boolean
  readonly segments: WeakMap<Life, readonly Segment[]>
}

/** Returns a brush whose textures fit the pixels of the device. */
export function createBrush(context: CanvasRenderingContext2D, colours: Colours, ratio: number): Brush {
  let isWhole = true
  const fill = (kind: SegmentKind) => {
    const found = kind === 'job' ? undefined : texture(context, kind, colours, ratio)
    if (found === null) isWhole = false
    return found ?? colours[kind]
  }
  const fills = { queue: fill('queue'), start: fill('start'), idle: fill('idle'), job: fill('job'), end: fill('end') }
  return { context, colours, fills, isWhole, segments: new WeakMap() }
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
function visibleRows({ scrollTop, height, rowHeight, lanes }: Scene): readonly [first: number, end: number] {
  const first = Math.max(0, Math.floor(scrollTop / rowHeight))
  const end = Math.ceil((scrollTop + height - axisHeight) / rowHeight)
  return [first, Math.min(lanes.length, end)]
}

/** Four numbers for each box: left, top, width, height. All are whole pixels, because half pixels are slow to draw. */
type Boxes = number[]

function paintBars(brush: Brush, scene: Scene): void {
  const { context, fills, colours } = brush
  const { lanes, rowHeight, scrollTop, chosen } = scene
  const boxes: Record<SegmentKind, Boxes> = { queue: [], start: [], idle: [], job: [], end: [] }
  const failed: Boxes = []
  let outline: Boxes = []
  const gap = rowHeight >= 8 ? 3 : rowHeight >= 4 ? 1 : 0
  const [first, end] = visibleRows(scene)
  for (let row = first; row < end; row++) {
    const top = Math.round(axisHeight + row * rowHeight - scrollTop)
    const height = Math.max(1, Math.round(rowHeight) - gap)
    for (const life of lanes[row] ?? []) {
      const last = addLife(boxes, segmentsFor(brush, life), scene, [top, height])
      if (last === null) continue
      if (life.problem !== null) failed.push(last.right, top, height)
      if (life.id === chosen) outline = [last.left, top - 1, last.right - last.left, height + 2]
    }
  }
  for (const kind of segmentKinds) {
    context.fillStyle = fills[kind]
    fillBoxes(context, boxes[kind])
  }
  paintFailed(context, failed, colours.failed)
  const [left = 0, top = 0, width = 0, height = 0] = outline
  context.strokeStyle = colours.ink
  context.lineWidth = 2
  if (width > 0) context.strokeRect(left, top, width, height)
}

/** Adds the visible segments of one life. Returns the pixels from where to where they are. */
function addLife(
  boxes: Record<SegmentKind, Boxes>,
  segments: readonly Segment[],
  { scale, now }: Scene,
  [top, height]: readonly [number, number],
): { readonly left: number; readonly right: number } | null {
  let left = -1
  let right = 0
  for (const { kind, from, to } of segments) {
    const end = to ?? now
    if (end < scale.from) continue
    const x = Math.max(0, Math.floor(pixelOf(scale, from)))
    right = Math.max(x + 1, Math.round(pixelOf(scale, end)))
    if (left < 0) left = x
    boxes[kind].push(x, top, right - x, height)
  }
  return left < 0 ? null : { left, right }
}

/** A life that changes is another object, so its segments are computed once. */
function segmentsFor({ segments }: Brush, life: Life): readonly Segment[] {
  const known = segments.get(life)
  if (known !== undefined) return known
  const fresh = segmentsOf(life)
  segments.set(life, fresh)
  return fresh
}

function fillBoxes(context: CanvasRenderingContext2D, boxes: Boxes): void {
  for (let at = 0; at < boxes.length; at += 4) {
    context.fillRect(boxes[at] ?? 0, boxes[at + 1] ?? 0, boxes[at + 2] ?? 0, boxes[at + 3] ?? 0)
  }
}

/** A failure has a cross at the end of its bar, where rows are high enough, and a block otherwise. */
function paintFailed(context: CanvasRenderingContext2D, ends: readonly number[], colour: string): void {
  context.fillStyle = colour
  context.strokeStyle = colour
  context.lineWidth = 2
  context.beginPath()
  for (let at = 0; at < ends.length; at += 3) {
    const [right = 0, top = 0, height = 0] = ends.slice(at, at + 3)
    if (height < 7) context.fillRect(right - 3, top, 6, height)
    else {
      const middle = top + height / 2
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

/** Hatching waits, dots start, an empty frame is idle, a solid bar works, and upright lines end.
 *  Returns null if the browser gives no texture: without its graphics process, it says that a canvas with a size has none. */
function texture(
  target: CanvasRenderingContext2D,
  kind: SegmentKind,
  colours: Colours,
  ratio: number,
): CanvasPattern | null {
  const size = Math.round(tile * ratio)
  const canvas = new OffscreenCanvas(size, size)
  const context = canvas.getContext('2d')
  if (context === null) return null
  context.scale(size / tile, size / tile)
  context.fillStyle = colours.back
  context.fillRect(0, 0, tile, tile)
  context.fillStyle = colours[kind]
  context.strokeStyle = colours[kind]
  drawTile(context, kind)
  try {
    const pattern = target.createPattern(canvas, 'repeat')
    pattern?.setTransform(new DOMMatrix().scale(tile / size))
    return pattern
  } catch {
    return null
  }
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
