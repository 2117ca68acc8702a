// Tests the Jobs that something else cleans up, as the files around them show it.
import { expect, test } from 'vitest'
import { decodeFiles, examine } from '../engine/examine.ts'
import { rule } from './ttl-missing.ts'

type Texts = Readonly<Record<string, string>>

const job = `apiVersion: batch/v1
kind: Job
metadata:
  name: build
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - {name: runner, image: 'registry.example/bitbucket-pipelines-runner:6'}
`

function findingsIn(texts: Texts) {
  const files = decodeFiles(Object.entries(texts).map(([path, text]) => ({ path, text })))
  return examine(files, [rule]).findings.map(({ place, severity, fix }) => [place?.file, severity, fix?.safety])
}
const warned = (path: string) => [[path, 'warning', 'safe']]

const flux = (path: string) =>
  `apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a}\nspec: {path: ${path}, prune: true}\n`
const argo = (path: string, source = '') =>
  `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec:\n  source: {path: ${path}${source}}\n  destination: {name: a}\n`

test.each<[string, Texts, string | undefined]>([
  ['a path of Flux', { 'flux/a.yaml': flux('./apps/one') }, undefined],
  ['another path of Flux', { 'flux/a.yaml': flux('./apps/two'), 'apps/two/a.yaml': 'a: 1' }, 'apps/one/job.yaml'],
  [
    'a base of a base of a path of Flux',
    {
      'flux/a.yaml': flux('apps/two'),
      'apps/two/kustomization.yaml': 'resources: [../three]',
      'apps/three/kustomization.yaml': 'components: [../one]',
      'apps/one/kustomization.yaml': 'resources: [./job.yaml]',
    },
    undefined,
  ],
  [
    'a folder that a kustomization of Flux leaves out',
    {
      'flux/a.yaml': flux('./apps'),
      'apps/kustomization.yaml': 'resources: [two]',
      'apps/two/kustomization.yaml': 'resources: [a.yaml]',
    },
    'apps/one/job.yaml',
  ],
  ['a kustomization alone', { 'apps/one/kustomization.yaml': 'resources: [job.yaml]' }, 'apps/one/job.yaml'],
  ['a path of Argo CD', { 'argo.yaml': argo('apps/one') }, undefined],
  ['a folder below a path of Argo CD', { 'argo.yaml': argo('apps') }, 'apps/one/job.yaml'],
  ['a path that Argo CD reads recursively', { 'argo.yaml': argo('apps', ', directory: {recurse: true}') }, undefined],
])('a Job in %s', (_, texts, file) => {
  expect(findingsIn({ 'apps/one/job.yaml': job, ...texts })).toEqual(file === undefined ? [] : warned(file))
})

test.each(['examples/run/job.yaml', 'docs/job.yaml', 'deploy/job-example.yaml', 'my-tutorial/tutorials/a/job.yaml'])(
  'a sample gets a remark without a fix: %s',
  (path) => {
    expect(findingsIn({ [path]: job })).toEqual([[path, 'info', undefined]])
    expect(findingsIn({ 'deploy/job.yaml': job })).toEqual(warned('deploy/job.yaml'))
  },
)

test('a placeholder gets a remark, and a value that a pipeline fills in does not', () => {
  const withImage = (image: string) => ({
    'a.yaml': job.replace('registry.example/bitbucket-pipelines-runner:6', image).replace('name: runner', 'name: c'),
  })
  for (const image of [
    'DOCKER_IMAGE_PLACEHOLDER',
    'registry.example/a:TAG_PLACEHOLDER',
    '<image>',
    'REPLACE_WITH_IMAGE',
    'placeholder:1',
  ])
    expect(findingsIn(withImage(image))).toEqual([['a.yaml', 'info', undefined]])
  for (const image of [
    '<+artifact.image>',
    'registry.example/a:<+pipeline.<+stage.name>.tag>',
    'registry.example/a:REPLACEMENT',
  ])
    expect(findingsIn(withImage(image))).toEqual([['a.yaml', 'warning', 'unsafe']])
})

test('a Job with the name of a sample gets a remark', () => {
  for (const name of ['pi', 'hello-world', 'demo', 'example-job']) {
    expect(findingsIn({ 'a.yaml': job.replace('build', name) })).toEqual([['a.yaml', 'info', undefined]])
  }
  expect(findingsIn({ 'a.yaml': job.replace('build', 'pipeline') })).toEqual(warned('a.yaml'))
})

const plain = (image: string, command: string, name = 'run') => ({
  'a.yaml': `apiVersion: batch/v1\nkind: Job\nmetadata: {name: ${name}}\nspec:\n  template:\n    spec:\n      restartPolicy: Never\n      containers:\n        - {name: c, image: '${image}', command: ${command}}\n`,
})
const remark = [['a.yaml', 'info', undefined]]
const asked = [['a.yaml', 'warning', 'unsafe']]

test.each<[string, Texts, readonly unknown[]]>([
  ["the work queue of Kubernetes' documentation", plain('registry.example/queue:1', '[work]', 'job-wq-2'), remark],
  ['a Job of an own queue', plain('registry.example/queue:1', '[work]', 'job-queue'), asked],
  ['one that counts down', plain('busybox:1.36', '[sh, -c, "for i in 3 2 1; do echo $i; sleep 1; done"]'), remark],
  ['one that computes', plain('perl:5.40', '[perl, -Mbignum=bpi, -wle, "print bpi(99)"]', 'digits'), remark],
  ['one that works in a plain image', plain('busybox:1.36', '[sh, -c, "echo start; wget http://web/clean"]'), asked],
  ['one that prints in an image of its own', plain('registry.example/migrate:1', '[echo, done]'), asked],
])('%s is a sample, or not', (_, texts, expected) => expect(findingsIn(texts)).toEqual(expected))

test('the name and the labels of the template show a sample, too', () => {
  const [text = ''] = Object.values(plain('registry.example/a:1', '[work]'))
  const templated = (metadata: string) => ({
    'a.yaml': text.replace('    spec:', `    metadata: {${metadata}}\n    spec:`),
  })
  expect(findingsIn(templated('name: jobexample'))).toEqual(remark)
  expect(findingsIn(templated('labels: {jobgroup: jobexample}'))).toEqual(remark)
  expect(findingsIn(templated('name: nightly, labels: {app: nightly, env: demo}'))).toEqual(asked)
})

test.each<[string, string, readonly unknown[]]>([
  ['rsync -a /old/ /new/', 'persistentVolumeClaim: {claimName: b}', remark],
  ['cd /old && tar cf - . | tar xf - -C /new', 'persistentVolumeClaim: {claimName: b}', remark],
  ['rsync -a /old/ backup:/data', 'persistentVolumeClaim: {claimName: b}', asked],
  ['rsync -a /old/ /new/', 'emptyDir: {}', asked],
])('a copy of one claim to another is made once: %s, %s', (script, source, expected) => {
  const [text = ''] = Object.values(plain('registry.example/tools:1', `[sh, -c, '${script}']`))
  const volumes = `      volumes:\n        - {name: a, persistentVolumeClaim: {claimName: a}}\n        - {name: b, ${source}}\n`
  const mounts = 'volumeMounts: [{name: a, mountPath: /old}, {name: b, mountPath: /new}]'
  expect(findingsIn({ 'a.yaml': `${text.replace('{name: c,', `{name: c, ${mounts},`)}${volumes}` })).toEqual(expected)
})

test('a workflow that owns its Job cleans it up', () => {
  const workflow = (owner: string) =>
    `apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: {name: a}\nspec:\n  templates:\n    - name: run\n      resource:\n        action: create\n${owner}        manifest: |\n${job.replace(/^(?=.)/gm, '          ')}`
  expect(findingsIn({ 'a.yaml': workflow('        setOwnerReference: true\n') })).toEqual([])
  expect(findingsIn({ 'a.yaml': workflow('        setOwnerReference: false\n') })).toEqual(warned('a.yaml'))
  expect(findingsIn({ 'a.yaml': workflow('') })).toEqual(warned('a.yaml'))
})

test.each<[string, boolean]>([
  ['  annotations:\n    {{- include "x.hook" . | nindent 4 }}\n', false],
  ['  labels:\n    {{- include "x.labels" . | nindent 4 }}\n  {{- include "x.hook" . | nindent 2 }}\n', false],
  ['  {{- template "x.metadata" . }}\n', false],
  ['  labels:\n    {{- include "x.labels" . | nindent 4 }}\n', true],
  ['  labels:\n    {{- include "x.labels" . | nindent 4 }}\n  annotations:\n    a: b\n', true],
  ['  {{- with .Values.annotations }}\n  annotations:\n    {{- toYaml . | nindent 4 }}\n  {{- end }}\n', true],
])('a helper that is included into the metadata may make a hook, one for labels may not: %j', (lines, isReported) => {
  const path = 'chart/templates/job.yaml'
  const text = job.replace('spec:\n', `${lines}spec:\n`).replace('bitbucket', '{{ .Values.of }}/bitbucket')
  expect(findingsIn({ [path]: text }).map(([file]) => file)).toEqual(isReported ? [path] : [])
})

test('Terraform would create a deleted Job again, but not the Job that its ConfigMap holds', () => {
  const resource = `resource "kubernetes_job" "a" {
  metadata { name = "build" }
  spec {
    template {
      metadata {}
      spec {
        container {
          name  = "build"
          image = "registry.example/build:1"
        }
        restart_policy = "Never"
      }
    }
  }
}
`
  const held = `resource "kubernetes_manifest" "a" {
  manifest = {
    apiVersion = "v1"
    kind       = "ConfigMap"
    metadata   = { name = "jobs" }
    data = {
      "job.yaml" = <<-EOT
${job.replace(/^(?=.)/gm, '        ')}      EOT
    }
  }
}
`
  expect(findingsIn({ 'infra/main.tf': resource })).toEqual([])
  expect(findingsIn({ 'infra/main.tf': held }).map(([file]) => file)).toEqual(['infra/main.tf'])
})

test('the Job of a runner of Bitbucket rarely ends, unless its own command ends: a remark', () => {
  const daemon = (more = '') => job.replace("runner:6'}", `runner:6', env: [{name: OAUTH_CLIENT_ID, value: a}]${more}}`)
  expect(findingsIn({ 'a.yaml': daemon() })).toEqual([['a.yaml', 'info', 'safe']])
  expect(findingsIn({ 'a.yaml': daemon(', command: [sh, -c, ./one-job.sh]') })).toEqual(warned('a.yaml'))
})

test("Bitbucket's autoscaler deletes the Jobs of its template: a remark", () => {
  const template = (labels: string) =>
    job.replace('    spec:\n', `    metadata:\n      labels: {${labels}}\n    spec:\n`)
  const labels = "account_uuid: '<%account_uuid%>', runner_uuid: '<%runner_uuid%>'"
  expect(findingsIn({ 'a.yaml': template(`${labels}, runner_namespace: '<%runner_namespace%>'`) })).toEqual([
    ['a.yaml', 'info', 'safe'],
  ])
  expect(findingsIn({ 'a.yaml': template(labels) })).toEqual(warned('a.yaml'))
})

test.each([
  'your-registry/build:1',
  'docker.io/yourusername/build:1',
  '<account>.dkr.ecr.us-east-1.amazonaws.com/build:1',
  'registry.example/CHANGE_ME/build',
])('a Job with a placeholder gets a remark: %s', (image) => {
  expect(findingsIn({ 'a.yaml': job.replace(/image: '.*?'/, () => `image: '${image}'`) })).toEqual([
    ['a.yaml', 'info', undefined],
  ])
})

test('a Job with a placeholder in its arguments gets a remark', () => {
  const build = (to: string) => job.replace("runner:6'}", `runner:6', args: ['--destination=docker.io/${to}/web']}`)
  expect(findingsIn({ 'a.yaml': build('your-username') })).toEqual([['a.yaml', 'info', undefined]])
  expect(findingsIn({ 'a.yaml': build('username') })).toEqual(warned('a.yaml'))
})

test.each(['yourls/build:1', 'registry.example/for-yourself:1', '<%registry%>/build:1'])(
  'a Job with a real image gets a warning: %s',
  (image) => {
    expect(findingsIn({ 'a.yaml': job.replace(/image: '.*?'/, `image: '${image}'`) })).toMatchObject([
      ['a.yaml', 'warning', 'unsafe'],
    ])
  },
)

test('the fix leaves a day to read the log of a run of hours, but not of a runner', () => {
  const proposed = (image: string, deadline: number) => {
    const text = job.replace(/registry.*:6/, image).replace(/^spec:$/m, `spec:\n  activeDeadlineSeconds: ${deadline}`)
    return examine(decodeFiles([{ path: 'a.yaml', text }]), [rule]).findings.map(({ fix }) => fix?.title)
  }
  expect(proposed('registry.example/import:1', 43_200)).toEqual(['Delete the Job 86400 seconds after it ends'])
  expect(proposed('registry.example/import:1', 900)).toEqual(['Delete the Job 600 seconds after it ends'])
  expect(proposed('registry.example/bitbucket-pipelines-runner:6', 43_200)).toEqual([
    'Delete the Job 600 seconds after it ends',
  ])
})
