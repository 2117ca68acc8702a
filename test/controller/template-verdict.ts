// The verdict on a template from the production parts: the dry run, the comparison, our own rules.
import { checkTemplate } from '@dayfly/controller/act/check-template'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import { parseRunnerSet } from '@dayfly/runner-set/config/runner-set'
import { refusedTemplate, templateVerdict } from '@dayfly/runner-set/core/template'
import { failureInfo } from '@dayfly/runner-set/model/failure'

type Json = Readonly<Record<string, unknown>>

export type Judgement =
  | { readonly is: 'accepted'; readonly warnings: readonly string[] }
  | { readonly is: 'refused'; readonly reason: string; readonly message: string; readonly next: string }

/** Judges the pods of a set in this namespace. @param over fields of `spec` */
export async function judge(kubernetes: Kubernetes, namespace: string, over: Json): Promise<Judgement> {
  const spec = {
    github: { url: 'https://github.com/acme', credentials: { secret: 'app' } },
    scale: { max: 1 },
    ...over,
  }
  const uid = '11111111-1111-4111-8111-111111111111'
  const parsed = parseRunnerSet({ metadata: { name: 'linux', namespace, uid }, spec })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  const { signal } = new AbortController()
  const result = await checkTemplate({ kubernetes, set: parsed.set, signal })
  if (result.is === 'aborted') throw new Error('the check was aborted')
  const verdict =
    result.is === 'accepted'
      ? templateVerdict(parsed.set, 'hash', result.stored, 0)
      : refusedTemplate('hash', result.failure, 0, undefined)
  if (verdict.is === 'accepted') return { is: 'accepted', warnings: verdict.warnings.map(({ message }) => message) }
  const { reason, message } = verdict.failure
  return { is: 'refused', reason, message, next: failureInfo(reason).next }
}

const template = (spec: Json, metadata?: Json) => ({ template: { spec, ...(metadata ? { metadata } : {}) } })
const runner = (fields: Json) => template({ containers: [{ name: 'runner', ...fields }] })

/** Templates whose verdict does not depend on the namespace. Every API server gives the same one. */
export const sameEverywhere: readonly (readonly [
  name: string,
  over: Json,
  reason: string | undefined,
  message: RegExp,
])[] = [
  ['the default template', {}, undefined, /^$/],
  ['a Docker sidecar', { docker: 'sidecar' }, undefined, /^$/],
  ['a rootless Docker sidecar', { docker: 'rootless' }, undefined, /^$/],
  ['a token of the ServiceAccount', template({ automountServiceAccountToken: true }), undefined, /^$/],
  [
    'quantities in another notation',
    runner({ resources: { limits: { cpu: '0.5', memory: '1024Mi' } } }),
    undefined,
    /^$/,
  ],
  [
    'tolerations, a node selector and a volume',
    template({
      tolerations: [{ key: 'ci', operator: 'Exists' }],
      nodeSelector: { pool: 'ci' },
      volumes: [{ name: 'cache', emptyDir: { sizeLimit: '1Gi' } }],
      containers: [
        {
          name: 'runner',
          volumeMounts: [
            { name: 'cache', mountPath: '/a' },
            { name: 'cache', mountPath: '/b' },
          ],
        },
      ],
    }),
    undefined,
    /^$/,
  ],
  [
    'a mount without a volume',
    runner({ volumeMounts: [{ name: 'gone', mountPath: '/gone' }] }),
    'template-invalid',
    /spec\.containers\[0\]\.volumeMounts\[0\]\.name: Not found: "gone"/,
  ],
  [
    'a field that pods do not have',
    runner({ imagePulPolicy: 'Never' }),
    'template-invalid',
    /unknown field "spec\.containers\[0\]\.imagePulPolicy"/,
  ],
  ['a value of another type', template({ nodeSelector: { pool: 1 } }), 'template-invalid', /nodeSelector/],
  [
    'a label that cannot be one',
    template({}, { labels: { team: 'not valid!' } }),
    'template-invalid',
    /metadata\.labels: Invalid value: "not valid!"/,
  ],
  [
    'a probe on a plain init container',
    template({ initContainers: [{ name: 'i', image: 'i', startupProbe: { exec: { command: ['true'] } } }] }),
    'template-invalid',
    /initContainers\[0\]\.startupProbe: Forbidden: .*\(native sidecars need Kubernetes 1\.29/,
  ],
  [
    'Docker beside the runner',
    template({ containers: [{ name: 'runner' }, { name: 'docker', image: 'docker:27-dind' }] }),
    'template-hangs',
    /^spec\.containers\[1\]: a Docker daemon in an ordinary container/,
  ],
]
