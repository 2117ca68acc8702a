// `dayfly import bitbucket-autoscaler` as an operator runs it.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseRunnerSet } from '@dayfly/runner-set/config/runner-set'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { runCli } from '../cli.ts'
import { runHere } from '../program-here.ts'

const samples = path.resolve(import.meta.dirname, 'migrate/bitbucket-autoscaler')
const config = path.join(samples, 'several-groups/runners_config.yaml')
const template = path.join(samples, 'several-groups/job.yaml.template')

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'migrate-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function put(name: string, text: string): string {
  writeFileSync(path.join(folder, name), text)
  return name
}

function importFiles(...args: readonly string[]) {
  return runHere(['import', 'bitbucket-autoscaler', ...args], { cwd: folder })
}

/** Returns the manifest of a ConfigMap, as kubectl prints it. */
function configMap(key: string, text: string): string {
  const lines = text.split('\n').map((line) => (line === '' ? '' : `    ${line}`))
  return `apiVersion: v1\ndata:\n  ${key}: |\n${lines.join('\n')}\nkind: ConfigMap\nmetadata:\n  name: x\n`
}

describe('dayfly import bitbucket-autoscaler', () => {
  it('prints documents that the schema accepts to stdout, and the report to stderr', async () => {
    const { code, stdout, stderr } = await runCli(['import', 'bitbucket-autoscaler', config, template], { cwd: folder })
    expect(code).toBe(0)
    const documents = parseAllDocuments(stdout).map((document) => document.toJS())
    expect(documents.map((document) => document.metadata.name)).toEqual([
      'shared-small',
      'shared-large-16-gb',
      'shared-small-2',
      'uberprufung',
    ])
    for (const document of documents) expect(parseRunnerSet(document)).toMatchObject({ ok: true })
    expect(stderr).toMatch(/changed groups\[3\]\.parameters\.min: spec\.scale\.min is 2/)
    expect(stderr).toMatch(/warning groups\[1\]\.parameters\.min/)
    expect(stderr).toMatch(/dayfly takeover bitbucket-autoscaler --bitbucket-workspace \S+/)
  })

  it('writes one file for each set and a report that kubectl does not read', async () => {
    put('precious', 'keep')
    mkdirSync(path.join(folder, 'new/sets'), { recursive: true })
    symlinkSync(path.join(folder, 'precious'), path.join(folder, 'new/sets/report.txt'))
    const { code, stdout } = await importFiles(config, template, '--out', 'new/sets')
    expect(readFileSync(path.join(folder, 'precious'), 'utf8')).toBe('keep')
    expect(code).toBe(0)
    const files = readdirSync(path.join(folder, 'new/sets')).sort()
    expect(files).toEqual([
      'report.txt',
      'shared-large-16-gb.yaml',
      'shared-small-2.yaml',
      'shared-small.yaml',
      'uberprufung.yaml',
    ])
    const read = (name: string) => readFileSync(path.join(folder, 'new/sets', name), 'utf8')
    expect(parseRunnerSet(parse(read('uberprufung.yaml')))).toMatchObject({ ok: true, set: { namespace: 'ci-small' } })
    expect(stdout).toContain('kubectl apply -f new/sets')
    expect(read('report.txt')).toContain('kubectl apply -f new/sets')
  })

  it('prints sets, report by path, plan and way back as JSON', async () => {
    const { code, stdout } = await importFiles(config, template, '--json', '--strategy', 'idle-spares')
    expect(code).toBe(0)
    const result = JSON.parse(stdout)
    expect(Object.keys(result)).toEqual(['sets', 'report', 'warnings', 'plan', 'wayBack'])
    expect(result.sets[0].document.spec.scale).toEqual({ min: 2, max: 20 })
    expect(result.sets[0].report).toContainEqual({
      file: 'configuration',
      path: 'groups[0].parameters.scale_up_threshold',
      is: 'dropped',
      sentence: 'Not taken over: scale_up_threshold is 0.5, and Dayfly keeps 2 idle runners.',
    })
    expect(result.plan.flatMap(({ commands }: { commands: string[] }) => commands)).toContain(
      'dayfly doctor --live --bitbucket-workspace acme/website',
    )
  })

  it('reads both files out of their ConfigMaps', async () => {
    const one = put('config.yaml', configMap('runners_config.yaml', readFileSync(config, 'utf8')))
    const other = put('template.yaml', configMap('job.yaml.template', readFileSync(template, 'utf8')))
    expect((await importFiles(one, other)).stdout).toBe((await importFiles(config, template)).stdout)
  })

  it('finds both files in a folder, whose layout is that of the autoscaler', async () => {
    const text = (file: string) => readFileSync(file, 'utf8')
    for (const name of ['values', 'base']) mkdirSync(path.join(folder, 'kustomize', name), { recursive: true })
    put('kustomize/values/runners_config.yaml', text(config))
    const alone = await importFiles('kustomize')
    expect(alone.stderr).toContain('The folder has no job template, so the sets have the pod of Dayfly.')
    put('kustomize/base/cm-job-template.yaml', configMap('job.yaml.template', text(template)))
    put('kustomize/base/deployment.yaml', 'kind: Deployment\n')
    const both = await importFiles('kustomize')
    expect(both.stdout).toBe((await importFiles(config, template)).stdout)
    expect(both.stderr).toContain(
      'Read kustomize/values/runners_config.yaml and kustomize/base/cm-job-template.yaml.\n',
    )
    put('kustomize/runners_config.yaml', text(config))
    const two = await importFiles('kustomize', template)
    expect(two).toMatchObject({ code: 2, stdout: '' })
    expect(two.stderr).toMatch(
      /^error configuration-ambiguous: kustomize has 2 files with the configuration: kustomize\/runners_config\.yaml, /,
    )
  })

  it('reads strictly with --strict: it ignores later keys, and accepts what Kubernetes refuses', async () => {
    const text = readFileSync(path.join(samples, 'official-workspace/runners_config.yaml'), 'utf8')
    const changed = text.replace(/limits:\n\s+memory: "4Gi"/, 'limits:\n        memory: "1Gi"')
    const file = put('config.yaml', changed.replace('    parameters:', '    architecture: arm64\n    parameters:'))
    const refused = await importFiles(file)
    expect(refused.code).toBe(2)
    expect(refused.stderr).toMatch(/error configuration-invalid: groups\[0\]\.resources\.limits\.memory: The limit 1Gi/)
    expect(refused.stderr).toMatch(/next: Raise the limit\./)
    const strict = await importFiles(file, '--strict')
    expect(strict.code).toBe(0)
    expect(strict.stdout).not.toContain('arm64')
  })

  it('names a file that is missing, and every problem with its path and next step', async () => {
    const missing = await importFiles('nowhere.yaml')
    expect(missing).toMatchObject({ code: 2, stdout: '' })
    expect(missing.stderr).toMatch(/error file-unreadable: nowhere\.yaml cannot be read: no such file.*\n {2}next: /)
    mkdirSync(path.join(folder, 'directory'))
    expect((await importFiles('directory')).stderr).toMatch(
      /error configuration-missing: directory has no runners_config/,
    )
    expect((await importFiles(config, 'directory')).stderr).toMatch(/error file-unreadable: directory is a folder/)
    const broken = await importFiles(put('broken.yaml', 'groups:\n  - name: one\n'))
    expect(broken.code).toBe(2)
    expect(broken.stderr.match(/^error configuration-invalid: groups\[0\]\.\w+: /gm)).toHaveLength(5)
    const job = await importFiles(config, put('job', 'a\n<% uuid|nope %>\n'))
    expect(job.stderr).toMatch(/^job\nerror template-invalid: Line 2 of the template: the filter nope/)
  })

  it('ends with 1 if the folder cannot be written', async () => {
    put('taken', '')
    const { code, stderr } = await importFiles(config, '--out', 'taken')
    expect(code).toBe(1)
    expect(stderr).toMatch(/error output-unwritable: The folder taken cannot be written/)
  })

  it('is on the page of the guide with the objects and the order of its plan', async () => {
    const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/guide/bitbucket-migration.md'), 'utf8')
    expect(page).toContain('dayfly import bitbucket-autoscaler runners_config.yaml job.yaml.template --out sets')
    const { plan, wayBack } = JSON.parse((await importFiles(config, template, '--json')).stdout)
    const commands: readonly string[] = [...plan, ...wayBack].flatMap((step: { commands: string[] }) => step.commands)
    const scaled = commands.flatMap((command) => /^kubectl scale deployment (\S+)/.exec(command)?.[1] ?? [])
    expect(scaled).toEqual(['runner-controller', 'runner-controller-cleaner'])
    const [before = '', after = ''] = page.split('## 4. The way back')
    // The takeover stops the cleaner first, and the way back starts it last.
    const stopped = [...scaled].reverse().map((name) => before.indexOf(`\`${name}\``))
    const begun = scaled.map((name) => after.indexOf(`\`${name}\``))
    for (const places of [stopped, begun]) {
      expect(Math.min(...places)).toBeGreaterThan(0)
      expect(places).toEqual(places.toSorted((one, other) => one - other))
    }
    const order = ['kubectl apply -f', 'dayfly takeover bitbucket-autoscaler', 'dayfly doctor --live'].map((begin) =>
      commands.findIndex((command) => command.startsWith(begin)),
    )
    expect(order).toEqual(order.toSorted((one, other) => one - other))
    expect(page).toContain('dayfly takeover bitbucket-autoscaler --bitbucket-workspace "$BITBUCKET_WORKSPACE"')
  })

  it.each([
    ['--help', /--strategy <name>/],
    ['--strategy=fast', /percentage, idle-spares/],
  ])('explains its options with %s', async (option, text) => {
    const { stdout, stderr } = await importFiles(config, option)
    expect(stdout + stderr).toMatch(text)
  })
})
