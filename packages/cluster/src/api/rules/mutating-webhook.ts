// MutatingWebhookConfigurations: filled with their defaults, validated and stored. The API server calls no webhook.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/admissionregistration/v1/defaults.go
import { type FieldError, required } from '../values/field-error.ts'
import { field, isObject, type JsonObject, list, sameJson } from '../values/json.ts'
import type { Draft } from '../verbs/draft.ts'
import type { Rules } from './rules.ts'

export const webhookRules: Rules = {
  fill: (draft) => {
    draft['webhooks'] = webhooksOf(draft).map(withDefaults)
  },
  prepare: (draft) => {
    draft.metadata.generation = 1
  },
  validate,
  validateUpdate: validate,
  changesGeneration: (draft, current) => !sameJson(draft['webhooks'], current['webhooks']),
}

function webhooksOf(draft: Draft): readonly JsonObject[] {
  return listOf(draft['webhooks'])
}

function withDefaults(webhook: JsonObject): JsonObject {
  const service = field(webhook, 'clientConfig', 'service')
  return {
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    reinvocationPolicy: 'Never',
    timeoutSeconds: 10,
    ...webhook,
    rules: listOf(webhook['rules']).map((rule) => ({ scope: '*', ...rule })),
    ...(isObject(service) && isObject(webhook['clientConfig'])
      ? { clientConfig: { ...webhook['clientConfig'], service: { port: 443, ...service } } }
      : {}),
  }
}

function validate(draft: Draft): readonly FieldError[] {
  return webhooksOf(draft).flatMap((webhook, index) => {
    const at = `webhooks[${index}]`
    const targets = ['url', 'service'].filter((name) => field(webhook, 'clientConfig', name) !== undefined)
    const isSilent = webhook['sideEffects'] === 'None' || webhook['sideEffects'] === 'NoneOnDryRun'
    const versions = list(webhook['admissionReviewVersions'])
    return [
      ...(versions.length > 0 ? [] : [required(`${at}.admissionReviewVersions`, 'must specify one of v1, v1beta1')]),
      ...(isSilent ? [] : [required(`${at}.sideEffects`, 'must specify one of None, NoneOnDryRun')]),
      ...(targets.length === 1 ? [] : [required(`${at}.clientConfig`, 'exactly one of url or service is required')]),
    ]
  })
}

function listOf(value: unknown): readonly JsonObject[] {
  return list(value).filter(isObject)
}
