// Each tool that delivers ARC's chart: which values a set gets, its name and namespace, and what is said about values elsewhere.
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { importFiles } from '../import.fixture.ts'
import { readHelmSecret } from './helm-secret.ts'

type Files = Readonly<Record<string, string>>

/** Returns each set as `namespace/name url max`. */
function setsIn(files: Files, over: Parameters<typeof importFiles>[1] = {}): readonly string[] {
  return importFiles(files, over).sets.map(({ document: { metadata, spec } }) => {
    const { github, scale } = spec as { github: { url: string }; scale: { max: number } }
    return `${metadata.namespace ?? ''}/${metadata.name} ${github.url.replace('https://github.com/', '')} ${scale.max}`
  })
}

const release = (values: string, more = '') => `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: linux}
spec:
  chart: {spec: {chart: gha-runner-scale-set, version: 0.14.2}}
${more}
  values: ${values}
`
const application = (helm: string, more = 'chart: gha-runner-scale-set') => `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: arc-linux, namespace: argocd}
spec:
  destination: {namespace: ci}
  source: {repoURL: ghcr.io/actions, targetRevision: 0.14.2, ${more}, helm: {${helm}}}
`
const values = '{githubConfigUrl: https://github.com/acme, githubConfigSecret: app, maxRunners: 3}'
/** A chart with ARC's as a dependency, and with values that no dependency gets. */
const umbrella = (folder: string): Files => ({
  [`${folder}Chart.yaml`]: 'name: own\ndependencies: [{name: gha-runner-scale-set, alias: arc}]\n',
  [`${folder}values.yaml`]: `arc: ${values}\npresets: {small: ${values}}\n`,
})

describe('a set', () => {
  it.each<[string, Files, readonly string[]]>([
    ['of a values file, named by its folder', { 'gpu/values.yaml': values }, ['/gpu acme 3']],
    [
      'below any key of an umbrella chart',
      {
        'values.yaml': `global: {}\nrunners:\n  small: ${values}\n  large: {githubConfigUrl: https://github.com/acme/x, runnerScaleSetName: large, maxRunners: 9}\n`,
      },
      ['/values acme 3', '/large acme/x 9'],
    ],
    [
      'of Flux, in the namespace of the kustomization around it',
      { 'apps/kustomization.yaml': 'namespace: runners\n', 'apps/arc/release.yaml': release(values) },
      ['runners/linux acme 3'],
    ],
    [
      'of Flux, in its target namespace',
      { 'a.yaml': release(values, '  targetNamespace: ci') },
      ['ci/ci-linux acme 3'],
    ],
    [
      'of Flux, over the values of a ConfigMap',
      {
        'a.yaml': release('{maxRunners: 8}', '  valuesFrom: [{kind: ConfigMap, name: base}]'),
        'b.yaml': `kind: ConfigMap\napiVersion: v1\nmetadata: {name: base}\ndata:\n  values.yaml: |\n    ${values}\n`,
      },
      ['/linux acme 8'],
    ],
    [
      'of Flux, over a file that a kustomization generates',
      {
        'x/a.yaml': release('{}', '  valuesFrom: [{kind: ConfigMap, name: base, valuesKey: own.yaml}]'),
        'x/kustomization.yaml': 'configMapGenerator: [{name: base, files: [own.yaml=./v.yaml]}]\n',
        'x/v.yaml': values,
      },
      ['/linux acme 3'],
    ],
    [
      'of Flux, in the target namespace of the nearest Kustomization of Flux',
      {
        'apps/ks.yaml': ['apps', './apps/arc/']
          .map(
            (folder, index) =>
              `apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: k${index}}\nspec: {path: ${folder}, targetNamespace: n${index}}\n`,
          )
          .join('---\n'),
        'apps/arc/app/release.yaml': release(values),
      },
      ['n1/linux acme 3'],
    ],
    [
      'of Flux, with one value of a ConfigMap at its path',
      {
        'a.yaml': release(
          values,
          '  valuesFrom: [{kind: ConfigMap, name: base, valuesKey: own, targetPath: runnerScaleSetName}]',
        ),
        'b.yaml': 'kind: ConfigMap\napiVersion: v1\nmetadata: {name: base}\ndata: {own: gpu}\n',
      },
      ['/gpu acme 3'],
    ],
    [
      'of Argo CD, over the values of the chart in its folder',
      {
        ...umbrella('charts/own/'),
        'a.yaml': application('values: "arc: {maxRunners: 9}"', 'path: charts/own'),
      },
      ['ci/arc-linux acme 9'],
    ],
    [
      'of Flux, over the values of a chart in its repository',
      {
        ...umbrella('charts/own/'),
        'a.yaml': release('{arc: {maxRunners: 7}}').replace('chart: gha-runner-scale-set', 'chart: ./charts/own'),
      },
      ['/linux acme 7'],
    ],
    ['of Argo CD, as an object', { 'a.yaml': application(`valuesObject: ${values}`) }, ['ci/arc-linux acme 3']],
    [
      'of Argo CD, as a string without a template, with parameters over it',
      {
        'a.yaml': application(
          `releaseName: linux, values: "githubConfigUrl: https://github.com/acme", parameters: [{name: maxRunners, value: "4"}]`,
        ),
      },
      ['ci/linux acme 4'],
    ],
    [
      'of Argo CD, in a file of the input',
      { 'a.yaml': application('valueFiles: [$values/envs/linux.yaml]'), 'repo/envs/linux.yaml': values },
      ['ci/arc-linux acme 3'],
    ],
    [
      'of each element of an ApplicationSet',
      {
        'a.yaml': `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: all}
spec:
  generators: [{list: {elements: [{name: small, max: 2}, {name: large, max: 20}]}}]
  template:
    metadata: {name: 'arc-{{name}}'}
    spec:
      destination: {namespace: ci}
      source:
        repoURL: oci://ghcr.io/actions/gha-runner-scale-set
        helm: {valuesObject: {githubConfigUrl: 'https://github.com/{{name}}', githubConfigSecret: app, maxRunners: '{{max}}'}}
`,
      },
      ['ci/arc-small small 2', 'ci/arc-large large 20'],
    ],
    [
      'of a helmfile: files and maps in their order, and set',
      {
        'ops/helmfile.yaml': `releases:
- {name: linux, namespace: ci, chart: oci://x/gha-runner-scale-set, values: [base.yaml, {maxRunners: 6}], set: [{name: githubConfigUrl, value: https://github.com/other}]}
`,
        'ops/base.yaml': values,
      },
      ['ci/linux other 6'],
    ],
    [
      'of kustomize',
      {
        'kustomization.yaml': `helmCharts: [{name: gha-runner-scale-set, releaseName: linux, namespace: ci, valuesInline: ${values}}]\n`,
      },
      ['ci/linux acme 3'],
    ],
    [
      'of Terraform: heredoc, settings, and a template beside it',
      {
        'm/main.tf': `resource "helm_release" "a" {
  name      = "linux"
  namespace = "ci"
  chart     = "gha-runner-scale-set"
  values = [<<EOT
githubConfigUrl: https://github.com/acme
githubConfigSecret: app
EOT
  ]
  set {
    name  = "maxRunners"
    value = 7
  }
}
resource "helm_release" "b" {
  name   = "gpu"
  chart  = "gha-runner-scale-set"
  values = [templatefile("\${path.module}/v.yaml", { group = var.group })]
}
`,
        'm/v.yaml': `githubConfigUrl: https://github.com/acme\nrunnerGroup: \${ group }\nmaxRunners: 1\n`,
      },
      ['ci/linux acme 7', '/gpu acme 1'],
    ],
    [
      'of Terraform, in a namespace of another file',
      {
        'm/a.tf': `resource "helm_release" "a" {
  name      = "linux"
  namespace = kubernetes_namespace_v1.ci.metadata[0].name
  chart     = "gha-runner-scale-set"
  values    = [yamlencode({ githubConfigUrl = "https://github.com/acme", maxRunners = 2 })]
}
`,
        'm/c.tf': `resource "kubernetes_manifest" "c" {
  manifest = {
    apiVersion = "actions.summerwind.dev/v1alpha1"
    kind       = "RunnerDeployment"
    metadata   = { name = "old", namespace = kubernetes_namespace_v1.ci.metadata[0].name }
    spec       = { replicas = 1, template = { spec = { organization = "acme" } } }
  }
}
`,
        'm/b.tf': 'resource "kubernetes_namespace_v1" "ci" {\n  metadata {\n    name = "runners"\n  }\n}\n',
      },
      ['runners/linux acme 2', 'runners/old acme 1'],
    ],
    [
      'of the older generation, with the limits of its autoscaler',
      {
        'a.yaml': `apiVersion: actions.summerwind.dev/v1alpha1
kind: RunnerDeployment
metadata: {name: old, namespace: ci}
spec: {template: {spec: {organization: acme, image: summerwind/actions-runner, labels: [gpu]}}}
---
apiVersion: actions.summerwind.dev/v1alpha1
kind: HorizontalRunnerAutoscaler
metadata: {name: x, namespace: ci}
spec: {scaleTargetRef: {name: old}, minReplicas: 1, maxReplicas: 4}
`,
      },
      ['ci/old acme 4'],
    ],
    [
      'of the older generation, with the autoscaler of the same file',
      Object.fromEntries(
        ['MAX', '7'].map((max) => [
          `${max}.yaml`,
          `apiVersion: actions.summerwind.dev/v1alpha1
kind: RunnerDeployment
metadata: {name: old}
spec: {template: {spec: {repository: acme/x}}}
---
apiVersion: actions.summerwind.dev/v1alpha1
kind: HorizontalRunnerAutoscaler
metadata: {name: x}
spec: {scaleTargetRef: {name: old}, maxReplicas: ${max}}
`,
        ]),
      ),
      ['/old acme/x 2147483647', '/old acme/x 7'],
    ],
  ])('%s', (_, files, expected) => expect(setsIn(files)).toEqual(expected))

  it('is made once, and not of a copy of the chart itself', () => {
    const chart = {
      'arc/Chart.yaml': 'name: gha-runner-scale-set\n',
      'arc/values.yaml': 'githubConfigUrl: ""\ngithubConfigSecret: {github_token: ""}\n',
      'arc/tests/values.yaml': values,
      'arc/templates/autoscalingrunnerset.yaml':
        'apiVersion: actions.github.com/v1alpha1\nkind: AutoscalingRunnerSet\nmetadata: {name: "{{ x }}"}\nspec: {githubConfigUrl: "{{ y }}"}\n',
    }
    expect(setsIn({ ...chart, 'a.yaml': release(values) })).toEqual(['/linux acme 3'])
  })
})

describe('the report names', () => {
  const block = (text: string) =>
    `resource "helm_release" "a" {\n  name = "linux"\n  chart = "gha-runner-scale-set"\n${text}\n}\n`
  const set = (name: string, value: string) => `set {\n    name = "${name}"\n    value = ${value}\n  }\n`
  const url = set('githubConfigUrl', '"https://github.com/acme"')
  it.each<[string, Files, object]>([
    [
      'a credential that Flux takes from a Secret',
      {
        'a.yaml': release(
          '{githubConfigUrl: https://github.com/acme}',
          '  valuesFrom: [{kind: Secret, name: s, valuesKey: k, targetPath: githubConfigSecret.github_token}]',
        ),
      },
      { path: 'spec.valuesFrom[0]', is: 'changed' },
    ],
    ['values that no dependency of a chart gets', umbrella('own/'), { path: 'presets.small', is: 'dropped' }],
    [
      'conditions in a text of values',
      { 'a.yaml': application(`values: "{{ if eq x y }}${values}{{ end }}"`) },
      { path: 'spec.source.helm.values', is: 'decide', sentence: expect.stringMatching(/^Conditions/) },
    ],
    [
      'a kind that ARC does not have',
      { 'a.yaml': 'apiVersion: actions.github.com/v1alpha1\nkind: RunnerScaleSet\nmetadata: {name: x}\n' },
      { path: 'kind', is: 'decide' },
    ],
    [
      'what a template writes below a key',
      {
        'values.yaml':
          'githubConfigUrl: x\ntemplate:\n  spec:\n    nodeSelector:\n      {{- toYaml .x | nindent 6 }}\n',
      },
      { path: 'template.spec.nodeSelector', is: 'decide' },
    ],
    [
      'a placeholder of Zarf',
      { 'values.yaml': 'githubConfigUrl: "###ZARF_VAR_URL###"\ngithubConfigSecret: x\n' },
      { path: 'githubConfigUrl', is: 'decide' },
    ],
    [
      'copies that Terraform makes',
      { 'a.tf': block(`for_each = var.sets\n  ${url}`) },
      { path: 'helm_release.a.for_each', is: 'decide' },
    ],
    [
      'a setting on a condition',
      {
        'a.tf': block(`${url}dynamic "set" {\n for_each = var.x\n content {\n name = "maxRunners"\n value = 4\n }\n}`),
      },
      { path: 'helm_release.a.set.maxRunners', is: 'decide' },
    ],
    [
      'a setting whose name is computed',
      {
        'a.tf': block(
          `${url}dynamic "set" {\n for_each = var.x\n content {\n name = set.key\n value = set.value\n }\n}`,
        ),
      },
      { path: 'helm_release.a.set', is: 'decide' },
    ],
    [
      'a values file whose name Terraform computes',
      {
        'm/a.tf': block(`values = [file("\${path.module}/pod-\${var.x ? "a" : "b"}.yaml")]\n  ${url}`),
        'm/pod-a.yaml': values,
      },
      { path: 'helm_release.a.values', sentence: expect.stringContaining('pod-${var.x ? "a" : "b"}.yaml') },
    ],
  ])('%s', (_, files, line) => {
    const { sets, lines } = importFiles(files)
    expect([...lines, ...sets.flatMap((one) => one.lines)]).toContainEqual(expect.objectContaining(line))
    expect(sets.length).toBeLessThan(2)
  })

  it('no annotation that an AutoscalingRunnerSet does not have', () => {
    const spec = '{githubConfigUrl: https://github.com/acme, githubConfigSecret: app, maxRunners: 1}'
    const [found] = importFiles({
      'a.yaml': `apiVersion: actions.github.com/v1alpha1\nkind: AutoscalingRunnerSet\nmetadata: {name: linux, namespace: ci}\nspec: ${spec}\n`,
    }).sets
    expect(found?.document.metadata.name).toBe('linux')
    expect(found?.lines.map(({ path }) => path)).toEqual(
      ['githubConfigUrl', 'githubConfigSecret', 'maxRunners'].map((key) => `spec.${key}`),
    )
  })

  it('no object in an expression of Terraform as values of the set', () => {
    const map =
      '{ githubConfigUrl = "https://github.com/acme", template = { spec = { tolerations = var.x ? [{ key = "a" }] : [] } } }'
    const [found] = importFiles({ 'a.tf': block(`values = [yamlencode(${map})]`) }).sets
    expect(found?.lines.filter(({ path }) => path === 'helm_release.a.values.key')).toEqual([])
    expect(found?.lines).toContainEqual(
      expect.objectContaining({ path: 'helm_release.a.values.template.spec.tolerations', is: 'decide' }),
    )
  })

  it('no list of Terraform as its first character, and no filler', () => {
    const list =
      'set_list {\n    name = "template.spec.initContainers[0].command"\n    value = ["sh",\n "a ${var.x}"]\n  }\n'
    const image = set('template.spec.containers[0].image', '"x:${var.tag}"')
    const [found] = importFiles({ 'a.tf': block(`${url}${list}${image}`) }).sets
    expect(found?.document.spec['template']).toMatchObject({
      spec: { initContainers: [{ command: ['sh', 'a ${var.x}'] }], containers: [{ image: 'x:${var.tag}' }] },
    })
  })
})

describe('values files of one release', () => {
  const file = (path: string, text: string) => ({ path, text })
  it('are merged as helm does: maps by field, lists as a whole, and null removes', () => {
    const valuesFiles = [
      file(
        'a.yaml',
        'arc:\n  githubConfigUrl: https://github.com/acme\n  maxRunners: 3\n  runnerGroup: x\n  scaleSetLabels: [a, b]\n',
      ),
      file('b.yaml', 'arc: {maxRunners: 9, runnerGroup: null, scaleSetLabels: [c], runnerScaleSetName: linux}\n'),
    ]
    const [set] = importFiles({}, { valuesFiles }).sets
    expect(set?.document.spec).toMatchObject({ github: { labels: ['c'] }, scale: { max: 9 } })
    expect(set?.document.spec['github']).not.toHaveProperty('runnerGroup')
    expect(set?.lines).toContainEqual({
      file: 'b.yaml',
      path: 'arc.maxRunners',
      is: 'kept',
      sentence: 'spec.scale.max',
    })
    expect(set?.lines).toContainEqual({
      file: 'a.yaml',
      path: 'arc.githubConfigUrl',
      is: 'kept',
      sentence: 'spec.github.url',
    })
  })

  it('have the name and the namespace that the operator gives', () => {
    const over = { valuesFiles: [file('a.yaml', values)], name: 'linux', namespace: 'ci' }
    expect(setsIn({}, over)).toEqual(['ci/linux acme 3'])
  })
})

describe('values that are not in the input', () => {
  it.each([
    ['a Secret of Flux', { 'a.yaml': release('{}', '  valuesFrom: [{kind: Secret, name: s}]') }, 'spec.valuesFrom[0]'],
    ['a file of Argo CD', { 'a.yaml': application('valueFiles: [x.yaml]') }, 'spec.source.helm.valueFiles[0]'],
    [
      'a local value of Terraform',
      { 'a.tf': 'resource "helm_release" "a" {\n  chart = "gha-runner-scale-set"\n  values = [local.x]\n}\n' },
      'helm_release.a.values',
    ],
  ])('%s: the report names the place, and no set is made', (_, files, path) => {
    const { sets, lines } = importFiles(files)
    expect(sets).toEqual([])
    expect(lines).toMatchObject([{ path, is: 'decide', sentence: expect.stringContaining('--values') }])
  })
})

describe('the Secret of a Helm release', () => {
  const encode = (release: unknown) =>
    Buffer.from(gzipSync(JSON.stringify(release)).toString('base64')).toString('base64')
  const stored = (chart: string, own: object, config: object) =>
    encode({ name: 'linux', namespace: 'ci', chart: { metadata: { name: chart }, values: own }, config })

  it("has the operator's values, and the defaults of a chart around ARC's", () => {
    const config = { githubConfigUrl: 'https://github.com/acme', maxRunners: 3 }
    const sets = [
      stored('gha-runner-scale-set', { maxRunners: 99 }, config),
      stored('umbrella', { arc: { ...config, maxRunners: 1 } }, { arc: { maxRunners: 2 } }),
    ].map((data) => {
      const read = readHelmSecret(data)
      if (typeof read === 'string') throw new Error(read)
      return read
    })
    expect(setsIn({}, { helmReleases: sets })).toEqual(['ci/linux acme 3', 'ci/linux acme 2'])
  })

  it("has its inline credential copied from the Secret of ARC's chart", () => {
    const read = readHelmSecret(stored('gha-runner-scale-set', {}, { githubConfigSecret: { github_token: 'x-y-z' } }))
    if (typeof read === 'string') throw new Error(read)
    const [set] = importFiles({}, { helmReleases: [read] }).sets
    expect(set?.secrets).toMatchObject([
      {
        name: 'linux-github',
        from: { command: expect.stringContaining('get secret linux-gha-rs-github-secret -n ci') },
      },
    ])
  })

  it.each([
    ['no base64', '%%%'],
    ['no gzip', Buffer.from(Buffer.from('secret-text').toString('base64')).toString('base64')],
    ['a bomb', encode('0'.repeat(20 * 1024 * 1024))],
    ['no JSON object', encode([1])],
  ])('is refused with a sentence if it holds %s', (_, data) => {
    const read = readHelmSecret(data)
    expect(read).toMatch(/^The (Secret|release) /)
    expect(read).not.toContain('secret-text')
  })
})
