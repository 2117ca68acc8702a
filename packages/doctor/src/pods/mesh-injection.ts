// Finds pods into which a service mesh injects its proxy, by the mesh's own labels and annotations of the pod, or of its namespace.
import { type JsonObject, type Path, textAt } from '@dayfly/kit/read-json'
import type { ObjectFact } from '../facts.ts'
import type { PodView } from '../pod-view.ts'
import { isTriggeredToEnd } from './endings.ts'
import { podMetadataPath } from './pod-parts.ts'

type Mesh = {
  readonly name: string
  /** The label or annotation that asks for the proxy, and its values. */
  readonly asks: string
  readonly values: readonly string[]
  /** Whether a namespace asks for the proxy in all of its pods. */
  readonly asksForAll: (namespace: JsonObject) => boolean
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
    asksForAll: (namespace) => {
      const label = (name: string) => textAt(namespace, 'metadata', 'labels', name)
      return label('istio-injection') === 'enabled' || label('istio.io/rev') !== undefined
    },
    container: 'istio-proxy',
    native: ['sidecar.istio.io/nativeSidecar'],
  },
  {
    name: 'Linkerd',
    asks: 'linkerd.io/inject',
    values: ['enabled', 'ingress'],
    asksForAll: (namespace) =>
      /^(enabled|ingress)$/.test(textAt(namespace, 'metadata', 'annotations', 'linkerd.io/inject') ?? ''),
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

/**
 * Returns the proxies that nothing in the pod ends, and that no annotation makes native sidecars.
 * @param namespaces those of the same clusters
 */
export function injectedProxies(pod: PodView, namespaces: readonly ObjectFact[]): readonly InjectedProxy[] {
  if (isTriggeredToEnd(undefined, pod)) return []
  return meshes.flatMap((mesh) => {
    const { name, container, native } = mesh
    const path = askingPath(mesh, pod, namespaces)
    const isNative = native.some((annotation) => pod.annotations[annotation] === 'true')
    if (path === undefined || isNative || pod.containers.some((each) => each.name === container)) return []
    return [{ mesh: name, path, native: native[0] }]
  })
}

/** Returns the place that asks for the proxy. The pod's own word wins over its namespace. */
function askingPath({ asks, values, asksForAll }: Mesh, pod: PodView, namespaces: readonly ObjectFact[]) {
  const holder = (['labels', 'annotations'] as const).find((each) => pod[each][asks] !== undefined)
  if (holder !== undefined) {
    return values.includes(pod[holder][asks] ?? '') ? [...podMetadataPath(pod), holder, asks] : undefined
  }
  const own = namespaces.find(({ object }) => object.name === (pod.object.namespace ?? 'default'))
  return own && asksForAll(own.raw) ? pod.path : undefined
}
