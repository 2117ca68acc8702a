// Reads the text of a scrape by the rules of the exposition format (https://prometheus.io/docs/instrumenting/exposition_formats/).
// Throws for any line that Prometheus would refuse, or that promtool would report.

export type Sample = {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const sampleLine = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/
const label = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/

export function samplesOf(text: string): readonly Sample[] {
  if (!text.endsWith('\n')) throw new Error('the text does not end with a newline')
  const types = new Map<string, string>()
  const helps = new Set<string>()
  const samples: Sample[] = []
  const seen = new Set<string>()
  for (const line of text.split('\n')) {
    if (line === '') continue
    const [, kind, family = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
    if (kind === 'HELP') helps.add(family)
    else if (kind === 'TYPE') {
      if (types.has(family)) throw new Error(`${family} has two types`)
      types.set(family, rest)
    } else {
      const sample = parseSample(line)
      const key = JSON.stringify([sample.name, sample.labels])
      if (seen.has(key)) throw new Error(`twice: ${line}`)
      seen.add(key)
      checkFamily(sample, types, helps)
      samples.push(sample)
    }
  }
  return samples
}

function parseSample(line: string): Sample {
  const [, name = '', inner = '', number = ''] = sampleLine.exec(line) ?? []
  const value = number === '+Inf' ? Number.POSITIVE_INFINITY : Number(number)
  if (name === '' || number === '' || Number.isNaN(value)) throw new Error(`not a sample: ${line}`)
  const labels: Record<string, string> = {}
  for (let rest = inner; rest !== ''; ) {
    const [whole = '', key = '', written = ''] = label.exec(rest) ?? []
    if (whole === '') throw new Error(`not a label: ${rest}`)
    if (key in labels) throw new Error(`two labels ${key}: ${line}`)
    labels[key] = written.replace(/\\(["\\n])/g, (_, letter) => (letter === 'n' ? '\n' : letter))
    rest = rest.slice(whole.length)
  }
  return { name, labels, value }
}

function checkFamily({ name, labels }: Sample, types: ReadonlyMap<string, string>, helps: ReadonlySet<string>): void {
  const family = types.has(name) ? name : name.replace(/_(?:bucket|sum|count)$/, '')
  const type = types.get(family)
  if (type === undefined || !helps.has(family)) throw new Error(`${name} has no HELP and TYPE before it`)
  if (family !== name && type !== 'histogram') throw new Error(`${name} is not a histogram's`)
  if (type === 'counter' && !name.endsWith('_total')) throw new Error(`the counter ${name} does not end with _total`)
  if (name.endsWith('_bucket') && labels['le'] === undefined) throw new Error(`${name} has no le`)
}
