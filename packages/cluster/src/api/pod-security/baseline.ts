// The checks of the level `baseline`, in the order of the API server.
import { fieldsAt, listAt, textAt, textsAt, valueAt } from '@dayfly/kit/read-json'
import {
  type Check,
  containersOf,
  context,
  eachContainer,
  hasOwnUsers,
  named,
  quoted,
  seccompPath,
  setters,
  sorted,
} from './check.ts'

const defaultCapabilities: ReadonlySet<string> = new Set(
  'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT'.split(
    ' ',
  ),
)
const safeSysctls: ReadonlySet<string> = new Set([
  'kernel.shm_rmid_forced',
  ...[
    'ip_local_port_range',
    'ip_local_reserved_ports',
    'ip_unprivileged_port_start',
    'ping_group_range',
    'tcp_fin_timeout',
    'tcp_keepalive_intvl',
    'tcp_keepalive_probes',
    'tcp_keepalive_time',
    'tcp_rmem',
    'tcp_syncookies',
    'tcp_wmem',
  ].map((name) => `net.ipv4.${name}`),
])
const seLinuxTypes: ReadonlySet<unknown> = new Set([
  '',
  'container_t',
  'container_init_t',
  'container_kvm_t',
  'container_engine_t',
])
export const baseline: readonly Check[] = [
  {
    find: (spec) => {
      const bad = setters(spec, ['appArmorProfile', 'type'], (value) => value === 'Unconfined')
      if (bad.phrase === '') return undefined
      return {
        reason: 'forbidden AppArmor profile',
        detail: `${bad.phrase} must not set AppArmor profile type to ${quoted(bad.values)}`,
      }
    },
  },
  {
    isReplaced: true,
    find: (spec) => {
      const added = (raw: unknown) =>
        textsAt(raw, 'securityContext', 'capabilities', 'add').filter((one) => !defaultCapabilities.has(one))
      return eachContainer(
        spec,
        (raw) => added(raw).length > 0,
        'non-default capabilities',
        (containers) => {
          const all = sorted(containersOf(spec).flatMap(({ raw }) => added(raw)))
          return `${containers} must not include ${quoted(all)} in securityContext.capabilities.add`
        },
      )
    },
  },
  {
    find: (spec) => {
      const set = ['hostNetwork', 'hostPID', 'hostIPC'].filter((field) => spec[field] === true)
      return set.length === 0
        ? undefined
        : { reason: 'host namespaces', detail: set.map((field) => `${field}=true`).join(', ') }
    },
  },
  {
    isReplaced: true,
    find: (spec) => {
      const names = listAt(spec, 'volumes')
        .filter((one) => fieldsAt(one, 'hostPath'))
        .map((one) => textAt(one, 'name') ?? '')
      return names.length === 0 ? undefined : { reason: 'hostPath volumes', detail: named('volume', names) }
    },
  },
  {
    find: (spec) => {
      const portsOf = (raw: unknown) =>
        listAt(raw, 'ports')
          .map((port) => valueAt(port, 'hostPort'))
          .filter((port) => port !== undefined && port !== 0)
      return eachContainer(
        spec,
        (raw) => portsOf(raw).length > 0,
        'hostPort',
        (containers, names) => {
          const ports = sorted(containersOf(spec).flatMap(({ raw }) => portsOf(raw).map(String)))
          return `${containers} ${names.length === 1 ? 'uses' : 'use'} hostPort${ports.length === 1 ? '' : 's'} ${ports.join(', ')}`
        },
      )
    },
  },
  {
    find: (spec) =>
      eachContainer(
        spec,
        (raw) => context(raw, 'privileged') === true,
        'privileged',
        (containers) => `${containers} must not set securityContext.privileged=true`,
      ),
  },
  {
    find: (spec) => {
      const isBad = (raw: unknown) => ![undefined, 'Default'].includes(context(raw, 'procMount') as string | undefined)
      if (hasOwnUsers(spec)) return undefined
      return eachContainer(spec, isBad, 'procMount', (containers) => {
        const values = sorted(
          containersOf(spec)
            .filter(({ raw }) => isBad(raw))
            .map(({ raw }) => String(context(raw, 'procMount'))),
        )
        return `${containers} must not set securityContext.procMount to ${quoted(values)}`
      })
    },
  },
  {
    find: (spec) => {
      const type = setters(spec, ['seLinuxOptions', 'type'], (value) => value !== undefined && !seLinuxTypes.has(value))
      const user = setters(spec, ['seLinuxOptions', 'user'], (value) => value !== undefined && value !== '')
      const role = setters(spec, ['seLinuxOptions', 'role'], (value) => value !== undefined && value !== '')
      const phrase = [type, user, role].find((one) => one.phrase !== '')?.phrase
      if (phrase === undefined) return undefined
      const parts = [
        ...(type.phrase === '' ? [] : [`type${type.values.length === 1 ? '' : 's'} ${quoted(type.values)}`]),
        ...(user.phrase === '' ? [] : ['user may not be set']),
        ...(role.phrase === '' ? [] : ['role may not be set']),
      ]
      return {
        reason: 'seLinuxOptions',
        detail: `${phrase} set forbidden securityContext.seLinuxOptions: ${parts.join('; ')}`,
      }
    },
  },
  {
    isReplaced: true,
    find: (spec) => {
      const bad = setters(spec, seccompPath, (value) => value === 'Unconfined')
      if (bad.phrase === '') return undefined
      return {
        reason: 'seccompProfile',
        detail: `${bad.phrase} must not set securityContext.seccompProfile.type to ${quoted(bad.values)}`,
      }
    },
  },
  {
    find: (spec) => {
      const names = listAt(spec, 'securityContext', 'sysctls').flatMap((one) => textAt(one, 'name') ?? [])
      const bad = names.filter((name) => !safeSysctls.has(name))
      return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') }
    },
  },
]
