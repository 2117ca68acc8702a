// The checks that the level `restricted` adds, in the order of the API server.
import { type JsonObject, listAt, textAt, textsAt } from '@dayfly/kit/read-json'
import {
  type Check,
  containersOf,
  context,
  eachContainer,
  goodSeccomp,
  hasOwnUsers,
  lacking,
  named,
  quoted,
  seccompPath,
  setters,
  sorted,
  type Violation,
} from './check.ts'

const freeVolumes: ReadonlySet<string> = new Set(
  'configMap csi downwardAPI emptyDir ephemeral image persistentVolumeClaim projected secret'.split(' '),
)

export const restricted: readonly Check[] = [
  {
    find: (spec) =>
      eachContainer(
        spec,
        (raw) => context(raw, 'allowPrivilegeEscalation') !== false,
        'allowPrivilegeEscalation != false',
        (containers) => `${containers} must set securityContext.allowPrivilegeEscalation=false`,
      ),
  },
  { find: unrestrictedCapabilities },
  {
    find: (spec) => {
      const typeOf = (volume: unknown) => Object.keys(volume as object).find((key) => key !== 'name') ?? 'emptyDir'
      const bad = listAt(spec, 'volumes').filter((volume) => !freeVolumes.has(typeOf(volume)))
      if (bad.length === 0) return undefined
      const types = sorted(bad.map(typeOf))
      const volumes = named(
        'volume',
        bad.map((volume) => textAt(volume, 'name') ?? ''),
      )
      return {
        reason: 'restricted volume types',
        detail: `${volumes} ${bad.length === 1 ? 'uses' : 'use'} restricted volume type${types.length === 1 ? '' : 's'} ${quoted(types)}`,
      }
    },
  },
  {
    find: (spec) => {
      if (hasOwnUsers(spec)) return undefined
      const reason = 'runAsNonRoot != true'
      const bad = setters(spec, ['runAsNonRoot'], (value) => value === false)
      if (bad.phrase !== '') return { reason, detail: `${bad.phrase} must not set securityContext.runAsNonRoot=false` }
      const names = lacking(spec, ['runAsNonRoot'], (value) => value === true)
      return names.length === 0
        ? undefined
        : { reason, detail: `pod or ${named('container', names)} must set securityContext.runAsNonRoot=true` }
    },
  },
  {
    find: (spec) => {
      const bad = setters(spec, ['runAsUser'], (value) => value === 0)
      if (bad.phrase === '' || hasOwnUsers(spec)) return undefined
      return { reason: 'runAsUser=0', detail: `${bad.phrase} must not set runAsUser=0` }
    },
  },
  {
    find: (spec) => {
      const reason = 'seccompProfile'
      const bad = setters(spec, seccompPath, (value) => value !== undefined && !goodSeccomp(value))
      if (bad.phrase !== '')
        return {
          reason,
          detail: `${bad.phrase} must not set securityContext.seccompProfile.type to ${quoted(bad.values)}`,
        }
      const names = lacking(spec, seccompPath, goodSeccomp)
      if (names.length === 0) return undefined
      return {
        reason,
        detail: `pod or ${named('container', names)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
      }
    },
  },
]

function unrestrictedCapabilities(spec: JsonObject): Violation | undefined {
  const of = (raw: unknown, key: string) => textsAt(raw, 'securityContext', 'capabilities', key)
  const added = (raw: unknown) => of(raw, 'add').filter((one) => one !== 'NET_BIND_SERVICE')
  const missing = containersOf(spec)
    .filter(({ raw }) => !of(raw, 'drop').includes('ALL'))
    .map(({ name }) => name)
  const adding = containersOf(spec).filter(({ raw }) => added(raw).length > 0)
  const all = sorted(adding.flatMap(({ raw }) => added(raw)))
  const details = [
    ...(missing.length === 0
      ? []
      : [`${named('container', missing)} must set securityContext.capabilities.drop=["ALL"]`]),
    ...(adding.length === 0
      ? []
      : [
          `${named(
            'container',
            adding.map(({ name }) => name),
          )} must not include ${quoted(all)} in securityContext.capabilities.add`,
        ]),
  ]
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') }
}
