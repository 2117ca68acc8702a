// The file by which tests find the parts of the running node, so that they can import images and start a second node.
import path from 'node:path'
import type { DockerEngine } from './engine.ts'

export type NodePlace = {
  /** The folder of the node's programs. */
  readonly programs: string
  /** The folder of the run. */
  readonly run: string
  /** The archives of images that each node imports. */
  readonly images: readonly string[]
  /** A real Docker Engine, or why there is none. */
  readonly engine: DockerEngine
  readonly kubeconfig: string
  /** The kubeconfig of each kubelet by the name of its node. */
  readonly nodeKubeconfigs: Readonly<Record<string, string>>
}

export function placeFile(run: string): string {
  return path.join(run, 'place.json')
}
