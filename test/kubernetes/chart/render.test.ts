// Tests what the charts render, with helm and the checkers of charts, and without a cluster.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import {
  costLabelRights,
  dashboardRights,
  jobLogRights,
  jobPodRights,
  leaseRights,
  type Right,
  runnerRights,
  usageRights,
} from '@dayfly/controller/rights'
import { listAt, textAt, valueAt } from '@dayfly/kit/read-json'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { runnerSetCrd } from '@dayfly/runner-set/config/crd'
import { describe, expect, it as test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { runCli } from '../../cli.ts'
import { controllerChart, createPrograms, fullValues, setsChart, setsValues } from './programs.ts'

/** The rights in a namespace of runners by the chart's values. */
const defaultRights = [...runnerRights, ...usageRights]

const programs = createPrograms('helm', 'kube-score')
const { run, template, render, folder } = programs

/** Declares a test that is skipped if a program is missing. */
function it(name: string, body: () => Promise<void>): void {
  test(name, async (context) => {
    const obstacle = programs.obstacle()
    if (obstacle) context.skip(obstacle)
    await body()
  })
}

const variants: readonly (readonly [name: string, chart: string, args: readonly string[]])[] = [
  ['the controller with default values', controllerChart, []],
  ['the controller with every value', controllerChart, [`--values=${fullValues}`]],
  ['the controller of a whole cluster', controllerChart, ['--set=scope=cluster']],
  ['no RunnerSet', setsChart, []],
  ['RunnerSets', setsChart, [`--values=${setsValues}`]],
]

const ofKind = (objects: readonly KubeObject[], kind: string) => objects.filter((object) => object.kind === kind)
const nameOf = ({ metadata: { name, namespace } }: KubeObject) => (namespace ? `${namespace}/${name}` : name)

describe.each(variants)('the chart renders %s', (_, chart, args) => {
  it('without a complaint of helm lint', async () => {
    expect(await run('helm', ['lint', '--strict', chart, ...args])).toMatchObject({ code: 0 })
  })

  it('without hooks and finalizers, which can make an uninstall hang', async () => {
    const text = JSON.stringify(await render(chart, ...args))
    expect(text).not.toContain('helm.sh/hook')
    expect(text).not.toContain('finalizers')
  })

  it('without an unanswered finding of kube-score', async () => {
    const text = await template(chart, ...args)
    if (!text.includes('kind:')) return
    const file = path.join(folder, 'rendered.yaml')
    writeFileSync(file, text)
    const { stdout } = await run('kube-score', ['score', file, '--output-format=ci'])
    expect(stdout).toContain('[OK]')
    expect(stdout.split('\n').filter((line) => /^\[(?:CRITICAL|WARNING)\]/.test(line))).toEqual([])
  })

  it('without a finding of our doctor', async () => {
    const text = await template(chart, ...args)
    if (!text.includes('kind:')) return
    const file = path.join(folder, 'examined.yaml')
    writeFileSync(file, text)
    const { code, stdout } = await runCli(['doctor', '--format', 'json', file])
    expect({ code, findings: JSON.parse(stdout).findings }).toEqual({ code: 0, findings: [] })
  })
})

describe('the values of the controller are refused with their path', () => {
  const cases: readonly (readonly [argument: string, path: string])[] = [
    ['--set=replicas=many', '/replicas'],
    ['--set=scope=everything', '/scope'],
    ['--set=watchNamespaces={Not_A_Name}', '/watchNamespaces/0'],
    ['--set=image.repo=x', '/image'],
    ['--set=image.digest=sha256:1', '/image/digest'],
    ['--set=http.port=80', '/http/port'],
    ['--set=proxy.https=proxy.example:3128', '/proxy/https'],
    ['--set=telemetry.endpoint=collector:4318', '/telemetry/endpoint'],
    ['--set=telemetry.headersSecret=Not_A_Name', '/telemetry/headersSecret'],
    ['--set=extraCa.configMap=a,extraCa.secret=b', '/extraCa'],
    ['--set=networkPolicy.apiServerPorts={0}', '/networkPolicy/apiServerPorts/0'],
    ['--set=dashboard.enabled=true,dashboard.access=header:X-User', 'dashboard.from'],
    ['--set=unknown=1', 'unknown'],
  ]
  for (const [argument, at] of cases)
    it(argument, async () => {
      const { code, stderr } = await run('helm', ['template', controllerChart, argument])
      expect(code).toBe(1)
      expect(stderr).toContain(at)
    })
})

describe('the values of RunnerSets are refused with their path', () => {
  const cases: readonly (readonly [argument: string, path: string])[] = [
    ['--set=sets.linux.scale.max=many', '/sets/linux/scale/max'],
    ['--set=sets.linux.scales.max=1', '/sets/linux'],
    ['--set=sets.Linux.scale.max=1', '/sets'],
    ['--set=defaults.github.url=1', '/defaults/github/url'],
    ['--set=networkPolicy.blocked={everything}', '/networkPolicy/blocked/0'],
  ]
  for (const [argument, at] of cases)
    it(argument, async () => {
      const { code, stderr } = await run('helm', ['template', setsChart, argument])
      expect(code).toBe(1)
      expect(stderr).toContain(at)
    })
})

it('takes labels, an account, arguments, variables and volumes of the operator, and keeps its selectors', async () => {
  const own = await render(controllerChart, '--set=watchNamespaces={ci}')
  const objects = await render(controllerChart, `--values=${fullValues}`, '--set=watchNamespaces={ci}')
  const [before] = ofKind(own, 'Deployment')
  const [after] = ofKind(objects, 'Deployment')
  expect(valueAt(after, 'spec', 'selector')).toEqual(valueAt(before, 'spec', 'selector'))
  for (const { metadata } of objects)
    expect(metadata.labels).toMatchObject({ team: 'platform', 'app.kubernetes.io/name': 'dayfly' })
  expect(valueAt(after, 'spec', 'template', 'metadata', 'labels')).toMatchObject({
    team: 'ci',
    'app.kubernetes.io/name': 'dayfly',
  })
  expect(ofKind(objects, 'ServiceAccount').map(({ metadata }) => metadata.name)).toEqual(['shared'])
  const pod = valueAt(after, 'spec', 'template', 'spec')
  expect(textAt(pod, 'serviceAccountName')).toBe('shared')
  const [container] = listAt(pod, 'containers')
  expect(listAt(container, 'args')).toEqual(expect.arrayContaining(['--log-level=debug', '--context=x']))
  expect(listAt(container, 'env')).toContainEqual({ name: 'NODE_OPTIONS', value: '--max-old-space-size=200' })
  expect(listAt(container, 'volumeMounts')).toContainEqual({ name: 'more', mountPath: '/etc/more', readOnly: true })
  expect(listAt(pod, 'volumes')).toContainEqual({ name: 'more', configMap: { name: 'more' } })
  expect(ofKind(objects, 'Lease')).toEqual([])
})

describe('the rights of the controller', () => {
  const rules = (rights: readonly Right[], lease: string) =>
    rights.map(({ resource, subresource, verbs, named }) => ({
      apiGroups: [resource.group],
      resources: [subresource ? `${resource.plural}/${subresource}` : resource.plural],
      ...(named ? { resourceNames: [lease] } : {}),
      verbs,
    }))
  const rulesOf = (objects: readonly KubeObject[]) =>
    objects.flatMap((object) => (object['rules'] ? [[`${object.kind} ${nameOf(object)}`, object['rules']]] : []))

  it('are a Role in each watched namespace, and a Role for its Lease', async () => {
    const objects = await render(controllerChart, '--set=watchNamespaces={ci,builds}', '--set=rbac.aggregate=false')
    expect(Object.fromEntries(rulesOf(objects))).toEqual({
      'Role ci/dayfly-ci': rules(defaultRights, ''),
      'Role builds/dayfly-builds': rules(defaultRights, ''),
      'Role dayfly/dayfly-ci-lease': rules(leaseRights, 'dayfly-ci'),
      'Role dayfly/dayfly-builds-lease': rules(leaseRights, 'dayfly-builds'),
    })
  })

  it('are a ClusterRole for all namespaces, and a Role for the Lease', async () => {
    const objects = await render(controllerChart, '--set=scope=cluster', '--set=rbac.aggregate=false')
    expect(Object.fromEntries(rulesOf(objects))).toEqual({
      'ClusterRole dayfly': rules(defaultRights, ''),
      'Role dayfly/dayfly-lease': rules(leaseRights, 'dayfly'),
    })
  })

  it('let the roles view, edit and admin include RunnerSets, if the chart installs their definition', async () => {
    const aggregated = async (...args: readonly string[]) =>
      ofKind(await render(controllerChart, ...args), 'ClusterRole').map(({ metadata }) => metadata.name)
    expect(await aggregated()).toEqual(['dayfly-runnersets-edit', 'dayfly-runnersets-view'])
    expect(await aggregated('--set=crds.install=false')).toEqual([])
  })

  it('include the logs of runners only on demand', async () => {
    const objects = await render(controllerChart, '--set=scope=cluster', '--set=rbac.runnerLogs=true')
    expect(Object.fromEntries(rulesOf(objects))).toMatchObject({
      'ClusterRole dayfly': rules([...defaultRights, ...jobLogRights], ''),
    })
  })

  it('include the pods of jobs only on demand', async () => {
    const objects = await render(controllerChart, '--set=scope=cluster', '--set=rbac.jobPods=true')
    expect(Object.fromEntries(rulesOf(objects))).toMatchObject({
      'ClusterRole dayfly': rules([...defaultRights, ...jobPodRights], ''),
    })
  })

  it('include the labels of costs only on demand', async () => {
    const objects = await render(controllerChart, '--set=scope=cluster', '--set=costLabels=true')
    expect(Object.fromEntries(rulesOf(objects))).toMatchObject({
      'ClusterRole dayfly': rules([...defaultRights, ...costLabelRights], ''),
    })
    expect(JSON.stringify(ofKind(objects, 'Deployment'))).toContain('"--cost-labels"')
  })

  it('include the reviews of viewers only with the page, whose port only the named peers reach', async () => {
    const set = [
      'dashboard.enabled=true',
      'dashboard.from[0].podSelector.matchLabels.app=proxy',
      'watchNamespaces={ci}',
    ]
    const objects = await render(controllerChart, ...set.map((one) => `--set=${one}`))
    expect(Object.fromEntries(rulesOf(objects))).toMatchObject({
      'Role ci/dayfly-ci': rules([...defaultRights, ...jobLogRights], ''),
      'ClusterRole dayfly-dayfly-ci-page': rules(dashboardRights, ''),
    })
    expect(ofKind(objects, 'Service').map(nameOf)).toEqual(['dayfly/dayfly-ci-page'])
    const [policy] = ofKind(objects, 'NetworkPolicy')
    expect(listAt(policy, 'spec', 'ingress')).toContainEqual({
      ports: [{ protocol: 'TCP', port: 'dashboard' }],
      from: [{ podSelector: { matchLabels: { app: 'proxy' } } }],
    })
  })

  it('belong to an account of each controller, which reads one namespace', async () => {
    const objects = await render(controllerChart, '--set=watchNamespaces={ci,builds}')
    const bindings = ofKind(objects, 'RoleBinding').map((binding) => [
      nameOf(binding),
      listAt(binding, 'subjects').map((subject) => `${textAt(subject, 'namespace')}/${textAt(subject, 'name')}`),
    ])
    expect(Object.fromEntries(bindings)).toEqual({
      'ci/dayfly-ci': ['dayfly/dayfly-ci'],
      'builds/dayfly-builds': ['dayfly/dayfly-builds'],
      'dayfly/dayfly-ci-lease': ['dayfly/dayfly-ci'],
      'dayfly/dayfly-builds-lease': ['dayfly/dayfly-builds'],
    })
    const pods = ofKind(objects, 'Deployment').map((object) => object['spec'])
    expect(pods.map((pod) => textAt(pod, 'template', 'spec', 'serviceAccountName'))).toEqual([
      'dayfly-ci',
      'dayfly-builds',
    ])
    expect(JSON.stringify(pods[1])).toContain('"--namespace=builds"')
  })

  it('disappear with rbac.create=false', async () => {
    expect(rulesOf(await render(controllerChart, '--set=rbac.create=false'))).toEqual([])
  })
})

it('shortens long names so that pods can have them as host names', async () => {
  const objects = await render(controllerChart, `--values=${fullValues}`)
  const names = ofKind(objects, 'Deployment').map(({ metadata }) => metadata.name)
  expect(names).toEqual(['dayfly-ci', 'dayfly-a-very-long-namespace-name-that-near-8f766a54'])
  expect(names[1]?.length).toBeLessThanOrEqual(52)
})

it('names the collector and the Secret of its headers, and none of both by default', async () => {
  const [by, own] = [await render(controllerChart, `--values=${fullValues}`), await render(controllerChart)]
  const otel = (objects: readonly KubeObject[]) =>
    listAt(ofKind(objects, 'Deployment')[0], 'spec', 'template', 'spec', 'containers')
      .flatMap((container) => listAt(container, 'env'))
      .filter((variable) => textAt(variable, 'name')?.startsWith('OTEL_'))
  expect(otel(by)).toEqual([
    { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: 'http://collector.monitoring:4318' },
    { name: 'OTEL_EXPORTER_OTLP_HEADERS', valueFrom: { secretKeyRef: { name: 'collector', key: 'headers' } } },
  ])
  expect(otel(own)).toEqual([])
})

it('lets the controller reach the ports of its proxy, its collector and its API server, and no others', async () => {
  const [policy] = ofKind(await render(controllerChart, `--values=${fullValues}`), 'NetworkPolicy')
  const ports = listAt(policy, 'spec', 'egress').flatMap((rule) =>
    listAt(rule, 'ports').map((port) => (port as { port: number }).port),
  )
  expect(ports).toEqual([53, 53, 443, 6443, 7445, 3128, 80, 4318, 8443])
})

it('gives a set one forge: its own takes the place of the default one', async () => {
  const sets = ofKind(await render(setsChart, `--values=${setsValues}`), 'RunnerSet')
  const forges = sets.map(({ metadata, spec }) => [metadata.name, spec] as const)
  expect(Object.fromEntries(forges)).toMatchObject({
    'bitbucket-linux': { bitbucket: { url: 'https://bitbucket.org/acme', labels: ['docker'] } },
    large: { github: { url: 'https://github.com/acme', labels: ['large'] } },
  })
  expect(
    forges.map(([name, spec]) => [name, Object.keys(spec as object).filter((key) => /hub|bucket/.test(key))]),
  ).toEqual([
    ['bitbucket-linux', ['bitbucket']],
    ['large', ['github']],
    ['linux', ['github']],
  ])
})

it('gives no token to a runner, and blocks the addresses with credentials of the node', async () => {
  const objects = await render(setsChart, `--values=${setsValues}`)
  expect(JSON.stringify(objects)).not.toContain('serviceAccount')
  const [policy] = ofKind(objects, 'NetworkPolicy')
  expect(policy).toMatchObject({
    spec: {
      podSelector: {
        matchExpressions: [{ key: 'dayfly.dev/set', operator: 'In', values: ['bitbucket-linux', 'large', 'linux'] }],
      },
      ingress: [],
      egress: expect.arrayContaining([
        {
          to: [
            { ipBlock: { cidr: '0.0.0.0/0', except: expect.arrayContaining(['169.254.0.0/16']) } },
            { ipBlock: { cidr: '::/0', except: expect.arrayContaining(['fd00:ec2::254/128']) } },
          ],
        },
      ]),
    },
  })
})

it('gives each account of sets with jobs in pods its Role once, and those pods the policy of the runners', async () => {
  const own = [
    'sets.large.jobs=pods',
    'sets.large.jobPods.serviceAccount=own',
    'sets.linux.jobs=pods',
    'sets.small.jobs=pods',
  ]
  const args = own.map((value) => `--set=${value}`)
  const objects = await render(setsChart, `--values=${setsValues}`, ...args, '--set=sets.small.scale.max=1')
  const accounts = ofKind(objects, 'ServiceAccount').map(({ metadata }) => metadata.name)
  expect(accounts).toEqual(['dayfly-job-pods', 'own'])
  for (const kind of ['Role', 'RoleBinding']) {
    expect(ofKind(objects, kind).map(({ metadata }) => metadata.name)).toEqual(accounts)
  }
  expect(ofKind(objects, 'RoleBinding')[1]).toMatchObject({ roleRef: { name: 'own' }, subjects: [{ name: 'own' }] })
  const [runners, jobs] = ofKind(objects, 'NetworkPolicy').map(({ spec }) => spec as Record<string, unknown>)
  expect(jobs).toEqual({ ...runners, podSelector: { matchExpressions: [{ key: 'runner-pod', operator: 'Exists' }] } })
})

it('keeps the definition of RunnerSet when the release is removed', async () => {
  const [crd] = ofKind(await render(controllerChart), 'CustomResourceDefinition')
  expect(crd?.metadata).toMatchObject({ annotations: { 'helm.sh/resource-policy': 'keep' } })
  expect(ofKind(await render(controllerChart, '--set=crds.install=false'), 'CustomResourceDefinition')).toEqual([])
})

it('has manifests for kubectl: the definition alone, and the controller in a namespace that they create', async () => {
  const rendered = await programs.manifests()
  const [definition, ...controllers] = ['crd.yaml', 'namespaced.yaml', 'cluster.yaml'].map((name) =>
    parseAllDocuments(rendered.get(name) ?? '').map((document) => document.toJS() as KubeObject),
  )
  expect(definition).toMatchObject([runnerSetCrd()])
  for (const [controller = [], prefix] of [
    [controllers[0], ''],
    [controllers[1], 'Cluster'],
  ] as const) {
    expect(controller[0]).toMatchObject({ kind: 'Namespace', metadata: { name: 'dayfly' } })
    expect(ofKind(controller, 'CustomResourceDefinition')).toEqual([])
    expect(ofKind(controller, 'Deployment').map(nameOf)).toEqual(['dayfly/dayfly'])
    expect(ofKind(controller, `${prefix}Role`).map(nameOf)).toContainEqual(expect.stringMatching(/(?:^|\/)dayfly$/))
  }
  for (const text of rendered.values()) expect(text).not.toMatch(/helm/i)
})

it('packs into an archive that has every file of the charts and no other', async () => {
  for (const chart of [controllerChart, setsChart]) {
    expect(await run('helm', ['package', chart, `--destination=${folder}`])).toMatchObject({ code: 0 })
    const archive = path.join(folder, `${chart === controllerChart ? 'dayfly' : 'dayfly-runner-set'}-0.1.0.tgz`)
    const list = execFileSync('tar', ['-tzf', archive], { encoding: 'utf8' }).trim().split('\n')
    const tracked = execFileSync('git', ['ls-files', chart], { encoding: 'utf8' }).trim().split('\n')
    expect(list.map((file) => file.replace(/^[^/]+\//, '')).sort()).toEqual(
      tracked.map((file) => path.relative(chart, path.resolve(file))).sort(),
    )
  }
})
