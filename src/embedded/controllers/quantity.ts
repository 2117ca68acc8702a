// Kubernetes' quantities as numbers: `500m`, `2`, `64Mi`, `1e3`.

const factors: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
}

/** Undefined for what is no quantity. */
export function parseQuantity(value: unknown): number | undefined {
  const match = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([numkMGTPE]?|[KMGTPE]i)$/.exec(String(value))
  const factor = factors[match?.[2] ?? '']
  return match && factor !== undefined ? Number(match[1]) * factor : undefined
}
