// Tests the table of permissions in docs/guide/operate.md against a real API server: each command works with the rights of its row.
import { readFileSync } from 'node:fs'
import type { Resource } from '@dayfly/kubernetes/types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { type CliResult, runCli } from '../../cli.ts'
import { guideText } from '../../dayfly/guide-pages.ts'
import { namespaces, object } from '../client-place.ts'
import { leaveSecret } from './guide-mishaps.ts'
import { installed, ready, runnerSet } from './installation.ts'
import { nodeKubeconfig, whyNoNode } from './open-node.ts'

const file = nodeKubeconfig
if (file) describe('on a real node', () => suite(file))
else describe('on a real node', () => it('the permissions of the guide', (context) => context.skip(whyNoNode)))

type Rule = {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}

const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: false }
const roles: Resource = { ...rbac, plural: 'clusterroles', kind: 'ClusterRole' }
const bindings: Resource = { ...rbac, plural: 'clusterrolebindings', kind: 'ClusterRoleBinding' }
const accounts: Resource = { ...namespaces, plural: 'serviceaccounts', kind: 'ServiceAccount', namespaced: true }

const table = readTable()

function suite(kubeconfig: string): void {
  const stage = installed(kubeconfig, { name: 'operate', latencyMs: 50 })
  const kubeconfigs = new Map<string, string>()

  beforeAll(async () => {
    const { watched, forge, createSet } = stage()
    await createSet(runnerSet(watched, 'linux', forge, { scale: { min: 1, max: 3 } }))
    await ready(stage(), watched, 'linux')
    await stage().node.becomes(watched, /^Running /)
    for (const [command, rules] of [...table, ['nobody', []] as const]) {
      kubeconfigs.set(command, await accountWith(command, rules))
    }
  })

  afterAll(async () => {
    const { kubernetes } = stage().node
    for (const command of kubeconfigs.keys()) {
      for (const resource of [bindings, roles]) await kubernetes.delete(resource, { name: nameOf(command) })
    }
  })

  /** Creates an account with these rights, and returns the path of a kubeconfig that uses its token. */
  async function accountWith(command: string, rules: readonly Rule[]): Promise<string> {
    const { node, watched, operator } = stage()
    const name = nameOf(command)
    const subjects = [{ kind: 'ServiceAccount', name, namespace: watched }]
    const roleRef = { apiGroup: rbac.group, kind: 'ClusterRole', name }
    await node.kubernetes.create(accounts, object('v1', 'ServiceAccount', { name, namespace: watched }))
    await node.kubernetes.create(roles, object('rbac.authorization.k8s.io/v1', 'ClusterRole', { name }, { rules }))
    await node.kubernetes.create(
      bindings,
      object('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', { name }, { roleRef, subjects }),
    )
    const token = (await operator.kubectl('create', 'token', name, '-n', watched)).trim()
    const config = parse(readFileSync(kubeconfig, 'utf8')) as { readonly users: readonly { readonly name: string }[] }
    return operator.file(
      stringify({ ...config, users: config.users.map(({ name: user }) => ({ name: user, user: { token } })) }),
    )
  }

  function dayfly(account: string, ...args: readonly string[]): Promise<CliResult> {
    return runCli([...args, '--kubeconfig', kubeconfigs.get(account) ?? 'none'])
  }

  /** Runs a command of the table as its account. */
  function perform(command: string): Promise<CliResult> {
    const { watched } = stage()
    const set = ['linux', '-n', watched]
    if (command === 'status') return dayfly(command, 'status', '-n', watched)
    if (command === 'drain') return dayfly(command, 'drain', ...set, '--timeout', '60s')
    if (command === 'explain') return explainBoth(command)
    if (command === 'sweep') return dayfly(command, 'sweep')
    if (command === 'sweep --confirm') return sweepAll(command)
    return dayfly(command, ...command.split(' ').slice(0, 1), ...set, ...command.split(' ').slice(1))
  }

  /** Explains the set and its runner. Resolves with the first result that is not good. */
  async function explainBoth(command: string): Promise<CliResult> {
    const { node, watched } = stage()
    const [pod] = await node.podsIn(watched)
    const set = await dayfly(command, 'explain', 'linux', '-n', watched)
    if (set.code !== 0) return set
    return dayfly(command, 'explain', `runner/${pod?.metadata.name}`, '-n', watched)
  }

  async function sweepAll(command: string): Promise<CliResult> {
    await leaveSecret(stage(), stage().watched)
    const { stdout } = await dayfly(command, 'sweep')
    return dayfly(command, 'sweep', '--confirm', /--confirm (\w+)/.exec(stdout)?.[1] ?? 'none')
  }

  it.each([...table.keys()])('dayfly %s needs no right that its row does not name', async (command) => {
    const { code, stdout, stderr } = await perform(command)
    expect(`${stdout}${stderr}`).not.toMatch(/\bmay not\b|^error /m)
    expect(code).toBe(0)
  })

  it.each([
    ['status', 'list runnersets.dayfly.dev in namespace'],
    ['explain', 'list runnersets.dayfly.dev in namespace'],
    ['plan', 'list runnersets.dayfly.dev in namespace'],
    ['drain', 'get runnersets.dayfly.dev/linux in namespace'],
    ['sweep', 'in all namespaces'],
  ])('dayfly %s says which right an account without rights lacks, and the next step', async (command, access) => {
    const set = command === 'explain' || command === 'drain' ? ['linux'] : []
    const scope = command === 'sweep' ? [] : ['-n', stage().watched]
    const { code, stderr } = await dayfly('nobody', command, ...set, ...scope)
    expect(stderr).toMatch(
      /^error forbidden: You may not .*\n {2}next: Ask for a role with the verb .*kubectl auth can-i/,
    )
    expect(stderr).toContain(access)
    expect(code).toBe(1)
  })
}

function nameOf(command: string): string {
  return `operate-${command.replaceAll(/\W+/g, '-')}`
}

/** Reads the rows `command | verbs` of the page. "The same" means the rights of the row before. */
function readTable(): ReadonlyMap<string, readonly Rule[]> {
  const rows = new Map<string, readonly Rule[]>()
  let before: readonly Rule[] = []
  const chapter = guideText('operate').split('## Permissions')[1] ?? ''
  for (const [, commands = '', verbs = ''] of chapter.matchAll(/^\| (`.*?`) \| (.*) \|$/gm)) {
    const own = [
      ...verbs.matchAll(
        /((?:get|list|patch|delete)(?:, | and |\b))+ ?(?=`|the Secret)((?:`[\w.]+`(?:, | and )?)+|the Secret)/g,
      ),
    ]
    const rules = own.map(([text]) => ruleOf(text))
    before = verbs.startsWith('the same') ? [...before, ...rules] : rules
    for (const command of commands.split(', ')) rows.set(command.replaceAll('`', ''), before)
  }
  return rows
}

function ruleOf(text: string): Rule {
  const kinds = text.includes('the Secret')
    ? ['secrets']
    : [...text.matchAll(/`([\w.]+)`/g)].map(([, kind = '']) => kind)
  const groups = kinds.map((kind) => (kind === 'leases' ? 'coordination.k8s.io' : kind.split('.').slice(1).join('.')))
  return {
    apiGroups: [...new Set(groups)],
    resources: kinds.map((kind) => kind.split('.')[0] ?? kind),
    verbs: [...text.matchAll(/\b(?:get|list|patch|delete)\b/g)].map(([verb]) => verb),
  }
}
