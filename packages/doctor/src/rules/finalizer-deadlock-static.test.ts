// Flux's dependsOn orders exactly two Kustomizations. These cases need several files, because a Kustomization applies a folder.
import { expect, test } from 'vitest'
import { decodeFiles, examine } from '../engine/examine.ts'
import { rule } from './finalizer-deadlock-static.ts'

const release = (name: string, chart: string) => ({
  apiVersion: 'helm.toolkit.fluxcd.io/v2',
  kind: 'HelmRelease',
  metadata: { name, namespace: 'flux-system' },
  spec: { chart: { spec: { chart, version: '0.14.2' } } },
})
const kustomization = (name: string, path: string, ...dependsOn: string[]) => ({
  apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
  kind: 'Kustomization',
  metadata: { name, namespace: 'flux-system' },
  spec: { path, dependsOn: dependsOn.map((each) => ({ name: each })) },
})
const found = (...kustomizations: readonly object[]) => {
  const files = {
    'repo/infra/arc/release.yaml': release('arc', 'gha-runner-scale-set-controller'),
    'repo/apps/builds/release.yaml': release('builds', 'gha-runner-scale-set'),
    ...Object.fromEntries(kustomizations.map((each, index) => [`repo/clusters/prod/${index}.yaml`, each])),
  }
  const decoded = decodeFiles(Object.entries(files).map(([path, each]) => ({ path, text: JSON.stringify(each) })))
  return examine(decoded, [rule]).findings.map(({ object }) => object.name)
}

test('is silent if the Kustomization of the set waits for that of the controller, also through another one', () => {
  expect(found(kustomization('infra', './infra'), kustomization('apps', './apps', 'infra'))).toEqual([])
  expect(
    found(
      kustomization('arc', './infra/arc/'),
      kustomization('storage', './storage', 'arc'),
      kustomization('apps', './apps', 'storage'),
    ),
  ).toEqual([])
})

test('reads the namespace of a Kustomization from the kustomizations around it', () => {
  const inFolder = (namespace: string | undefined, needed: string) => {
    const app = 'repo/kubernetes/apps/actions-runner-system'
    const ks = (name: string, dependsOn: readonly object[]) => ({
      apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
      kind: 'Kustomization',
      metadata: { name },
      spec: { path: `./kubernetes/apps/actions-runner-system/arc/${name}`, dependsOn },
    })
    const unnamed = (name: string, chart: string) => ({ ...release(name, chart), metadata: { name } })
    const files = {
      'repo/kubernetes/apps/kustomization.yaml': { resources: ['./actions-runner-system'] },
      [`${app}/kustomization.yaml`]: { namespace, resources: ['./arc/ks.yaml', './arc/runners-ks.yaml'] },
      [`${app}/arc/ks.yaml`]: ks('controller', []),
      [`${app}/arc/runners-ks.yaml`]: ks('runners', [{ name: 'controller', namespace: needed }]),
      [`${app}/arc/controller/release.yaml`]: unnamed('arc', 'gha-runner-scale-set-controller'),
      [`${app}/arc/runners/release.yaml`]: unnamed('builds', 'gha-runner-scale-set'),
    }
    const decoded = decodeFiles(Object.entries(files).map(([path, each]) => ({ path, text: JSON.stringify(each) })))
    return examine(decoded, [rule]).findings.map(({ object }) => object.name)
  }
  expect(inFolder('actions-runner-system', 'actions-runner-system')).toEqual([])
  expect(inFolder('actions-runner-system', 'flux-system')).toEqual(['builds'])
  expect(inFolder(undefined, 'actions-runner-system'), 'the input does not show the namespace').toEqual([])
})

test('reports the set if a dependsOn orders only other Kustomizations', () => {
  const others = [kustomization('storage', './storage'), kustomization('web', './web', 'storage')]
  expect(found(kustomization('infra', './infra'), kustomization('apps', './apps'), ...others)).toEqual(['builds'])
  expect(found(kustomization('infra', './infra', 'apps'), kustomization('apps', './apps'))).toEqual(['builds'])
})

test('reports the set if one Kustomization applies both, although it waits for others', () => {
  const all = { ...kustomization('all', './repo', 'crds') }
  expect(found(all, kustomization('crds', './crds'))).toEqual(['builds'])
  expect(found({ ...all, spec: { ...all.spec, dependsOn: [{ name: 'all' }] } })).toEqual(['builds'])
})

test('is silent if the input does not show which Kustomization applies them', () => {
  expect(found(kustomization('a', './overlays/a'), kustomization('b', './overlays/b', 'a'))).toEqual([])
})

test('is less sure of Applications that leave their objects in the cluster when they are deleted', () => {
  const application = (name: string, chart: string, finalizers: readonly string[]) => ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, finalizers },
    spec: { source: { chart, targetRevision: '0.14.2' } },
  })
  const sure = (first: readonly string[], second: readonly string[]) => {
    const texts = [
      application('arc', 'gha-runner-scale-set-controller', first),
      application('builds', 'gha-runner-scale-set', second),
    ].map((each, index) => ({ path: `apps/${index}.json`, text: JSON.stringify(each) }))
    return examine(decodeFiles(texts), [rule]).findings.map(({ confidence }) => confidence)
  }
  const cascade = ['resources-finalizer.argocd.argoproj.io']
  expect(sure(cascade, cascade)).toEqual(['high'])
  expect(sure(cascade, ['resources-finalizer.argocd.argoproj.io/background'])).toEqual(['high'])
  expect([sure([], cascade), sure(cascade, []), sure([], ['example.com/other'])]).toEqual([['low'], ['low'], ['low']])
})
