// Expands a job's matrix as GitHub does (actions/runner, MatrixBuilder): the product of the vectors, then exclude, then include.
import { isJsonObject } from '@dayfly/kit/read-json'
import { equalValues, hasExpression } from '../expression.ts'

export type MatrixCell = {
  /** The `matrix` context. */
  readonly matrix: Readonly<Record<string, unknown>>
  /** The values in the job's display name: those of the vectors, or of the whole cell if `include` created it. */
  readonly segments: readonly string[]
}

/** A matrix that GitHub refuses. The message is a sentence. */
export class MatrixError extends Error {
  override readonly name = 'MatrixError'
}

/** GitHub's limit of jobs per matrix. */
export const cellsMax = 256

/** Returns the number of jobs of a strategy that is known before the run: a matrix from an expression counts as one. */
export function knownCells({ matrix }: { readonly matrix?: unknown }): number {
  return matrix === undefined || hasExpression(matrix) ? 1 : expandMatrix(matrix).length
}

/** Returns the cells of an evaluated matrix in GitHub's order: the first vector changes slowest. Throws a `MatrixError`. */
export function expandMatrix(value: unknown): readonly MatrixCell[] {
  const { include, exclude, ...vectors } = asMapping(value, 'The matrix')
  const names = Object.keys(vectors)
  const includes = filtersOf(include, 'include').map((filter) => splitInclude(filter, names))
  const excludes = filtersOf(exclude, 'exclude')
  for (const filter of excludes) checkExclude(filter, names)
  const matched = new Set<IncludeFilter>()
  const cells = productOf(vectors)
    .filter((cell) => !excludes.some((filter) => matches(filter, cell)))
    .map((cell) => {
      const extras = includes.filter(({ filter }) => matches(filter, cell))
      for (const include of extras) matched.add(include)
      const extra = Object.assign({}, ...extras.map((include) => include.extra))
      return { matrix: { ...cell, ...extra }, segments: leaves(cell) }
    })
  for (const include of includes) {
    const cell = { ...include.filter, ...include.extra }
    if (!matched.has(include)) cells.push({ matrix: cell, segments: leaves(cell) })
  }
  if (cells.length === 0 && names.length === 0) throw new MatrixError('Matrix must define at least one vector.')
  if (cells.length === 0) throw new MatrixError('The matrix has no job: every combination is excluded.')
  if (cells.length > cellsMax) throw new MatrixError(`The matrix has more than ${cellsMax} jobs.`)
  return cells
}

type Mapping = Readonly<Record<string, unknown>>
type IncludeFilter = { readonly filter: Mapping; readonly extra: Mapping }

function productOf(vectors: Mapping): readonly Mapping[] {
  let cells: readonly Mapping[] = Object.keys(vectors).length === 0 ? [] : [{}]
  for (const [name, vector] of Object.entries(vectors)) {
    if (!Array.isArray(vector)) throw new MatrixError(`The matrix vector '${name}' is not a list.`)
    if (vector.length === 0) throw new MatrixError(`Matrix vector '${name}' does not contain any values.`)
    // `exclude` may shrink the product again, so this bound is wider than the limit.
    if (cells.length * vector.length > cellsMax * 16)
      throw new MatrixError(`The matrix has more than ${cellsMax} jobs.`)
    cells = cells.flatMap((cell) => vector.map((item) => ({ ...cell, [name]: item })))
  }
  return cells
}

function filtersOf(value: unknown, what: string): readonly Mapping[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw new MatrixError(`The matrix's ${what} is not a list.`)
  return value.map((item) => {
    const filter = asMapping(item, `An item of the matrix's ${what}`)
    if (Object.keys(filter).length === 0) throw new MatrixError(`An item of the matrix's ${what} is empty.`)
    return filter
  })
}

function splitInclude(item: Mapping, names: readonly string[]): IncludeFilter {
  const filter: Record<string, unknown> = {}
  const extra: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(item)) {
    const target = names.includes(key) ? filter : extra
    target[key] = value
  }
  return { filter, extra }
}

function checkExclude(filter: Mapping, names: readonly string[]): void {
  const unknown = Object.keys(filter).find((key) => !names.includes(key))
  if (unknown) throw new MatrixError(`The matrix's exclude key '${unknown}' does not match any key of the matrix.`)
}

/** Whether every leaf of the filter equals the cell's value at the same path. */
function matches(filter: unknown, cell: unknown): boolean {
  if (typeof filter !== 'object' || filter === null) return equalValues(filter, cell)
  const target = typeof cell === 'object' && cell !== null ? (cell as Mapping) : {}
  return Object.entries(filter).every(([key, value]) => matches(value, target[key]))
}

function leaves(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(leaves)
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(leaves)
  return value === null || value === undefined || value === '' ? [] : [String(value)]
}

function asMapping(value: unknown, what: string): Mapping {
  if (!isJsonObject(value)) throw new MatrixError(`${what} is not a mapping.`)
  return value
}
