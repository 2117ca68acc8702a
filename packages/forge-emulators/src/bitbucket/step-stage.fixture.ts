// A workspace of the emulated Bitbucket, and what happened to its steps.
import type { StepEvent } from './emulation.ts'
import { type TestWorkspace, testWorkspace } from './test-client.fixture.ts'

export type StepStage = TestWorkspace & {
  readonly stepEvents: readonly StepEvent[]
  /** Registers a runner and brings it online. Resolves with its id, as it is in URLs. */
  online(name: string, labels?: readonly string[]): Promise<string>
}

export function stepStage(...knobs: Parameters<typeof testWorkspace>): StepStage {
  const world = testWorkspace(...knobs)
  const { control } = world.emulator
  const stepEvents: StepEvent[] = []
  control.onStep((event) => stepEvents.push(event))
  return {
    ...world,
    stepEvents,
    online: async (name, labels) => {
      const uuid = await world.register(name, labels)
      if (!control.stub.online(name)) throw new Error(`the emulator has no runner ${name}`)
      return encodeURIComponent(uuid)
    },
  }
}
