// The reason why an edit is not made. Only this folder throws it; fixes.ts turns it into a value.

export class Refusal extends Error {}

export function refuse(reason: string): never {
  throw new Refusal(reason)
}
