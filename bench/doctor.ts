// Compares the doctor with kubeconform and kube-score on the same folders.
// Measures files a second, cold start, and the hazards that each finds:
//   npm run bench:doctor -- --json
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, homedir, tmpdir } from 'node:os'
import path from 'node:path'
import { readRuleFixtures } from '@dayfly/doctor/rule-fixtures'
import { catalogue } from '@dayfly/doctor/rules/catalogue'
import { kinds, writeHazards, writeRepository } from './doctor-corpus.ts'
import { writeMixed } from './doctor-mixed.ts'
import { writeSchemas } from './doctor-schemas.ts'

/** `timed`: the arguments for measuring speed. They only find hazards, as the other tools do. */
type Tool = {
  readonly name: string
  readonly command: string
  readonly args: Arguments
  readonly timed?: Arguments
}
/** `version`: the Kubernetes version, such as `1.33`. */
type Arguments = (paths: readonly string[], version: string) => string[]
/** `version`: the Kubernetes version in which it is a hazard. */
type Hazard = { readonly rule: string; readonly file: string; readonly clean: string; readonly version: string }
type Corpora = Readonly<Record<'repository' | 'hazards', readonly string[]>>
/** Files a second: in a folder like a repository, in one full of hazards, and in the second one with every fix previewed. */
type Measured = {
  readonly filesPerSecond: number
  readonly hazardFilesPerSecond: number
  readonly previewedPerSecond?: number
  readonly coldStartMs: number
  readonly recall: string
}

const programs = path.join(homedir(), '.cache', 'dayfly-bench', 'bin')
const modules = {
  kubeconform: 'github.com/yannh/kubeconform/cmd/kubeconform@v0.7.0',
  'kube-score': 'github.com/zegl/kube-score/cmd/kube-score@v1.20.0',
}
const go = 'go'
const filesCount = 10_000
const rounds = 3
const usualVersion = '1.33'

const folder = mkdtempSync(path.join(tmpdir(), 'bench-doctor-'))
try {
  const hazards = writePairs(path.join(folder, 'pairs'))
  const corpora = {
    repository: writeRepository(path.join(folder, 'repository'), filesCount),
    hazards: writeHazards(path.join(folder, 'hazards'), filesCount),
  }
  const schemas = path.join(folder, 'schemas')
  writeSchemas(schemas, kinds)
  const { tools, skipped } = findTools(schemas)
  const measured = tools.map((tool) => [tool.name, measure(tool, corpora, hazards)] as const)
  const found = Object.fromEntries(
    tools.map((tool) => [tool.name, hazards.filter((hazard) => finds(tool, hazard)).map(({ rule }) => rule)]),
  )
  const mixed = writeMixed(path.join(folder, 'mixed'), filesCount)
  const result = {
    files: filesCount,
    mixedRepositoryMs: Math.round(median(() => run(doctorOn(tools), [mixed]).ms)),
    hazards: hazards.length,
    processors: availableParallelism(),
    skipped,
    ...Object.fromEntries(measured),
    found,
  }
  process.stderr.write(`${JSON.stringify(result, undefined, 2)}\n`)
  if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(result)}\n`)
} finally {
  rmSync(folder, { recursive: true })
}

/** Writes the first bad block of each static rule, and the same without the hazard. A tool finds a hazard if its results differ. */
function writePairs(into: string): Hazard[] {
  mkdirSync(into)
  return catalogue.flatMap((rule) => {
    const bad = readRuleFixtures(rule.slug).find(
      ({ kind, withoutHazard, fixed }) => kind === 'bad' && (withoutHazard ?? fixed),
    )
    if (!bad || !rule.modes.includes('static')) return []
    const file = path.join(into, `${rule.slug}.yaml`)
    const clean = path.join(into, `${rule.slug}.clean.yaml`)
    writeFileSync(file, bad.text)
    writeFileSync(clean, bad.withoutHazard ?? bad.fixed ?? '')
    return [{ rule: rule.slug, file, clean, version: bad.options['kubernetes'] ?? usualVersion }]
  })
}

function findTools(schemas: string): { tools: Tool[]; skipped: Record<string, string> } {
  const skipped: Record<string, string> = {}
  for (const [name, module] of Object.entries(modules)) {
    const reason = install(name, module)
    if (reason !== undefined) skipped[name] = reason
  }
  const doctor = [path.resolve('packages/dayfly/dist/dayfly.js'), 'doctor', '--kubernetes-version']
  const location = `${schemas}/{{ .ResourceKind }}.json`
  const tools: Tool[] = [
    {
      name: 'doctor',
      command: process.execPath,
      args: (paths, version) => [...doctor, version, '--format', 'json', ...paths],
      timed: (paths, version) => [...doctor, version, '--format', 'github', ...paths],
    },
    {
      name: 'kubeconform',
      command: path.join(programs, 'kubeconform'),
      args: (paths) => [
        '-strict',
        '-output',
        'json',
        '-schema-location',
        location,
        '-n',
        String(availableParallelism()),
        ...paths,
      ],
    },
    {
      name: 'kube-score',
      command: path.join(programs, 'kube-score'),
      args: (paths, version) => ['score', '--output-format', 'json', '--kubernetes-version', `v${version}`, ...paths],
    },
  ]
  return { tools: tools.filter(({ name }) => !(name in skipped)), skipped }
}

/** The doctor as a person runs it on a folder: with a declared version, and with the report for people. */
function doctorOn(tools: readonly Tool[]): Tool {
  const [doctor] = tools
  if (doctor?.name !== 'doctor') throw new Error('the doctor is the first tool')
  return {
    ...doctor,
    args: (paths, version) => doctor.args(paths, version).map((one) => (one === 'json' ? 'pretty' : one)),
  }
}

/** Returns why the tool could not be installed. */
function install(name: string, module: string): string | undefined {
  if (existsSync(path.join(programs, name))) return undefined
  try {
    execFileSync(go, ['install', module], { env: { ...process.env, GOBIN: programs }, stdio: 'ignore' })
    return undefined
  } catch (error) {
    const absent = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    return absent ? 'Go is not installed' : `go install ${module} failed`
  }
}

/** Returns medians. Each tool runs alone, on cached files, with the same list of files. */
function measure(tool: Tool, corpora: Corpora, hazards: readonly Hazard[]): Measured {
  const [one = ''] = corpora.hazards
  const perSecond = (timed: Tool, files: readonly string[]) =>
    Math.round(files.length / (median(() => run(timed, files).ms) / 1000))
  const finding = tool.timed ? { ...tool, args: tool.timed } : tool
  const cold = median(() => run(finding, [one]).ms)
  const found = hazards.filter((hazard) => finds(tool, hazard)).length
  return {
    filesPerSecond: perSecond(finding, corpora.repository),
    hazardFilesPerSecond: perSecond(finding, corpora.hazards),
    ...(tool.timed && { previewedPerSecond: perSecond(tool, corpora.hazards) }),
    coldStartMs: Math.round(cold),
    recall: `${found}/${hazards.length}`,
  }
}

function finds(tool: Tool, { rule, file, clean, version }: Hazard): boolean {
  const [bad, good] = [file, clean].map((one) => results(tool, [one], version).stdout.replaceAll(one, ''))
  if (tool.name !== 'doctor') return problemsOf(tool.name, bad ?? '') > problemsOf(tool.name, good ?? '')
  return rulesOf(bad ?? '').includes(rule) && !rulesOf(good ?? '').includes(rule)
}

function rulesOf(stdout: string): string[] {
  return (JSON.parse(stdout) as { findings: { rule: string }[] }).findings.map(({ rule }) => rule)
}

/** Favours the other tools: any additional complaint about the bad file counts as its hazard. */
function problemsOf(name: string, stdout: string): number {
  // The tool refuses the whole file.
  if (stdout === '') return 1
  const value: unknown = JSON.parse(stdout)
  if (name === 'kubeconform') {
    const { resources } = value as { resources?: { status: string }[] }
    return (resources ?? []).filter(({ status }) => status === 'statusInvalid' || status === 'statusError').length
  }
  const objects = (value ?? []) as { checks: { grade: number; comments: unknown[] | null; skipped: boolean }[] }[]
  const checks = objects.flatMap((object) => object.checks)
  return checks
    .filter(({ grade, skipped }) => !skipped && grade < 10)
    .reduce((sum, one) => sum + (one.comments?.length ?? 1), 0)
}

type Run = { readonly ms: number; readonly stdout: string; readonly stderr: string }

/** Throws if the tool printed nothing: then it has not read the files. */
function run(tool: Tool, paths: readonly string[], version = usualVersion): Run {
  const ran = results(tool, paths, version)
  if (ran.stdout === '') throw new Error(`${tool.command} gave no result: ${ran.stderr.slice(0, 300)}`)
  return ran
}

function results({ command, args }: Tool, paths: readonly string[], version: string): Run {
  const started = performance.now()
  const { stdout, stderr, error } = spawnSync(command, args(paths, version), { encoding: 'utf8', maxBuffer: 1024 ** 3 })
  if (error) throw error
  return { ms: performance.now() - started, stdout, stderr }
}

function median(sample: () => number): number {
  sample()
  const values = Array.from({ length: rounds }, sample).sort((a, b) => a - b)
  return values[Math.floor(rounds / 2)] ?? 0
}
