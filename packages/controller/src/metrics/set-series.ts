// Remembers which series of counters and histograms belong to a set. They end with the set, so that their number is bounded by what exists.

type Labels = Readonly<Record<string, string>>
/** The part of a counter or histogram that removes a series. */
type Removable = { remove(labels: Labels): void }

export class SetSeries {
  /** By set: the labels of each metric's series, by their text. */
  readonly #sets = new Map<string, Map<Removable, Map<string, Labels>>>()

  add(namespace: string, set: string): void {
    const key = keyOf(namespace, set)
    if (!this.#sets.has(key)) this.#sets.set(key, new Map())
  }

  remove(namespace: string, set: string): void {
    const key = keyOf(namespace, set)
    for (const [metric, series] of this.#sets.get(key) ?? []) {
      for (const labels of series.values()) metric.remove(labels)
    }
    this.#sets.delete(key)
  }

  /** Returns whether a metric of a set has this series, or may have one more. */
  isKnown(metric: Removable, of: Labels & { readonly namespace: string; readonly set: string }, most: number): boolean {
    const series = this.#sets.get(keyOf(of.namespace, of.set))?.get(metric)
    return series === undefined || series.size < most || series.has(textOf(of))
  }

  /** Returns the labels of a series. Returns undefined if the set does not exist: a late event would bring its series back. */
  labels<Of extends Labels & { readonly namespace: string; readonly set: string }>(
    metric: Removable,
    of: Of,
  ): Of | undefined {
    const metrics = this.#sets.get(keyOf(of.namespace, of.set))
    if (!metrics) return undefined
    const series = metrics.get(metric) ?? new Map<string, Labels>()
    metrics.set(metric, series.set(textOf(of), of))
    return of
  }
}

function textOf(labels: Labels): string {
  return JSON.stringify(Object.values(labels))
}

function keyOf(namespace: string, set: string): string {
  return `${namespace}/${set}`
}
