import { describe, expect, it } from 'vitest'
import { decodeFiles } from '../../engine/examine.ts'
import type { DeclaredCluster } from './declared-cluster.ts'
import { findClusters } from './find-clusters.ts'

const job = 'apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {template: {spec: {}}}\n'
const flux = (path: string, more = '') =>
  `apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a}\nspec:\n  path: ${path}\n  sourceRef: {kind: GitRepository, name: flux-system}\n${more}`
const argo = (path: string, destination: string, more = '') =>
  `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec:\n  source: {repoURL: 'https://git.example/a', path: '${path}'${more}}\n  destination: {${destination}}\n`
const resources = (...names: string[]) => `resources: ${JSON.stringify(names)}\n`

type Texts = Readonly<Record<string, string>>

function clustersOf(texts: Texts, declared: readonly DeclaredCluster[] = []) {
  const files = decodeFiles(Object.entries(texts).map(([path, text]) => ({ path, text })))
  const { deliveryOf, versionOf } = findClusters(files, declared)
  const deliveries = new Map(
    files.flatMap(({ file, objects }) => objects.slice(0, 1).map((object) => [file.path, deliveryOf(object)] as const)),
  )
  return {
    /** The clusters of a file: their names, `?` and the folder if they are unknown, `one` if there is only one. */
    at: (path: string) => {
      const reach = deliveries.get(path)?.reach
      if (reach?.is === 'clusters') return reach.names.join()
      return reach?.is === 'unknown' ? `? ${reach.folder}` : 'one'
    },
    repeatedBy: (path: string) => deliveries.get(path)?.repeatedBy,
    delivery: (path: string) => deliveries.get(path),
    versionOf,
  }
}

const fluxRepository = {
  'clusters/prod/flux-system/gotk-sync.yaml': flux('./clusters/prod'),
  'clusters/prod/apps.yaml': flux('./apps/prod'),
  'clusters/dev/flux-system/gotk-sync.yaml': flux('./clusters/dev'),
  'clusters/dev/apps.yaml': flux('./apps/dev'),
  'apps/base/job.yaml': job,
  'apps/base/kustomization.yaml': resources('job.yaml'),
  'apps/prod/kustomization.yaml': resources('../base', 'job.yaml'),
  'apps/prod/job.yaml': job,
  'apps/prod/forgotten.yaml': job,
  'apps/dev/kustomization.yaml': resources('../base'),
  'other/job.yaml': job,
}

describe('the clusters of a repository of Flux', () => {
  it('are its folders, through the paths of Kustomizations and their resources', () => {
    const { at, repeatedBy } = clustersOf(fluxRepository)
    expect(at('clusters/prod/apps.yaml')).toBe('prod')
    expect(at('apps/prod/job.yaml')).toBe('prod')
    expect(at('apps/base/job.yaml')).toBe('dev,prod')
    expect(at('apps/prod/forgotten.yaml')).toBe('? apps/prod')
    expect(at('other/job.yaml')).toBe('? other')
    expect(['apps/base/job.yaml', 'other/job.yaml'].map(repeatedBy)).toEqual(['Flux', undefined])
  })

  it('are found from a folder above the repository, too', () => {
    const moved = Object.fromEntries(Object.entries(fluxRepository).map(([path, text]) => [`a/b/${path}`, text]))
    const { at } = clustersOf(moved)
    expect(at('a/b/apps/base/job.yaml')).toBe('dev,prod')
    expect(at('a/b/other/job.yaml')).toBe('? a/b/other')
  })

  it('do not exist with one folder: all files are together', () => {
    const { at, repeatedBy } = clustersOf({
      'clusters/prod/flux-system/gotk-sync.yaml': flux('./clusters/prod'),
      'clusters/prod/apps.yaml': flux('./apps'),
      'apps/deep/job.yaml': job,
      'other/job.yaml': job,
    })
    expect([at('apps/deep/job.yaml'), at('other/job.yaml')]).toEqual(['one', 'one'])
    expect(repeatedBy('apps/deep/job.yaml')).toBe('Flux')
  })

  it('include clusters that another one administers', () => {
    const { at } = clustersOf({
      'clusters/hub/flux-system/gotk-sync.yaml': flux('./clusters/hub'),
      'clusters/hub/remote.yaml': flux('./tenants/a', '  kubeConfig: {secretRef: {name: stage-kubeconfig}}\n'),
      'clusters/hub/local.yaml': flux('./tenants/b'),
      'tenants/a/job.yaml': job,
      'tenants/b/job.yaml': job,
    })
    expect([at('tenants/a/job.yaml'), at('tenants/b/job.yaml')]).toEqual(['stage', 'hub'])
  })

  it('keep two folders of one name apart', () => {
    const { at } = clustersOf({
      'clusters/eu/prod/flux-system/gotk-sync.yaml': flux('./clusters/eu/prod'),
      'clusters/us/prod/flux-system/gotk-sync.yaml': flux('./clusters/us/prod'),
      'clusters/us/prod/job.yaml': job,
    })
    expect(at('clusters/us/prod/job.yaml')).toBe('clusters/us/prod')
  })

  it('do not include a base beside them, nor a path that is computed or leads out', () => {
    const { at } = clustersOf({
      'clusters/shared-tools/kustomization.yaml': resources('job.yaml'),
      'clusters/shared-tools/job.yaml': job,
      'clusters/a/kustomization.yaml': resources(
        '../shared-tools',
        '../../../../etc',
        'https://git.example/x//y?ref=1',
      ),
      'clusters/a/job.yaml': job,
      'clusters/b/kustomization.yaml': resources('../shared-tools'),
      'clusters/b/more.yaml': flux(`./\${where}`),
    })
    expect(at('clusters/shared-tools/job.yaml')).toBe('a,b')
    expect(at('clusters/a/job.yaml')).toBe('a')
  })
})

describe('the clusters of Argo CD', () => {
  it('are the destinations of Applications, also for the Applications themselves', () => {
    const { at, repeatedBy } = clustersOf({
      'argo/one.yaml': argo('apps/one', 'name: one'),
      'argo/two.yaml': argo('apps/two', "server: 'https://10.0.0.1:6443'", ', directory: {recurse: true}'),
      'argo/own.yaml': argo('apps/own', 'server: https://kubernetes.default.svc'),
      'apps/one/job.yaml': job,
      'apps/one/deep/job.yaml': job,
      'apps/two/deep/job.yaml': job,
      'apps/own/job.yaml': job,
    })
    expect(at('argo/one.yaml')).toBe('one')
    expect(at('apps/one/job.yaml')).toBe('one')
    expect(at('apps/one/deep/job.yaml')).toBe('? apps/one/deep')
    expect(at('apps/two/deep/job.yaml')).toBe('https://10.0.0.1:6443')
    expect(at('apps/own/job.yaml')).toBe('in-cluster')
    expect(repeatedBy('apps/two/deep/job.yaml')).toBe('Argo CD')
    expect(repeatedBy('apps/one/deep/job.yaml')).toBeUndefined()
  })

  it('are those of list elements, and of folders that a generator finds', () => {
    const set = (generators: string, path: string, name: string) =>
      `apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: a}\nspec:\n  generators: ${generators}\n  template:\n    spec:\n      source: {repoURL: 'https://git.example/a', path: '${path}'}\n      destination: {name: '${name}'}\n`
    const texts = { 'envs-of/x/dev/job.yaml': job, 'envs-of/x/prod/job.yaml': job, 'envs-of/y/dev/job.yaml': job }
    const list = clustersOf({
      ...texts,
      'set.yaml': set('[{list: {elements: [{env: dev}, {env: prod}]}}]', 'envs-of/x/{{env}}', '{{ .env }}'),
    })
    expect(Object.keys(texts).map(list.at)).toEqual(['dev', 'prod', '? envs-of/y/dev'])
    const git = clustersOf({
      ...texts,
      'set.yaml': set(
        "[{git: {directories: [{path: 'envs-of/*/*'}, {path: envs-of/y/*, exclude: true}]}}]",
        '{{.path.path}}',
        '{{index .path.segments 2}}',
      ),
    })
    expect(Object.keys(texts).map(git.at)).toEqual(['dev', 'prod', '? envs-of/y/dev'])
    const computed = clustersOf({ ...texts, 'set.yaml': set('[{clusters: {}}]', 'envs-of/x/{{name}}', '{{name}}') })
    expect(Object.keys(texts).map(computed.repeatedBy)).toEqual(['Argo CD', 'Argo CD', undefined])
    expect(Object.keys(texts).map(computed.at)).toEqual(['one', 'one', 'one'])
  })
})

describe('other signs of several clusters', () => {
  it('are two overlays of one base, of which one alone distinguishes no clusters', () => {
    const texts = {
      'app/base/kustomization.yaml': resources('job.yaml'),
      'app/base/job.yaml': job,
      'app/overlays/prod/kustomization.yaml': resources('../../base', 'job.yaml'),
      'app/overlays/prod/job.yaml': job,
    }
    expect(clustersOf(texts).at('app/overlays/prod/job.yaml')).toBe('one')
    const { at, repeatedBy } = clustersOf({ ...texts, 'app/overlays/dev/kustomization.yaml': resources('../../base') })
    expect(at('app/overlays/prod/job.yaml')).toBe('prod')
    expect(at('app/base/job.yaml')).toBe('dev,prod')
    expect(repeatedBy('app/base/job.yaml')).toBeUndefined()
  })

  it('are two roots of Terraform with their modules, which say nothing about manifests', () => {
    const provider = 'provider "helm" {}\n'
    const manifest =
      'resource "kubernetes_manifest" "a" {\n  manifest = {\n    apiVersion = "batch/v1"\n    kind = "Job"\n    metadata = { name = "a" }\n    spec = { template = { spec = {} } }\n  }\n}\n'
    const { at } = clustersOf({
      'terraform/dev/main.tf': `${provider}${manifest}module "a" {\n  source = "../../modules/a"\n}\n`,
      'terraform/prod/main.tf': `${provider}${manifest}`,
      'modules/a/main.tf': manifest,
      'k8s/job.yaml': job,
    })
    expect(at('terraform/dev/main.tf')).toBe('dev')
    expect(at('modules/a/main.tf')).toBe('dev')
    expect(at('terraform/prod/main.tf')).toBe('prod')
    expect(at('k8s/job.yaml')).toBe('one')
  })

  it('are declared clusters, whose files keep their names and bring their bases along', () => {
    const declared = [
      { name: 'red', paths: ['clusters/prod/**', 'apps/prod/**'], kubernetesVersion: '1.34' },
      { name: 'blue', paths: ['clusters/dev/**', 'apps/dev/*'], kubernetesVersion: 'v1.28.3' },
    ]
    const { at, versionOf } = clustersOf(fluxRepository, declared)
    expect(at('clusters/prod/apps.yaml')).toBe('red')
    expect(at('apps/prod/forgotten.yaml')).toBe('red')
    expect(at('apps/base/job.yaml')).toBe('blue,red')
    expect(at('other/job.yaml')).toBe('? other')
    expect(versionOf('apps/base/job.yaml')).toEqual({
      minors: [28, 34],
      declared: true,
      from: 'declared for the clusters blue, red',
    })
    expect(versionOf('apps/prod/job.yaml')?.minors).toEqual([34])
    expect(versionOf('other/job.yaml')).toBeUndefined()
  })

  it('give no version to a file of a declared and of another cluster', () => {
    const { at, versionOf } = clustersOf(fluxRepository, [
      { name: 'prod', paths: ['clusters/prod/**'], kubernetesVersion: '1.34' },
    ])
    expect(at('apps/base/job.yaml')).toBe('dev,prod')
    expect(versionOf('apps/base/job.yaml')).toBeUndefined()
    expect(versionOf('apps/prod/job.yaml')?.minors).toEqual([34])
  })

  it('are samples, each for itself', () => {
    const { at, delivery } = clustersOf({
      'examples/one/pool.yaml': job,
      'examples/one/runner/job.yaml': job,
      'examples/two.yaml': job,
      'k8s/job.yaml': job,
      'k8s/sample-job.yaml': job,
    })
    expect(at('examples/one/pool.yaml')).toBe('? examples/one')
    expect(at('examples/one/runner/job.yaml')).toBe('? examples/one')
    expect(at('examples/two.yaml')).toBe('? examples')
    expect(at('k8s/job.yaml')).toBe('one')
    expect(delivery('k8s/sample-job.yaml')).toMatchObject({ isSample: true })
    expect(delivery('k8s/job.yaml')).not.toHaveProperty('isSample')
  })

  it('let the parts of an unknown chart be together', () => {
    const { at } = clustersOf({
      ...fluxRepository,
      'charts/a/Chart.yaml': 'name: a\n',
      'charts/a/templates/x/job.yaml': job,
      'charts/a/charts/b/Chart.yaml': 'name: b\n',
      'charts/a/charts/b/templates/job.yaml': job,
    })
    expect(at('charts/a/templates/x/job.yaml')).toBe('? charts/a')
    expect(at('charts/a/charts/b/templates/job.yaml')).toBe('? charts/a')
  })
})

describe('hostile input', () => {
  it('may have cycles', () => {
    const { at } = clustersOf({
      'clusters/a/kustomization.yaml': resources('../../x', '.', '..'),
      'clusters/a/ks.yaml': flux('./x'),
      'clusters/b/job.yaml': job,
      'x/kustomization.yaml': resources('../y', 'job.yaml'),
      'x/job.yaml': job,
      'y/kustomization.yaml': resources('../x'),
    })
    expect(at('x/job.yaml')).toBe('a')
  })

  it('has an unknown cluster where a base has more clusters than the bound', () => {
    const texts: Record<string, string> = { 'base/kustomization.yaml': resources('job.yaml'), 'base/job.yaml': job }
    for (let index = 0; index < 70; index++) texts[`clusters/c${index}/kustomization.yaml`] = resources('../../base')
    for (let index = 0; index < 70; index++) texts[`clusters/c${index}/job.yaml`] = job
    const { at } = clustersOf(texts)
    expect([at('base/job.yaml'), at('clusters/c7/job.yaml')]).toEqual(['? base', 'c7'])
  })

  it('costs no more than its size: 100 clusters on a chain of 500 bases, and globs that match everywhere', {
    timeout: 60_000,
  }, () => {
    const texts: Record<string, string> = {}
    for (let index = 0; index < 500; index++) {
      texts[`b/b${index}/kustomization.yaml`] = resources(`../b${index + 1}`, 'job.yaml')
      texts[`b/b${index}/job.yaml`] = job
    }
    for (let index = 0; index < 100; index++) {
      texts[`clusters/c${index}/kustomization.yaml`] = resources('../../b/b0')
      texts[`clusters/c${index}/job.yaml`] = job
      texts[`sets/s${index}.yaml`] =
        `apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: a}\nspec: {generators: [{git: {directories: [{path: '**/**/**/**'}]}}], template: {spec: {source: {path: '{{path}}'}}}}\n`
    }
    const files = decodeFiles(Object.entries(texts).map(([path, text]) => ({ path, text })))
    const before = process.cpuUsage()
    const { deliveryOf } = findClusters(files)
    for (const { objects } of files) for (const object of objects) deliveryOf(object)
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1_000_000).toBeLessThan(5)
  })
})

describe('folders beside each other', () => {
  const service = (name: string, namespace = 'ci') =>
    `apiVersion: v1\nkind: Service\nmetadata: {name: ${name}, namespace: ${namespace}}\nspec: {}\n`
  const repositories = { 'one/a.yaml': service('a'), 'two/k8s/a.yaml': service('a'), 'three/job.yaml': job }
  const names = ['one/a.yaml', 'two/k8s/a.yaml', 'three/job.yaml']

  it('are strangers if two of them define the same object', () => {
    expect(names.map(clustersOf(repositories).at)).toEqual(['? one', '? two', '? three'])
    const moved = Object.fromEntries(Object.entries(repositories).map(([path, text]) => [`../x/${path}`, text]))
    expect(clustersOf(moved).at('../x/three/job.yaml')).toBe('? ../x/three')
  })

  it.each<[string, Texts]>([
    ['no object is there twice', { 'two/k8s/a.yaml': service('b') }],
    ['the objects have two namespaces', { 'two/k8s/a.yaml': service('a', 'other') }],
    ['a sample has the other object', { 'two/k8s/a.yaml': service('b'), 'examples/a.yaml': service('a') }],
    ['the folder around them has manifests, too', { 'a.yaml': job }],
    [
      'a template makes the name',
      { 'two/k8s/a.yaml': service("'{{ .name }}'"), 'one/a.yaml': service("'{{ .name }}'") },
    ],
  ])('are for one cluster if %s', (_, texts) => {
    expect(names.map(clustersOf({ ...repositories, ...texts }).at)).toEqual(['one', 'one', 'one'])
  })

  it('are together as far as a kustomization or a delivery tool leads from one to the other', () => {
    const kustomized = { 'three/kustomization.yaml': resources('../one/a.yaml', 'job.yaml') }
    const { at } = clustersOf({ ...repositories, ...kustomized })
    expect(names.map(at)).toEqual(['? one', '? two', '? one'])
    const all = { ...kustomized, 'four/kustomization.yaml': resources('../two/k8s/a.yaml', '../three') }
    expect(names.map(clustersOf({ ...repositories, ...all }).at)).toEqual(['one', 'one', 'one'])
  })
})
