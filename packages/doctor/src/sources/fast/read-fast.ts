// The entry of the fast reader. It reads the YAML that most manifests consist of, and gives up on any other text: the full parser then decides.
// The measurement that justifies it: 10,000 everyday manifests took `dayfly doctor --format github` 3.6 s with it and 7.9 s without.
// 10,000 manifests with hazards took 4.8 s and 8.2 s (2 cores, Node 20, best of 3 runs, the folders of bench/doctor-corpus.ts).
import type { Path } from '@dayfly/kit/read-json'
import type { Document } from 'yaml'
import type { Spot } from '../spot.ts'
import { parseNodesFast } from './nodes.ts'
import { parseFast } from './parse.ts'
import { findSpotFast } from './spot.ts'

type FastDocument = {
  /** The same value as the full parser gives. */
  readonly value: unknown
  /** Returns the nodes. Undefined: the full parser must make them. */
  readonly nodes: () => Document | undefined
  /** Finds a path in the text by indentation alone. Undefined: the nodes are needed. */
  readonly spot: (path: Path) => Spot | undefined
}

/** Returns undefined for a text that only the full parser can read. */
export function readFast(text: string): FastDocument | undefined {
  const parsed = parseFast(text)
  return parsed && { value: parsed.value, nodes: () => parseNodesFast(text), spot: (path) => findSpotFast(text, path) }
}
