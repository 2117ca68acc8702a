// Reads the file with the prices: a JSON object.
import { readFile } from 'node:fs/promises'
import { CliFailure, codeOf } from '@dayfly/command-line/failure'
import type { Prices } from '@dayfly/dashboard/model/trends'
import * as z from 'zod'

const amount = z.number().min(0)

const pricesSchema = z.strictObject({
  currency: z.string().min(1).max(8).default('USD'),
  cpuHour: amount,
  memoryGibHour: amount,
  forgeMinute: amount.default(0),
  nodes: z
    .array(z.strictObject({ label: z.string().regex(/^[^=\s]+=[^=\s]+$/), cpuHour: amount, memoryGibHour: amount }))
    .max(100)
    .default([]),
})

const example = '{ "currency": "USD", "cpuHour": 0.04, "memoryGibHour": 0.005 }'

/** @param option the one that names the file, for the error */
export async function readPrices(file: string, option: `--${string}`): Promise<Prices> {
  return parsePrices(await readText(file, option), file)
}

export function parsePrices(text: string, file: string): Prices {
  const parsed = pricesSchema.safeParse(jsonOf(text))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const at = issue && issue.path.length > 0 ? `${issue.path.join('.')}: ` : ''
  throw new CliFailure({
    code: 'prices-invalid',
    sentence: `The prices in ${file} cannot be used: ${at}${issue?.message ?? 'unknown'}.`,
    next: `Write for example ${example}.`,
  })
}

async function readText(file: string, option: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    const sentence = `The file with the prices, ${file}, cannot be read (${codeOf(cause)}).`
    throw new CliFailure({ code: 'prices-unreadable', sentence, next: `Check ${option}.`, cause })
  }
}

/** A text that is no JSON is no object, and is refused as such. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
