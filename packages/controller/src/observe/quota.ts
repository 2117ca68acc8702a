// Reduces a ResourceQuota to what it allows and what it counts.
import type { KubeObject } from '@dayfly/kubernetes/types'
import { amountsOf } from '@dayfly/runner-set/model/quantity'
import type { Quota } from '@dayfly/runner-set/model/quota'

export type ObservedQuota = Quota & { readonly namespace: string }

type QuotaObject = {
  readonly spec?: {
    readonly scopes?: readonly string[]
    readonly scopeSelector?: {
      readonly matchExpressions?: readonly {
        readonly scopeName: string
        readonly operator: string
        readonly values?: readonly string[]
      }[]
    }
  }
  readonly status?: { readonly hard?: Amounts; readonly used?: Amounts }
}

type Amounts = Readonly<Record<string, string>>

/** A quota limits by its status, which the cluster writes: one that is new has none yet. A plain scope means that its condition holds. */
export function observeQuota(object: KubeObject): ObservedQuota {
  const { spec, status } = object as unknown as QuotaObject
  const { name, namespace = '' } = object.metadata
  const plain = (spec?.scopes ?? []).map((scope) => ({ name: scope, operator: 'Exists', values: [] }))
  const selected = (spec?.scopeSelector?.matchExpressions ?? []).map(({ scopeName, operator, values = [] }) => ({
    name: scopeName,
    operator,
    values,
  }))
  return {
    namespace,
    name,
    hard: amountsOf(status?.hard),
    used: amountsOf(status?.used),
    scopes: [...plain, ...selected],
  }
}
