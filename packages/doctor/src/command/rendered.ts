// `--helm CHART` and `--kustomize DIR`: renders with the operator's own program, and finds the sources of what it wrote.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { CliFailure } from '@dayfly/command-line/failure'
import { textsAt } from '@dayfly/kit/read-json'
import { doctorName } from '../doctor-name.ts'
import { decodeFiles } from '../engine/examine.ts'
import type { Finding } from '../finding.ts'
import type { DecodedFile, SourceFile } from '../read/decode/document.ts'
import { readText } from '../read/files/read-text.ts'
import { splitHelmOutput } from '../read/rendered/helm-output.ts'
import { relocateByValue } from '../read/rendered/kustomize-origin.ts'
import { markLines } from '../read/rendered/mark-lines.ts'
import { relocateByLine } from '../read/rendered/relocate.ts'
import { parseYaml } from '../read/yaml/parse.ts'
import { type DoctorOptions, versionOf } from './options.ts'
import { type RendererRun, rendererFailure, runRenderer } from './run-renderer.ts'

export type Rendered = {
  readonly files: readonly DecodedFile[]
  /** The sources, whose lines a report shows. */
  readonly sources: readonly SourceFile[]
  readonly relocate: (finding: Finding) => Finding
}

const filesMax = 2_000

/** Renders the chart twice: the copy whose lines are marked shows the line of the template of each line of the output. */
export async function renderHelm(chart: string, options: DoctorOptions): Promise<Rendered> {
  const { minors, declared } = versionOf(options)
  const version = declared && minors.length === 1 ? ['--kube-version', `1.${minors[0]}.0`] : []
  const values = (options.values ?? []).flatMap((file) => ['--values', file])
  const command = (of: string) => ['template', 'dayfly-doctor', of, ...values, ...version]
  const run = await runRenderer('helm', command(chart))
  if (run.is === 'absent') throw absent('helm', 'https://helm.sh/docs/intro/install/')
  if (run.is === 'failed') throw rendererFailure(`helm ${command(chart).join(' ')}`, run)
  const templates = statSync(chart, { throwIfNoEntry: false })?.isDirectory() ? templatesIn(chart) : []
  const marked = templates.length === 0 ? undefined : await renderMarked(chart, templates, command)
  const sources = templates.map(({ shown, text }) => ({ path: shown, text }))
  const rendered = splitHelmOutput(
    run.output,
    marked?.is === 'done' ? marked.output : undefined,
    sources.map(({ path: name }) => name),
  )
  return { files: decodeFiles(rendered), sources, relocate: relocateByLine(rendered, sources) }
}

/** `relative`: from the folder of the chart. `shown`: from the working folder. */
type Template = { readonly relative: string; readonly shown: string; readonly text: string }

function templatesIn(chart: string): readonly Template[] {
  const all = readdirSync(chart, { recursive: true, encoding: 'utf8' }).map((name) => name.split(path.sep).join('/'))
  const names = all.filter((name) => /^(?:charts\/[^/]+\/)*templates\/.*\.(?:ya?ml|tpl)$/.test(name)).sort()
  return names.slice(0, filesMax).flatMap((relative) => {
    const shown = path.relative('.', path.join(chart, relative)).split(path.sep).join('/')
    const read = readText(path.join(chart, relative), shown)
    return 'text' in read ? [{ relative, shown, text: read.text }] : []
  })
}

async function renderMarked(
  chart: string,
  templates: readonly Template[],
  command: (chart: string) => readonly string[],
): Promise<RendererRun> {
  const folder = mkdtempSync(path.join(tmpdir(), 'dayfly-doctor-'))
  try {
    const copy = path.join(folder, path.basename(path.resolve(chart)))
    cpSync(chart, copy, { recursive: true, dereference: true })
    for (const [number, { relative, text }] of templates.entries()) {
      writeFileSync(path.join(copy, relative), markLines(text, number))
    }
    return await runRenderer('helm', command(copy))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export async function renderKustomize(folder: string): Promise<Rendered> {
  const own = await runRenderer('kustomize', ['build', folder])
  const program = own.is === 'absent' ? 'kubectl' : 'kustomize'
  const run = own.is === 'absent' ? await runRenderer('kubectl', ['kustomize', folder]) : own
  if (run.is === 'absent')
    throw absent('kustomize or kubectl', 'https://kubectl.docs.kubernetes.io/installation/kustomize/')
  if (run.is === 'failed')
    throw rendererFailure(`${program} ${own.is === 'absent' ? 'kustomize' : 'build'} ${folder}`, run)
  const files = decodeFiles([{ path: `${folder} (rendered by ${program})`, text: run.output }])
  const sources = resourcesOf(path.resolve(folder), new Map())
  return { files, sources, relocate: relocateByValue(files, decodeFiles(sources)) }
}

/** Returns the local files that a kustomization names, and those of the kustomizations that it names. */
function resourcesOf(folder: string, found: Map<string, SourceFile>): readonly SourceFile[] {
  const name = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'].find((one) =>
    isFile(path.join(folder, one)),
  )
  const file = name && path.join(folder, name)
  if (file === undefined || found.has(file) || found.size > filesMax) return []
  const text = readFileSync(file, 'utf8')
  found.set(file, { path: file, text: '' })
  const parsed = parseYaml(text)
  const value = 'value' in parsed ? parsed.value : undefined
  for (const entry of ['resources', 'bases', 'components'].flatMap((key) => textsAt(value, key))) {
    const at = path.resolve(folder, entry)
    if (isFile(at)) {
      const read = readText(at, path.relative('.', at).split(path.sep).join('/'))
      if ('text' in read) found.set(at, read)
    } else if (statSync(at, { throwIfNoEntry: false })?.isDirectory()) resourcesOf(at, found)
  }
  return [...found.values()].filter((one) => one.text !== '')
}

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false
}

function absent(program: string, page: string): CliFailure {
  return new CliFailure({
    code: 'renderer-missing',
    sentence: `There is no ${program} in the PATH, and the doctor contains none.`,
    next: `Install it (${page}), or pipe the rendered text: … | ${doctorName} -`,
  })
}
