// The random parts of the names of runners. Each one has the number of its life, so that a name that comes twice is found without a memory of all names.

const digits = 7
const noiseDigits = 3
const radix = 36

/** Returns the random part for one life. Its first characters are scattered, so that the order by name says nothing about the order in time. */
export function idOf(life: number): string {
  const noise = (Math.imul(life, 0x9e3779b1) >>> 0) % radix ** noiseDigits
  return `${noise.toString(radix).padStart(noiseDigits, '0')}${life.toString(radix).padStart(digits, '0')}`
}

/** Returns the number of the life in a runner's name. */
export function lifeOf(name: string): number {
  return Number.parseInt(name.slice(-digits), radix)
}
