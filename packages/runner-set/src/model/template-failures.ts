// The rows of the table of failures for pods that the API server would refuse for every runner of the set.
import type { FailureInfo } from './failure-info.ts'
import { never, refused } from './failure-retries.ts'

export const templateFailures = {
  'template-invalid': {
    class: 'template',
    sentence: 'The API server refuses the pod template.',
    next: 'Correct the field named in the message. Dayfly checks the template again when the set changes, and every minute.',
    retry: never,
  },
  'template-changed': {
    class: 'template',
    sentence: 'The API server stored a pod that differs from the template.',
    next: 'Find the webhook or the old API server that drops or changes the field named in the message.',
    retry: never,
  },
  'template-hangs': {
    class: 'template',
    sentence: 'A pod of this template would never start or never end.',
    next: 'Change the field named in the message.',
    retry: never,
  },
  'admission-denied': {
    class: 'template',
    sentence: 'An admission rule of the cluster forbids the pod.',
    next: 'Satisfy the rule named in the message, or exempt the namespace from it.',
    retry: refused,
  },
  'reference-missing': {
    class: 'template',
    sentence: 'The pod names an object of the cluster that does not exist.',
    next: 'Create the object named in the message, or correct its name in the template of the set.',
    retry: refused,
  },
  'rights-missing': {
    class: 'template',
    sentence: 'The controller has no right to create the objects of a runner.',
    next: 'Bind the Role of the chart to the account of the controller in the namespace of the set.',
    retry: refused,
  },
  'namespace-ending': {
    class: 'template',
    sentence: 'The namespace of the set is being deleted: its pods end, and no new one starts.',
    next: 'Create the set in another namespace, or wait until this one is gone.',
    retry: refused,
  },
  'quota-exceeded': {
    class: 'template',
    sentence: 'The resource quota of the namespace is used up.',
    next: 'Raise the quota, lower max of the set, or wait until other pods end.',
    retry: refused,
  },
} as const satisfies Record<string, FailureInfo>
