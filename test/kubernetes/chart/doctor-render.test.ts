// Runs `dayfly doctor --helm` and `--kustomize` with the real programs.
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { jsonReport } from '@dayfly/doctor/report/shape'
import { beforeAll, describe, expect, it } from 'vitest'
import { buildProgram } from '../../../scripts/control-plane/build.ts'
import { runCli } from '../../cli.ts'
import { createPrograms } from './programs.ts'

const helper = `{{- define "x.pod" -}}
restartPolicy: Never
containers:
  - name: runner
    image: bitbucket-pipelines-runner:6
  - name: docker
    image: {{ .Values.dind }}
{{- with .Values.extra }}
{{ toYaml . | indent 2 }}
{{- end }}
{{- end }}
`
const template = `{{- range .Values.runners }}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: runner-{{ . }}
  annotations:
    checksum: {{ include "x.pod" $ | sha256sum }}
spec:
  backoffLimit: 0
  template:
    spec:
      {{- include "x.pod" $ | nindent 6 }}
{{- end }}
`
const job = `apiVersion: batch/v1
kind: Job
metadata: { name: runner }
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - image: bitbucket-pipelines-runner:6
          name: runner
        - image: docker:27-dind
          name: docker
`

const programs = createPrograms('helm')
const folder = programs.folder
let PATH = process.env['PATH'] ?? ''

function put(name: string, text: string): void {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
  writeFileSync(path.join(folder, name), text)
}

beforeAll(async () => {
  const helm = await buildProgram('helm', new AbortController().signal)
  if (helm.is === 'built') PATH = `${path.dirname(helm.program)}:${PATH}`
  put('chart/Chart.yaml', 'apiVersion: v2\nname: mychart\nversion: 0.1.0\n')
  put('chart/values.yaml', 'runners: [a, b]\ndind: docker:27-dind\nextra: []\n')
  put('chart/templates/_helpers.tpl', helper)
  put('chart/templates/job.yaml', template)
  put('more.yaml', 'runners: [a]\ndind: other\nextra: [{ name: proxy, image: docker:27-dind }]\n')
  put('k/base/job.yaml', job)
  put('k/base/kustomization.yaml', 'resources: [job.yaml]\n')
  put('k/over/kustomization.yaml', 'resources: [../base]\nnamespace: other\n')
})

function doctor(...args: readonly string[]) {
  return runCli(['doctor', '--format', 'json', '--select', 'POD101', ...args], { cwd: folder, environment: { PATH } })
}

async function places(...args: readonly string[]) {
  const { stdout, stderr } = await doctor(...args)
  if (stdout === '') throw new Error(stderr)
  const { findings } = jsonReport.parse(JSON.parse(stdout))
  return findings.map(({ file, line, container, fix }) => [container, file, line, fix])
}

describe('--helm', () => {
  it('names the line of the helper that wrote the container, for each of its uses', async (context) => {
    if (programs.obstacle() !== undefined) context.skip(programs.obstacle())
    const line = helper.split('\n').indexOf('  - name: docker') + 1
    const place = ['docker', 'chart/templates/_helpers.tpl', line, undefined]
    expect(await places('--helm', 'chart')).toEqual([place, place])
  })

  it('reads the values, and names the output for a container that they write', async (context) => {
    if (programs.obstacle() !== undefined) context.skip(programs.obstacle())
    expect(await places('--helm', 'chart', '-f', 'more.yaml')).toEqual([
      ['proxy', 'mychart/templates/job.yaml (rendered by helm)', expect.any(Number), undefined],
    ])
  })

  it('leaves the chart as it is, and no copy of it', async (context) => {
    if (programs.obstacle() !== undefined) context.skip(programs.obstacle())
    cpSync(path.join(folder, 'chart'), path.join(folder, 'own'), { recursive: true })
    await doctor('--helm', 'own')
    expect(readFileSync(path.join(folder, 'own/templates/job.yaml'), 'utf8')).toBe(template)
    expect(existsSync(path.join(folder, 'own/charts'))).toBe(false)
  })

  it("shows helm's own error", async (context) => {
    if (programs.obstacle() !== undefined) context.skip(programs.obstacle())
    const { code, stderr } = await doctor('--helm', 'chart', '-f', 'absent.yaml')
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^error render-failed: helm template .*\n {2}\| .*absent.yaml/),
    ])
  })

  it('says where to get helm if there is none', async () => {
    const { code, stderr } = await runCli(['doctor', '--helm', 'chart'], {
      cwd: folder,
      environment: { PATH: '/nowhere' },
    })
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^error renderer-missing: There is no helm in the PATH/)])
  })
})

describe('--kustomize', () => {
  it('names the line of the resource', async () => {
    const line = job.split('\n').indexOf('        - image: docker:27-dind') + 1
    expect(await places('--kustomize', 'k/over')).toEqual([['docker', 'k/base/job.yaml', line, undefined]])
  })

  it("shows the program's own error", async () => {
    const { code, stderr } = await doctor('--kustomize', 'k')
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^error render-failed: .*kustomiz.*\n {2}\| /)])
  })
})
