// The canvas of the bars. It draws at most once a frame, and only if something changed: data, time, size, theme, or place.
import type { Clock, Instant, Timer } from '@dayfly/kit/clock'
import type { Signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type Hit, hitAt } from './bar-hit.ts'
import { axisHeight, type Brush, paint, type Scene } from './bar-paint.ts'
import { brushFor } from './bar-theme.ts'
import { runnerAddress } from './route.ts'
import type { Scale } from './segments.ts'
import { useStore } from './store.ts'

export type CanvasScene = Pick<Scene, 'lanes' | 'marks' | 'rowHeight' | 'height'> & { readonly span: number }

/** A pixel is most of a second, so nobody sees that new data waits this long. */
const soonMs = 400

type Props = { readonly scene: CanvasScene; readonly hit: Signal<Hit | null> }

export function BarCanvas(props: Props) {
  const { hit } = props
  const { lanes, rowHeight, height, span } = props.scene
  const { now, clock } = useStore()
  const box = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const latest = useRef(props)
  latest.current = props
  const redraw = useRef({ now: () => {}, soon: () => {} })
  useEffect(() => {
    const drawer = createDrawer(box.current, canvas.current, clock, () =>
      sceneOf(latest.current, now.value, box.current),
    )
    redraw.current = { now: drawer.redraw, soon: drawer.redrawSoon }
    const stops = [now.subscribe(drawer.redrawSoon), hit.subscribe(drawer.redraw)]
    return () => {
      for (const stop of stops) stop()
      drawer.stop()
    }
  }, [now, hit, clock])
  useEffect(() => redraw.current.soon(), [props.scene.lanes, props.scene.marks])
  useEffect(() => redraw.current.now(), [height, rowHeight, span])
  const onMove = (event: PointerEvent) => {
    const { left, top } = (event.currentTarget as HTMLElement).getBoundingClientRect()
    const scene = sceneOf(latest.current, now.value, box.current)
    hit.value = hitAt(scene, event.clientX - left, event.clientY - top)
  }
  const onUp = (event: PointerEvent) => {
    onMove(event)
    if (event.button === 0 && hit.value !== null) location.hash = runnerAddress(hit.value.life.id)
  }
  const onLeave = () => {
    hit.value = null
  }
  return (
    <section
      ref={box}
      class="bars-box"
      aria-label="Bars of the runners"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls must have the focus of the keyboard
      tabIndex={0}
      style={{ height: `${height}px` }}
      onScroll={() => redraw.current.now()}
      onPointerMove={onMove}
      onPointerLeave={onLeave}
      onPointerUp={onUp}
    >
      <div style={{ height: `${axisHeight + lanes.length * rowHeight}px` }}>
        <canvas
          ref={canvas}
          style={{ height: `${height}px` }}
          role="img"
          aria-label={`Runners in time, ${lanes.length} rows. The table below has the same data.`}
        />
      </div>
    </section>
  )
}

function sceneOf({ scene, hit }: Props, now: Instant, box: Element | null): Scene {
  const scale: Scale = { from: now - scene.span, to: now, width: box?.clientWidth ?? 0 }
  return { ...scene, scale, now, scrollTop: box?.scrollTop ?? 0, chosen: hit.value?.life.id ?? null }
}

function createDrawer(box: HTMLElement | null, canvas: HTMLCanvasElement | null, clock: Clock, sceneNow: () => Scene) {
  const context = canvas?.getContext('2d') ?? null
  let frame = 0
  let brush: Brush | null = null
  let ratio = 0
  let timer: Timer | null = null
  const draw = () => {
    timer?.cancel()
    timer = null
    if (context === null || canvas === null) return
    const scene = sceneNow()
    const width = Math.round(scene.scale.width * devicePixelRatio)
    const height = Math.round(scene.height * devicePixelRatio)
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width
      canvas.height = height
    }
    if (!brush?.isWhole || ratio !== devicePixelRatio) {
      ratio = devicePixelRatio
      brush = brushFor(context, canvas, ratio)
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    paint(brush, scene)
  }
  const redraw = () => {
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(draw)
  }
  const redrawSoon = () => {
    timer ??= clock.after(soonMs, redraw)
  }
  const dark = matchMedia('(prefers-color-scheme: dark)')
  const newTheme = () => {
    brush = null
    redraw()
  }
  const sizes = new ResizeObserver(redraw)
  if (box) sizes.observe(box)
  dark.addEventListener('change', newTheme)
  const stop = () => {
    cancelAnimationFrame(frame)
    timer?.cancel()
    sizes.disconnect()
    dark.removeEventListener('change', newTheme)
  }
  return { redraw, redrawSoon, stop }
}
