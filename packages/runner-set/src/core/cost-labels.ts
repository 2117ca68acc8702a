// The labels by which cost tools such as OpenCost divide the cost of runners among repositories and workflows.
import { hashText } from '@dayfly/kit/hash'
import { apiGroup } from '../model/api.ts'

export const costLabels = { repository: `${apiGroup}/repository`, workflow: `${apiGroup}/workflow` } as const

const lengthMax = 63
const hashLength = 8

/** Returns the labels of a job's pod. A repository of GitHub is named `owner.name`, because a label has no slash. */
export function costLabelsOf({ repository, workflow }: { readonly repository: string; readonly workflow: string }) {
  return { [costLabels.repository]: labelValue(repository), [costLabels.workflow]: labelValue(workflow) }
}

/** Names that differ stay different: what a label cannot hold is replaced by a hash of the whole name. */
function labelValue(name: string): string {
  const plain = name.replaceAll('/', '.')
  const kept = plain.replace(/[^-_.A-Za-z0-9]/g, '_').replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '')
  if (kept === plain && kept.length <= lengthMax) return kept
  const short = kept.slice(0, lengthMax - hashLength - 1).replace(/[^A-Za-z0-9]+$/, '')
  return [...(short === '' ? [] : [short]), hashText(name, hashLength)].join('-')
}
