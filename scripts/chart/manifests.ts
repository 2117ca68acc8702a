// Renders the plain manifests for installations without Helm from the chart.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const source = path.resolve(import.meta.dirname, '../../deploy/chart')
const namespace = 'dayfly'

type Manifest = { readonly name: string; readonly comment: string; readonly args: readonly string[] }

const manifests: readonly Manifest[] = [
  {
    name: 'crd.yaml',
    comment: 'The CustomResourceDefinition of RunnerSet. Apply it first: kubectl apply --server-side -f FILE',
    args: ['--set=crds.install=true', '--show-only=templates/crd.yaml'],
  },
  {
    name: 'namespaced.yaml',
    comment: `A controller for the RunnerSets in the namespace ${namespace}, which it creates. Apply crd.yaml first.`,
    args: ['--set=crds.install=false'],
  },
  {
    name: 'cluster.yaml',
    comment: `A controller in the namespace ${namespace}, which it creates, for the RunnerSets of all namespaces. Apply crd.yaml first.`,
    args: ['--set=crds.install=false', '--set=scope=cluster'],
  },
]

/** Returns the text of each manifest, by the name of its file. @param helm the path of the program @param chart the folder of the chart */
export async function renderManifests(helm: string, chart = source): Promise<ReadonlyMap<string, string>> {
  const home = await mkdtemp(path.join(tmpdir(), 'dayfly-helm-'))
  try {
    const texts = await Promise.all(
      manifests.map(async ({ name, comment, args }) => {
        const rendered = await render(helm, home, [chart, ...args])
        const first = args.includes('--set=crds.install=false') ? namespaceObject : ''
        return [name, `# ${comment}\n${first}${rendered}`] as const
      }),
    )
    return new Map(texts)
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

/** The namespace refuses pods that are not restricted, because the controller needs no more. */
const namespaceObject = `---
apiVersion: v1
kind: Namespace
metadata:
  name: ${namespace}
  labels:
    pod-security.kubernetes.io/enforce: restricted
`

/** Renders without the reader's own Helm settings, and without the labels that only Helm reads. */
async function render(helm: string, home: string, args: readonly string[]): Promise<string> {
  const env = { PATH: process.env['PATH'], HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home }
  const { stdout } = await run(helm, ['template', 'dayfly', ...args, `--namespace=${namespace}`], { env })
  return stdout
    .split('\n')
    .filter((line) => !/^\s*(?:helm\.sh\/|app\.kubernetes\.io\/managed-by:|# Source:)/.test(line))
    .join('\n')
    .replace(/^( *)annotations:\n(?!\1 )/gm, '')
    .replace(/\n+(?=---\n|$)/g, '\n')
}
