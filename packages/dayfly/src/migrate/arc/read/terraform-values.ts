// Reads the values that a block of Terraform writes itself: heredocs, and objects in calls such as `yamlencode`.
import type { SourceFile } from '@dayfly/doctor/read/decode/document'
import type { findBlocks } from '@dayfly/doctor/read/terraform/find-releases'
import { findTexts } from '@dayfly/doctor/read/terraform/find-texts'
import { documentOf, maskUnknown } from '@dayfly/doctor/read/terraform/object-document'
import type { Values } from '../values.ts'
import { readValues, writtenValues } from './input.ts'

export type Block = ReturnType<typeof findBlocks>[number]

/** Returns the layers in the order in which Helm merges them. */
export function writtenLayers(file: SourceFile, { name, attributes }: Block): readonly Values[] {
  const span = attributes.get('values')
  if (!span) return []
  const base = ['helm_release', name, 'values']
  const isInside = (at: number) => at >= span.start && at < span.end
  const { heredocs, objects } = findTexts(file.text)
  const texts = heredocs.flatMap((heredoc) => {
    const at = heredoc.toFile(0)
    const read = isInside(at) ? readValues({ path: file.path, text: heredoc.text }, base, true) : ''
    return typeof read === 'string' ? [] : [{ at, layer: read }]
  })
  const startOf = ({ node }: (typeof objects)[number]) => node.range?.[0] ?? -1
  // An object in an expression of another one is a part of a value that Terraform computes.
  const isPart = (one: (typeof objects)[number]) =>
    objects.some((other) => startOf(other) < startOf(one) && startOf(one) < other.end)
  const outermost = objects.filter((one) => isInside(startOf(one)) && !isPart(one))
  const masked = maskUnknown(file.text, outermost)
  const maps = outermost.flatMap((object) => {
    const { text, value, nodes, toFile } = documentOf(object, masked)
    const layer = writtenValues({ file, text, nodes, toFile }, value, base)
    return layer === undefined ? [] : [{ at: object.node.range?.[0] ?? 0, layer }]
  })
  return [...texts, ...maps].sort((one, other) => one.at - other.at).map(({ layer }) => layer)
}
