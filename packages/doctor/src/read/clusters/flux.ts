// Reads what Flux applies: Kustomizations, the synchronization of a FluxInstance, and releases for other clusters.
import { textAt } from '@dayfly/kit/read-json'
import type { SourceObject } from '../decode/document.ts'
import { isUnknown } from '../template/template-value.ts'
import type { Destination, Order, Target } from './target.ts'
import { fromTop, type Tree } from './tree.ts'

/** Returns none if the object is not of Flux. */
export function fluxOrders({ value, document, number }: SourceObject, tree: Tree): readonly Order[] {
  const file = document.file.path
  const [group = ''] = (textAt(value, 'apiVersion') ?? '').split('/')
  const order = (targets: readonly Target[]): readonly Order[] => {
    return [{ tool: 'Flux', file, object: number, destination: destinationOf(value), targets }]
  }
  if (group === 'helm.toolkit.fluxcd.io' && value['kind'] === 'HelmRelease') return order([])
  if (group === 'kustomize.toolkit.fluxcd.io' && value['kind'] === 'Kustomization') {
    const isOwn = textAt(value, 'spec', 'sourceRef', 'name') === 'flux-system'
    return order(treeAt(tree, file, textAt(value, 'spec', 'path'), isOwn))
  }
  if (group === 'fluxcd.controlplane.io' && value['kind'] === 'FluxInstance') {
    return order(treeAt(tree, file, textAt(value, 'spec', 'sync', 'path'), false))
  }
  return []
}

/** `isOwn`: the source is the repository that Flux itself comes from. Only then the top of the source is the top of the input. */
function treeAt(tree: Tree, file: string, written: string | undefined, isOwn: boolean): readonly Target[] {
  if (isOwn && /^(?:\.\/?)?$/.test(written ?? '')) return [{ is: 'tree', path: '' }]
  const path = written === undefined ? undefined : fromTop(tree, file, written)
  return path === undefined ? [] : [{ is: 'tree', path }]
}

/** A `kubeConfig` names the Secret with the access to another cluster. */
function destinationOf(value: unknown): Destination {
  const reference = ['secretRef', 'configMapRef'].map((key) => textAt(value, 'spec', 'kubeConfig', key, 'name'))
  const name = reference.find((each) => each !== undefined)
  if (name === undefined) return { is: 'same' }
  if (isUnknown(name) || name.includes('${')) return { is: 'unknown' }
  return { is: 'named', name: name.replace(/-kubeconfig$/, '') }
}
