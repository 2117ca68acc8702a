// The functions that Kubernetes' rules have beyond the language itself.
// Source: https://kubernetes.io/docs/reference/using-api/cel/#cel-options-language-features-and-libraries
import { Environment } from '@marcbachmann/cel-js'
import { addListFunctions } from './list-functions.ts'
import { addQuantityFunctions } from './quantity-functions.ts'
import { addStringFunctions } from './string-functions.ts'

/** The bounds of one expression. Kubernetes bounds its cost; these bound its size. */
const limits = {
  maxAstNodes: 10_000,
  maxDepth: 100,
  maxListElements: 1_000,
  maxMapEntries: 1_000,
  maxCallArguments: 32,
}

export function createEnvironment(): Environment {
  const environment = new Environment({ enableOptionalTypes: true, limits })
  addStringFunctions(environment)
  addListFunctions(environment)
  addQuantityFunctions(environment)
  return environment
}
