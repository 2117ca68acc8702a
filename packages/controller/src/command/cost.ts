// `dayfly cost`: what runners cost, from the stored history of the page.
import { CliFailure, codeOf } from '@dayfly/command-line/failure'
import { printJson, printNote, printResult } from '@dayfly/command-line/output'
import { programName } from '@dayfly/command-line/program-name'
import {
  type CostGaps,
  type CostLevel,
  type CostLine,
  costLevels,
  costLinesOf,
} from '@dayfly/dashboard/history/cost-lines'
import type { Prices } from '@dayfly/dashboard/model/trends'
import { readStoredLives, type StoredLives } from '@dayfly/dashboard/store/read-lives'
import { counted } from '@dayfly/kit/age-text'
import { systemClock } from '@dayfly/kit/system'
import { Command, InvalidArgumentError, Option } from 'commander'
import { readPrices } from '../page/prices.ts'
import { csvOf, focusRow } from './focus.ts'

type Options = {
  readonly history: string
  readonly prices: string
  readonly since?: number
  readonly until?: number
  readonly by: CostLevel
  readonly json?: boolean
}

export function costCommand(): Command {
  const dayfly = programName()
  return new Command('cost')
    .description('Prints what runners cost as CSV with the columns of FOCUS 1.1, from the history that the page keeps.')
    .requiredOption('--history <folder>', 'the folder of --dashboard-history')
    .requiredOption('--prices <file>', 'the prices, as for --dashboard-prices')
    .option('--since <day>', 'the first day of UTC, for example 2026-11-01 (default: all that is kept)', dayOf)
    .option('--until <day>', 'the first day that is not counted any more (default: now)', dayOf)
    .addOption(new Option('--by <level>', 'how fine the lines are').choices(costLevels).default('workflow'))
    .option('--json', 'print the lines as one line of JSON')
    .addHelpText(
      'after',
      `
Examples:
  ${dayfly} cost --history ./history --prices prices.json > cost.csv
  ${dayfly} cost --history ./history --prices prices.json --since 2026-11-01 --until 2026-12-01 --by repository

Each line is one day, set, repository, workflow and use: job, overhead, idle, infrastructure or forge.
With --by job, each job has lines of its own.
The amounts are an estimate: what the pods request, times your prices. Only lives that have ended count.
Exit codes: 0 printed, 1 the history or the prices cannot be read, 2 wrong usage.`,
    )
    .action(show)
}

async function show({ history, prices: file, since, until, by, json }: Options): Promise<void> {
  const prices = await readPrices(file, '--prices')
  const { lives, broken } = await readLives(history)
  const span = { from: since ?? 0, to: until ?? systemClock().now(), prices }
  const { lines, gaps } = costLinesOf(lives, span, by)
  if (json) printJson({ currency: prices.currency, lines, ...gaps, broken })
  else printResult(csvOf(lines.map((line) => focusRow(line, prices.currency))))
  noteAll(lines, prices, { ...gaps, broken })
}

type Gaps = CostGaps & { readonly broken: number }

/** The notes go to stderr, so that the table stays a table. */
function noteAll(lines: readonly CostLine[], { currency }: Prices, { unpriced, undated, open, broken }: Gaps): void {
  const sum = lines.reduce((total, { amount }) => total + amount, 0)
  const runners = (count: number) => counted(count, 'runner')
  printNote(`${counted(lines.length, 'line')}, ${sum.toFixed(2)} ${currency} together.`)
  if (unpriced > 0)
    printNote(`Not counted: the time of ${runners(unpriced)} whose pods request neither CPU nor memory.`)
  if (undated > 0) printNote(`Not counted: ${runners(undated)} whose begin nobody saw.`)
  if (open > 0) printNote(`Not counted yet: ${runners(open)} without a known end.`)
  if (broken > 0) printNote(`Not counted: ${counted(broken, 'line')} of the history that cannot be read.`)
}

async function readLives(folder: string): Promise<StoredLives> {
  try {
    return await readStoredLives(folder)
  } catch (cause) {
    throw new CliFailure({
      code: 'history-unreadable',
      sentence: `The history in ${folder} cannot be read (${codeOf(cause)}).`,
      next: 'Name the folder that the controller was given with --dashboard-history.',
      exitCode: 1,
      cause,
    })
  }
}

function dayOf(given: string): number {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(given) ? Date.parse(`${given}T00:00:00Z`) : Number.NaN
  if (Number.isNaN(at)) throw new InvalidArgumentError('It must be a day such as 2026-11-27.')
  return at
}
