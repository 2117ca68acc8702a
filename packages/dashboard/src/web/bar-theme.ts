// Reads the colours of the bars from the style sheet, so that they follow the theme.
import { type Brush, type Colours, createBrush } from './bar-paint.ts'

const names = ['queue', 'start', 'idle', 'job', 'end', 'ink', 'line', 'failed', 'back', 'mark'] as const

export function brushFor(context: CanvasRenderingContext2D, element: Element, ratio: number): Brush {
  const style = getComputedStyle(element)
  const colours = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--bar-${name}`).trim()]))
  return createBrush(context, colours as Colours, ratio)
}
