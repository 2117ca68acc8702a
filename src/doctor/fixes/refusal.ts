// Why an edit is not made. Thrown inside this folder and in fixes.ts only, which turn it into a value.

export class Refusal extends Error {}

export function refuse(reason: string): never {
  throw new Refusal(reason)
}
