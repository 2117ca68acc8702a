// Runs helm and the checkers of charts in their own home directory, and parses rendered objects.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { afterAll, beforeAll } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { renderManifests } from '../../../scripts/chart/manifests.ts'
import { buildProgram, type ProgramName } from '../../../scripts/control-plane/build.ts'

const execute = promisify(execFile)

export const controllerChart = path.resolve('deploy/chart')
export const setsChart = path.resolve('deploy/chart-runner-set')
export const fullValues = path.resolve('test/kubernetes/chart/full-values.yaml')
export const setsValues = path.resolve('test/kubernetes/chart/sets-values.yaml')

export type Result = { readonly code: number; readonly stdout: string; readonly stderr: string }

export type Programs = {
  /** The reason why a program is missing, after `beforeAll`. */
  obstacle(): string | undefined
  /** A directory for the test's own files. */
  readonly folder: string
  run(name: ProgramName, args: readonly string[], environment?: NodeJS.ProcessEnv): Promise<Result>
  /** Renders a chart, which must succeed. Resolves with Helm's output. */
  template(chart: string, ...args: readonly string[]): Promise<string>
  /** Renders the manifests for installations without Helm, by the name of the file. */
  manifests(): Promise<ReadonlyMap<string, string>>
  /** Renders a chart, which must succeed. Resolves with the objects. */
  render(chart: string, ...args: readonly string[]): Promise<readonly KubeObject[]>
}

/** Builds the programs before the tests of the surrounding block. */
export function createPrograms(...names: readonly ProgramName[]): Programs {
  const folder = mkdtempSync(path.join(tmpdir(), 'dayfly-chart-'))
  const paths = new Map<ProgramName, string>()
  let obstacle: string | undefined
  const home = { HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder, HELM_DATA_HOME: folder }
  beforeAll(async () => {
    for (const name of names) {
      const built = await buildProgram(name, new AbortController().signal)
      if (built.is === 'missing') obstacle = `${name} cannot be built: ${built.why}`
      else paths.set(name, built.program)
    }
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const run: Programs['run'] = async (name, args, environment) =>
    await execute(paths.get(name) ?? name, args, {
      env: { ...process.env, ...home, ...environment },
      maxBuffer: 64 * 1024 * 1024,
    }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
    )
  const template: Programs['template'] = async (chart, ...args) => {
    const { code, stdout, stderr } = await run('helm', ['template', 'dayfly', chart, '--namespace=dayfly', ...args])
    if (code !== 0) throw new Error(stderr)
    return stdout
  }
  const render: Programs['render'] = async (chart, ...args) =>
    parseAllDocuments(await template(chart, ...args))
      .map((document) => document.toJS() as KubeObject | null)
      .filter((object) => object !== null)
  const manifests = () => renderManifests(paths.get('helm') ?? 'helm')
  return { obstacle: () => obstacle, folder, run, template, render, manifests }
}
