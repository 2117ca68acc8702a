// Creates a scale set and registrations at an emulated GitHub, like those that a departed controller leaves behind.
import type { GitHubEmulator } from '@dayfly/forge-emulators/github/emulator'
import { scriptJob } from '@dayfly/forge-emulators/github/script-job'
import type { Clock } from '@dayfly/kit/clock'
import { noBody } from '@dayfly/kit/http'
import type { Random } from '@dayfly/kit/random'
import * as z from 'zod'
import { type ActionsService, actionsService } from './calls/actions-api.ts'
import { parseConfigUrl } from './config-url.ts'
import { AdminTokens } from './credentials/tokens.ts'
import { generateJitConfig } from './scale-set/runners.ts'
import { createScaleSet, scaleSetsPath } from './scale-set/scale-set.ts'

export type Planting = {
  readonly emulator: GitHubEmulator
  /** The URL of the account at the emulator. */
  readonly url: string
  readonly token: string
  readonly clock: Clock
  readonly random: Random
}

/** Returns the id of the set. Its only label is its name, and its runners have never been online. */
export async function plantRunners(planting: Planting, set: string, runners: readonly string[]): Promise<number> {
  const service = serviceOf(planting)
  const { id } = await createScaleSet(service, { name: set, groupId: 1, labels: [] }, {})
  const { signal } = new AbortController()
  for (const name of runners) await generateJitConfig(service, id, name, signal)
  return id
}

/** Gives one runner of the set a job, which then runs until the emulator ends. */
export async function occupy(planting: Planting, { id, set, runner }: Occupation): Promise<void> {
  const { control, transport } = planting.emulator
  const path = `${scaleSetsPath}/${id}/sessions`
  const { value } = await serviceOf(planting).call({ method: 'POST', path, body: { ownerName: 'test' } })
  const session = sessionSchema.parse(value)
  control.queueJobs([{ labels: [set], name: 'job', message: scriptJob('job', [{ run: 'true' }]) }])
  const { pathname, searchParams } = new URL(session.messageQueueUrl)
  const authorization = `Bearer ${session.messageQueueAccessToken}`
  await transport({
    method: 'GET',
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: { authorization, 'x-scalesetmaxcapacity': '1' },
    body: noBody,
    expect: 'whole',
  })
  control.stub.online(runner)
  if (control.stub.start(runner) !== 'started') throw new Error(`${runner} has no job`)
}

type Occupation = { readonly id: number; readonly set: string; readonly runner: string }

const sessionSchema = z.object({ messageQueueUrl: z.string(), messageQueueAccessToken: z.string() })

function serviceOf({ emulator, url, token, clock, random }: Planting): ActionsService {
  const net = { transport: emulator.transport, clock, random }
  const credential = { kind: 'token', token } as const
  const tokens = new AdminTokens({ net, config: parseConfigUrl(url), credential, userAgent: 'test' })
  return actionsService(net, tokens, () => 'test')
}
