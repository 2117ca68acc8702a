// The admission of viewers. A page on loopback admits each process of the machine. In a cluster, a user who may get the RunnerSets of
// a namespace sees that namespace, by the cluster's own answer.
import { everything, ofNamespaces, type Scope } from '@dayfly/dashboard/server/scope'
import type { Admission, Gate } from '@dayfly/dashboard/server/source'
import type { Clock, Instant } from '@dayfly/kit/clock'
import { hashText } from '@dayfly/kit/hash'
import type { Request } from '@dayfly/kit/http'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { IdentityCheck, User } from '@dayfly/kubernetes/identity'
import { runnerSets } from '../resources.ts'

/** `loopback`: no identity is asked for. `token`: a token of the cluster. `header`: a proxy has checked the user, and names it. */
export type GateKind =
  | { readonly is: 'loopback' }
  | { readonly is: 'token' }
  | { readonly is: 'header'; readonly user: string; readonly groups: string | undefined }

export type GateOptions = {
  readonly kind: GateKind
  readonly identity: IdentityCheck
  readonly clock: Clock
  /** The namespaces that have a set. */
  readonly namespaces: () => readonly string[]
}

/** An answer of the cluster holds for so long, in milliseconds: a right that is taken away ends within it. */
const trustedMs = 60_000
/** At most so many identities are remembered. */
const rememberedMax = 1_000
const tokenLengthMax = 16_384

/** Admits each process of this machine. A page of another host, whose name leads here, must not read this one. */
export const loopbackGate: Gate = async ({ headers }) => {
  const host = (headers['host'] ?? '').replace(/:\d+$/, '').toLowerCase()
  if (['localhost', '[::1]', ''].includes(host) || /^127(\.\d{1,3}){3}$/.test(host)) {
    return { is: 'admitted', scope: everything }
  }
  const next = 'Open the page by the address that was printed, for example http://127.0.0.1:8081.'
  return { is: 'refused', status: 403, sentence: `This page is not served under the name ${host}.`, next }
}

export function gateOf(options: GateOptions): Gate {
  const { kind } = options
  if (kind.is === 'loopback') return loopbackGate
  const cache = new Map<string, { readonly until: Instant; readonly admission: Promise<Admission> }>()
  return (request) => {
    const asked = kind.is === 'token' ? tokenOf(request) : request.headers[kind.user.toLowerCase()]
    if (asked === undefined || asked === '' || asked.length > tokenLengthMax) return Promise.resolve(anonymous(kind))
    const groups = kind.is === 'header' ? groupsOf(request, kind.groups) : []
    const key = hashText([kind.is, asked, ...groups, ...options.namespaces()].join('\n'), 32)
    const now = options.clock.now()
    const known = cache.get(key)
    if (known && now < known.until) return known.admission
    if (cache.size >= rememberedMax) cache.clear()
    const admission = admit(options, asked, groups)
    cache.set(key, { until: now + trustedMs, admission })
    // A failure of the cluster is not remembered.
    void admission.then(({ is, ...rest }) => 'status' in rest && rest.status === 503 && is && cache.delete(key))
    return admission
  }
}

function tokenOf({ headers }: Request): string | undefined {
  return /^Bearer\s+(\S+)$/i.exec(headers['authorization'] ?? '')?.[1]
}

function groupsOf({ headers }: Request, name: string | undefined): readonly string[] {
  const text = name === undefined ? '' : (headers[name.toLowerCase()] ?? '')
  return text
    .split(',')
    .map((group) => group.trim())
    .filter((group) => group !== '')
    .slice(0, 200)
}

function anonymous(kind: GateKind): Admission {
  const next =
    kind.is === 'header'
      ? 'Open the page through the proxy that signs users in.'
      : 'Give a token of the cluster, for example from: kubectl create token NAME -n NAMESPACE'
  return { is: 'refused', status: 401, sentence: 'This page needs an identity.', next }
}

async function admit(options: GateOptions, asked: string, groups: readonly string[]): Promise<Admission> {
  try {
    const user = options.kind.is === 'token' ? await options.identity.userOf(asked) : { username: asked, groups }
    if (!user) {
      const next = 'It may have expired: make a new one, for example by: kubectl create token NAME -n NAMESPACE'
      return { is: 'refused', status: 401, sentence: 'The cluster does not accept this token.', next }
    }
    const scope = await scopeOf(options, user)
    if (scope) return { is: 'admitted', scope }
    const next = 'Ask for the right to get runnersets.dayfly.dev in a namespace.'
    return { is: 'refused', status: 403, sentence: `${user.username} may not see any RunnerSet.`, next }
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error
    const sentence = `The cluster cannot check who you are: ${error.message}`
    return {
      is: 'refused',
      status: 503,
      sentence,
      next: 'Try again. If it stays so, check the rights of the controller.',
    }
  }
}

/** Returns undefined for a user who may see no set. */
async function scopeOf({ identity, namespaces }: GateOptions, user: User): Promise<Scope | undefined> {
  const mayGet = (namespace: string | undefined) => identity.may(user, { verb: 'get', resource: runnerSets, namespace })
  if (await mayGet(undefined)) return everything
  const all = namespaces()
  const allowed = await Promise.all(all.map(mayGet))
  const seen = all.filter((_, index) => allowed[index])
  return seen.length === 0 ? undefined : ofNamespaces(seen)
}
