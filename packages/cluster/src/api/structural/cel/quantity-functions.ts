// Quantities such as 500m and 2Gi in Kubernetes' rules.
import type { Environment } from '@marcbachmann/cel-js'
import { parseQuantity } from '../../values/quantity.ts'

const billion = 1_000_000_000n

class Amount {
  readonly nano: bigint

  constructor(nano: bigint) {
    this.nano = nano
  }
}

export function addQuantityFunctions(environment: Environment): void {
  const type = 'kubernetes.Quantity'
  const compare = (left: Amount, right: Amount) => (left.nano < right.nano ? -1n : left.nano > right.nano ? 1n : 0n)
  environment
    .registerType(type, Amount)
    .registerOperator(`${type} == ${type}`, (left: Amount, right: Amount) => left.nano === right.nano)
    .registerFunction('isQuantity(string): bool', (text: string) => parseQuantity(text) !== undefined)
    .registerFunction(`quantity(string): ${type}`, read)
    .registerFunction(`${type}.compareTo(${type}): int`, compare)
    .registerFunction(`${type}.isLessThan(${type}): bool`, (left: Amount, right: Amount) => left.nano < right.nano)
    .registerFunction(`${type}.isGreaterThan(${type}): bool`, (left: Amount, right: Amount) => left.nano > right.nano)
    .registerFunction(`${type}.sign(): int`, ({ nano }: Amount) => (nano < 0n ? -1n : nano > 0n ? 1n : 0n))
    .registerFunction(`${type}.isInteger(): bool`, ({ nano }: Amount) => nano % billion === 0n)
    .registerFunction(`${type}.asInteger(): int`, ({ nano }: Amount) => wholeOf(nano))
    .registerFunction(`${type}.asApproximateFloat(): double`, ({ nano }: Amount) => Number(nano) / 1e9)
    .registerFunction(
      `${type}.add(${type}): ${type}`,
      (left: Amount, right: Amount) => new Amount(left.nano + right.nano),
    )
    .registerFunction(
      `${type}.add(int): ${type}`,
      (left: Amount, right: bigint) => new Amount(left.nano + right * billion),
    )
    .registerFunction(
      `${type}.sub(${type}): ${type}`,
      (left: Amount, right: Amount) => new Amount(left.nano - right.nano),
    )
    .registerFunction(
      `${type}.sub(int): ${type}`,
      (left: Amount, right: bigint) => new Amount(left.nano - right * billion),
    )
}

function read(text: string): Amount {
  const quantity = parseQuantity(text)
  if (!quantity) throw new Error(`quantity parse error: ${JSON.stringify(text)} is not a quantity`)
  return new Amount(quantity.nano)
}

function wholeOf(nano: bigint): bigint {
  if (nano % billion !== 0n) throw new Error('cannot convert value to integer')
  return nano / billion
}
