// The closed list of attributes that leave the process. No other file names one.
import {
  ATTR_CICD_PIPELINE_ACTION_NAME,
  ATTR_CICD_PIPELINE_NAME,
  ATTR_CICD_PIPELINE_RESULT,
  ATTR_CICD_PIPELINE_RUN_ID,
  ATTR_CICD_PIPELINE_RUN_STATE,
  ATTR_CICD_PIPELINE_TASK_NAME,
  ATTR_CICD_PIPELINE_TASK_RUN_ID,
  ATTR_CICD_PIPELINE_TASK_RUN_RESULT,
  ATTR_CICD_SYSTEM_COMPONENT,
  ATTR_CICD_WORKER_ID,
  ATTR_CICD_WORKER_NAME,
  ATTR_CICD_WORKER_STATE,
  ATTR_ERROR_TYPE,
  ATTR_K8S_NAMESPACE_NAME,
  ATTR_K8S_NODE_NAME,
  ATTR_K8S_POD_NAME,
  ATTR_K8S_POD_UID,
  ATTR_VCS_REF_HEAD_NAME,
  ATTR_VCS_REPOSITORY_NAME,
  ATTR_VCS_REPOSITORY_URL_FULL,
} from '@opentelemetry/semantic-conventions/incubating'

export const attribute = {
  action: ATTR_CICD_PIPELINE_ACTION_NAME,
  pipeline: ATTR_CICD_PIPELINE_NAME,
  result: ATTR_CICD_PIPELINE_RESULT,
  run: ATTR_CICD_PIPELINE_RUN_ID,
  state: ATTR_CICD_PIPELINE_RUN_STATE,
  task: ATTR_CICD_PIPELINE_TASK_NAME,
  taskRun: ATTR_CICD_PIPELINE_TASK_RUN_ID,
  taskResult: ATTR_CICD_PIPELINE_TASK_RUN_RESULT,
  component: ATTR_CICD_SYSTEM_COMPONENT,
  workerId: ATTR_CICD_WORKER_ID,
  worker: ATTR_CICD_WORKER_NAME,
  workerState: ATTR_CICD_WORKER_STATE,
  error: ATTR_ERROR_TYPE,
  namespace: ATTR_K8S_NAMESPACE_NAME,
  node: ATTR_K8S_NODE_NAME,
  pod: ATTR_K8S_POD_NAME,
  podUid: ATTR_K8S_POD_UID,
  ref: ATTR_VCS_REF_HEAD_NAME,
  repository: ATTR_VCS_REPOSITORY_NAME,
  repositoryUrl: ATTR_VCS_REPOSITORY_URL_FULL,
  set: 'dayfly.set',
  /** A reason of the table of failures, and its sentence. */
  reason: 'dayfly.reason',
  sentence: 'dayfly.sentence',
} as const

export type Attribute = (typeof attribute)[keyof typeof attribute]
export type Attributes = Readonly<Partial<Record<Attribute, string>>>

/** A forge's or a cluster's own text may have any length. */
const lengthMax = 256

/** Leaves out what is unknown, and shortens what is long. */
export function known(values: Readonly<Partial<Record<Attribute, string | undefined>>>): Attributes {
  const entries = Object.entries(values).filter((entry): entry is [string, string] => Boolean(entry[1]))
  return Object.fromEntries(entries.map(([name, value]) => [name, value.slice(0, lengthMax)]))
}
