// Records kinds that run CI jobs in pods which no rule reads. Otherwise a report without findings would look like approval.

import { textAt } from '../../lib/read-json.ts'
import type { Skipped, SourceFile, SourceObject } from './document.ts'
import { type LineIndex, placeOf } from './place.ts'

type Family = { readonly kinds: readonly string[]; readonly reason: (kind: string) => string }

const families: Readonly<Record<string, Family>> = {
  'argoproj.io': {
    kinds: ['Workflow', 'WorkflowTemplate', 'ClusterWorkflowTemplate', 'CronWorkflow'],
    reason: (kind) => `a ${kind} of Argo Workflows: its controller ends the sidecars, and no rule reads its pods`,
  },
  'tekton.dev': {
    kinds: ['Task', 'TaskRun', 'ClusterTask', 'Pipeline', 'PipelineRun'],
    reason: (kind) => `a ${kind} of Tekton: its controller ends the sidecars, and no rule reads its pods`,
  },
  'actions.summerwind.dev': {
    kinds: ['Runner', 'RunnerDeployment', 'RunnerSet', 'RunnerReplicaSet', 'HorizontalRunnerAutoscaler'],
    reason: (kind) => `a ${kind} of the older ARC (actions.summerwind.dev): no rule reads it`,
  },
  extensions: {
    kinds: ['Deployment', 'DaemonSet', 'ReplicaSet'],
    reason: (kind) => `a ${kind} of extensions/v1beta1, which Kubernetes 1.16 removed: no rule reads it`,
  },
}

/** Reports the line of the object's kind. */
export function unreadObjects(
  objects: readonly SourceObject[],
  linesOf: (file: SourceFile) => LineIndex,
): readonly Skipped[] {
  return objects.flatMap((object) => {
    const reason = whyUnread(object)
    if (reason === undefined) return []
    const { file } = object.document
    const { line } = placeOf(object, ['kind'], linesOf(file))
    return [{ file: file.path, line, reason, intended: true }]
  })
}

function whyUnread({ value }: SourceObject): string | undefined {
  const group = textAt(value, 'apiVersion')?.split('/', 1)[0] ?? ''
  const kind = textAt(value, 'kind') ?? ''
  const family = Object.hasOwn(families, group) ? families[group] : undefined
  return family?.kinds.includes(kind) ? family.reason(kind) : undefined
}
