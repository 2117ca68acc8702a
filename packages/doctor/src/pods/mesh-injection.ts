// Finds pods into which a service mesh injects its proxy, by the mesh's own labels and annotations of the pod.
import type { Path } from '@dayfly/kit/read-json'
import type { PodView } from '../pod-view.ts'
import { isTriggeredToEnd } from './endings.ts'
import { podMetadataPath } from './pod-parts.ts'

type Mesh = {
  readonly name: string
  /** The label or annotation that asks for the proxy, and its values. */
  readonly asks: string
  readonly values: readonly string[]
  /** The container that a person may write to configure the injected one. */
  readonly container: string
  /** The annotations that make the proxy a native sidecar. The first is the one to propose. */
  readonly native: readonly [string, ...string[]]
}

const meshes: readonly Mesh[] = [
  {
    name: 'Istio',
    asks: 'sidecar.istio.io/inject',
    values: ['true'],
    container: 'istio-proxy',
    native: ['sidecar.istio.io/nativeSidecar'],
  },
  {
    name: 'Linkerd',
    asks: 'linkerd.io/inject',
    values: ['enabled', 'ingress'],
    container: 'linkerd-proxy',
    native: [
      'config.beta.linkerd.io/proxy-enable-native-sidecar',
      'config.alpha.linkerd.io/proxy-enable-native-sidecar',
    ],
  },
]

export type InjectedProxy = {
  readonly mesh: string
  readonly path: Path
  /** The annotation that makes the proxy a native sidecar. */
  readonly native: string
}

/** Returns the proxies that nothing in the pod ends, and that no annotation makes native sidecars. */
export function injectedProxies(pod: PodView): readonly InjectedProxy[] {
  if (isTriggeredToEnd(undefined, pod)) return []
  return meshes.flatMap(({ name, asks, values, container, native }) => {
    const holder = (['labels', 'annotations'] as const).find((each) => values.includes(pod[each][asks] ?? ''))
    const isNative = native.some((annotation) => pod.annotations[annotation] === 'true')
    if (holder === undefined || isNative || pod.containers.some((each) => each.name === container)) return []
    return [{ mesh: name, path: [...podMetadataPath(pod), holder, asks], native: native[0] }]
  })
}
