import type { JsonObject, Path } from '@dayfly/kit/read-json'
import { describe, expect, it } from 'vitest'
import { viewPods } from './pod-views.ts'

const spec = { containers: [{ name: 'x' }] }
const view = (apiVersion: string, kind: string, rest: JsonObject, name = 'a') => {
  const object = { apiVersion, kind, namespace: 'ci', name, uid: 'u' }
  return viewPods([{ object, document: undefined, raw: { apiVersion, kind, ...rest } }])[0]
}

describe('a pod view', () => {
  const template = { metadata: { labels: { l: 1 }, annotations: { a: 'b' } }, spec }
  const cases: [apiVersion: string, kind: string, rest: JsonObject, owner: string, path: Path, ends: boolean][] = [
    ['v1', 'Pod', template, 'Pod', ['spec'], false],
    ['v1', 'Pod', { spec: { ...spec, restartPolicy: 'Never' } }, 'Pod', ['spec'], true],
    ['batch/v1', 'Job', { spec: { template } }, 'Job', ['spec', 'template', 'spec'], true],
    [
      'batch/v1',
      'CronJob',
      { spec: { jobTemplate: { spec: { template } } } },
      'CronJob',
      ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
      true,
    ],
    [
      'keda.sh/v1alpha1',
      'ScaledJob',
      { spec: { jobTargetRef: { template } } },
      'ScaledJob',
      ['spec', 'jobTargetRef', 'template', 'spec'],
      true,
    ],
    ['apps/v1', 'Deployment', { spec: { template } }, 'service', ['spec', 'template', 'spec'], false],
    [
      'actions.github.com/v1alpha1',
      'AutoscalingRunnerSet',
      { spec: { template } },
      'arc',
      ['spec', 'template', 'spec'],
      true,
    ],
    [
      'actions.github.com/v1alpha1',
      'EphemeralRunnerSet',
      { spec: { ephemeralRunnerSpec: template } },
      'arc',
      ['spec', 'ephemeralRunnerSpec', 'spec'],
      true,
    ],
    ['actions.github.com/v1alpha1', 'EphemeralRunner', { spec: template }, 'arc', ['spec', 'spec'], true],
    ['helm', 'Values', { template }, 'arc', ['template', 'spec'], true],
    ['dayfly.dev/v1alpha1', 'RunnerSet', { spec: { template } }, 'RunnerSet', ['spec', 'template', 'spec'], true],
  ]
  for (const [apiVersion, kind, rest, owner, path, ends] of cases) {
    it(`knows the path of the pods of a ${kind}, and whether they end`, () => {
      expect(view(apiVersion, kind, rest)).toMatchObject({ owner, path, runsToCompletion: ends, object: { uid: 'u' } })
      expect(view(apiVersion, kind, rest)?.containers[0]?.path).toEqual([...path, 'containers', 0])
    })
  }

  it("does not end by itself for Jenkins' agents, because Jenkins deletes it", () => {
    for (const agent of [{ name: 'jnlp' }, { name: 'a', image: 'jenkins/inbound-agent:latest' }]) {
      const containers = [agent, { name: 'dind', image: 'docker:dind' }]
      expect(view('v1', 'Pod', { spec: { restartPolicy: 'Never', containers } })?.runsToCompletion).toBe(false)
    }
  })

  it('does not end by itself for a Pod without a name, because a CI server deletes it', () => {
    const never = { spec: { restartPolicy: 'Never', containers: [{ name: 'x' }] } }
    expect(view('v1', 'Pod', { ...never, metadata: { labels: { l: 'x' } } }, '')?.runsToCompletion).toBe(false)
    // The template's own marker in place of a name: `name: {NAME}`.
    expect(view('v1', 'Pod', { ...never, metadata: { name: { NAME: null } } }, '')?.runsToCompletion).toBe(true)
    expect(view('batch/v1', 'Job', { spec: { template: never } }, '')?.runsToCompletion).toBe(true)
  })

  it("leaves out the container that ARC's chart replaces in its mode dind", () => {
    const containers = [{ name: 'runner' }, { name: 'dind', image: 'docker:dind' }, { name: 'cache', image: 'redis:7' }]
    const named = (type: string) =>
      view('helm', 'Values', { containerMode: { type }, template: { spec: { containers } } })?.containers.map(
        ({ name, path }) => [name, path.at(-1)],
      )
    expect(named('dind')).toEqual([
      ['runner', 0],
      ['cache', 2],
    ])
    expect(named('kubernetes')).toHaveLength(3)
  })

  it("recognizes a runner by KEDA's trigger", () => {
    const isRunner = (type: string) =>
      view('keda.sh/v1alpha1', 'ScaledJob', { spec: { triggers: [{ type }], jobTargetRef: { template } } })?.isRunner
    expect(['azure-pipelines', 'github-runner', 'rabbitmq'].map(isRunner)).toEqual([true, true, false])
  })

  it('finds each pod template of an unknown custom resource, if its pods are meant to end', () => {
    const template = { metadata: {}, spec: { restartPolicy: 'Never', containers: [{ name: 'x', image: 'x' }] } }
    const viewed = (apiVersion: string, spec: JsonObject) => {
      const object = { apiVersion, kind: 'Work', namespace: 'ci', name: 'a', uid: 'u' }
      return viewPods([{ object, document: undefined, raw: { apiVersion, kind: 'Work', spec } }]).map(
        ({ owner, path, runsToCompletion }) => [owner, path.join('.'), runsToCompletion],
      )
    }
    const tasks = { head: { podTemplate: template }, tasks: [{ template }, { template: { spec: { containers: [] } } }] }
    expect(viewed('example.com/v1', tasks)).toEqual([
      ['custom', 'spec.head.podTemplate.spec', true],
      ['custom', 'spec.tasks.0.template.spec', true],
    ])
    expect(viewed('jobset.x-k8s.io/v1', { template })).toHaveLength(1)
    for (const group of ['tekton.dev', 'apiextensions.k8s.io', 'batch'])
      expect(viewed(`${group}/v1`, tasks)).toEqual([])
  })

  it('ignores other API groups, and objects without a pod spec', () => {
    expect(view('example.com/v1', 'Job', { spec: { template } })).toBeUndefined()
    expect(view('batch/v1', 'Job', { spec: { template: 'x' } })).toBeUndefined()
    expect(view('v1', 'Pod', { spec: { containers: { name: 'x' }, volumes: [1, null, { name: 'v' }] } })).toMatchObject(
      {
        containers: [],
        volumes: [{ name: 'v', path: ['spec', 'volumes', 2] }],
      },
    )
  })

  it('separates sidecars from init containers, and reads the fields of a container', () => {
    const init = {
      name: 's',
      restartPolicy: 'Always',
      command: ['a'],
      args: ['b', 1],
      env: [
        { name: 'E', value: 'v' },
        { name: 'F', valueFrom: {} },
      ],
    }
    const plain = {
      name: 'i',
      image: 'z',
      securityContext: { privileged: true },
      volumeMounts: [{ mountPath: '/w', name: 'v' }],
    }
    const hooks = {
      name: 'x',
      startupProbe: {},
      lifecycle: { postStart: { exec: { command: ['p'] } }, preStop: { sleep: {} } },
    }
    const pod = view('v1', 'Pod', { spec: { initContainers: [plain, init], containers: [hooks], hostPID: true } })
    expect(pod).toMatchObject({ hostPID: true, shareProcessNamespace: false })
    expect(pod?.containers).toMatchObject([
      { name: 'i', role: 'init', image: 'z', privileged: true, mounts: { '/w': 'v' }, startupProbe: undefined },
      { name: 's', role: 'sidecar', words: ['a', 'b', '1'], env: { E: 'v', F: undefined }, restartPolicy: 'Always' },
      { name: 'x', role: 'container', startupProbe: {}, postStart: { exec: ['p'] }, preStop: { exec: undefined } },
    ])
  })

  const runners: [what: string, containers: readonly JsonObject[], runner: string | undefined][] = [
    ['GitHub image', [{ name: 'a', image: 'ghcr.io/actions/actions-runner:2.1' }], 'a'],
    [
      'Bitbucket image',
      [
        { name: 'b' },
        { name: 'a', image: 'docker-public.packages.atlassian.com/sox/atlassian/bitbucket-pipelines-runner:1' },
      ],
      'a',
    ],
    ['Gitea image', [{ name: 'a', image: 'gitea/act_runner:latest' }], 'a'],
    ['Gitea image of its new name', [{ name: 'a', image: 'gitea/runner:1.0.0' }], 'a'],
    ['Forgejo image', [{ name: 'a', image: 'code.forgejo.org/forgejo/runner:6' }], 'a'],
    ['Buildkite image', [{ name: 'a', image: 'buildkite/agent:3-ubuntu' }], 'a'],
    ['Woodpecker image', [{ name: 'a', image: 'woodpeckerci/woodpecker-agent:v3' }, { name: 'dind' }], 'a'],
    ['an image of its own name', [{ name: 'a', image: 'ghcr.io/corp/arm64-github-runners:1' }], 'a'],
    ['an image of the controller', [{ name: 'a', image: 'ghcr.io/corp/gha-runner-scale-set-controller:1' }], undefined],
    ['variables of Azure', [{ name: 'a', env: [{ name: 'AZP_URL' }, { name: 'AZP_POOL' }] }], 'a'],
    ['its image alone, which waits', [{ name: 'a', image: 'x/github-runner', command: ['sleep', '1000'] }], undefined],
    [
      'its image, which copies and runs',
      [{ name: 'a', image: 'x/github-runner', command: ['sh', '-c', 'cp a b; ./run.sh'] }],
      'a',
    ],
    [
      'its image alone, which serves a cache',
      [{ name: 'a', image: 'gitea/act_runner:1', args: ['cache-server'] }],
      undefined,
    ],
    [
      'its image alone, whose program serves a cache with the variables of a runner',
      [
        {
          name: 'a',
          image: 'code.forgejo.org/forgejo/runner:6',
          command: ['forgejo-runner', 'cache-server'],
          env: [{ name: 'GITEA_INSTANCE_URL' }],
        },
      ],
      undefined,
    ],
    ['its image, whose program serves jobs', [{ name: 'a', image: 'gitea/act_runner:1', args: ['daemon'] }], 'a'],
    [
      'its image, which registers and runs',
      [{ name: 'a', image: 'gitea/act_runner:1', command: ['sh', '-c', 'act_runner register && act_runner daemon'] }],
      'a',
    ],
    [
      'its image alone, which is tested',
      [{ name: 'a', image: 'x/github-runner', command: ['wget', '-q', 'x:80'] }],
      undefined,
    ],
    ['variables', [{ name: 'a', env: [{ name: 'RUNNER_UUID' }, { name: 'ACCOUNT_UUID' }] }], 'a'],
    ['a name beside a daemon', [{ name: 'runner' }, { name: 'd', image: 'docker:27-dind' }], 'runner'],
    ['a name alone', [{ name: 'runner', image: 'migrate' }], undefined],
    ['one common variable', [{ name: 'a', env: [{ name: 'ACCOUNT_UUID' }] }], undefined],
  ]
  for (const [what, containers, runner] of runners) {
    it(`${runner ? 'is' : 'is not'} a runner's by ${what}`, () => {
      const pod = view('batch/v1', 'Job', { spec: { template: { spec: { containers } } } })
      expect([pod?.isRunner, pod?.runner]).toEqual([runner !== undefined, runner])
    })
  }

  it("is not a runner's if a Helm hook makes it only for a test of the chart", () => {
    const isRunner = (hook: string) => {
      const metadata = { name: 'a', annotations: { 'helm.sh/hook': hook } }
      const containers = [{ name: 'a', image: 'gitea/act_runner:1' }]
      return view('v1', 'Pod', { metadata, spec: { restartPolicy: 'Never', containers } })?.isRunner
    }
    expect(['test', 'test-success', 'post-install, test', 'post-install'].map(isRunner)).toEqual([
      false,
      false,
      false,
      true,
    ])
  })

  it("separates ARC's listener from the runners of its set", () => {
    const labels = { 'actions.github.com/scale-set-name': 'linux', 'app.kubernetes.io/part-of': 'gha-runner-scale-set' }
    const isRunner = (component: string, command: string) =>
      view('v1', 'Pod', {
        metadata: { name: 'a', labels: { ...labels, 'app.kubernetes.io/component': component } },
        spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'x', command: [command] }] },
      })?.isRunner
    expect(isRunner('runner-scale-set-listener', '/listen')).toBe(false)
    expect(isRunner('custom', '/ghalistener')).toBe(false)
    expect(isRunner('runner', '/home/runner/run.sh')).toBe(true)
  })
})
