import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import type { InlineConfig } from 'vitest/node'
import { isFull } from './packages/kit/src/full.fixture.ts'

/** They start programs, and look for or end all children of their process. So each of these files has a process of its own: `npm run test:processes` has them. */
export const withChildren: readonly string[] = [
  'packages/cluster/src/cluster.test.ts',
  'packages/cluster/src/command/**/*.test.ts',
  'packages/cluster/src/runtime/process/{keeps,mounts,process-runtime,session}.test.ts',
  'packages/cluster/src/kubelet/recorded/*.test.ts',
  'packages/dayfly/src/command/demo/leftovers.test.ts',
  'packages/forge-emulators/src/command/**/*.test.ts',
  'packages/forge-emulators/src/runner/{emulator,process-group,runner}.test.ts',
  'packages/forge-emulators/src/runner/{gitea/one-task,pipelines/daemon}.test.ts',
  'packages/forge-emulators/src/{workflow,pipelines}/{examples,outcomes}.test.ts',
  'test/cluster/cluster.test.ts',
  'test/dayfly/{cli,demo*,emulate,migrate*-command,readme}.test.ts',
  'test/doctor/{action,files,silence.full,write}.test.ts',
  'test/doctor/live{,-interrupted,-refused,-strange}.test.ts',
]
/** Each takes many seconds of processor time, so `npm run test:processes` has them: planted bugs, long and random runs, and all of ARC's recorded states. */
export const slow: readonly string[] = [
  'sim/**/planted-bugs.test.ts',
  'sim/{lives,long-run}/run-*.test.ts',
  'test/controller/bitbucket-faults.test.ts',
  'test/dayfly/lab.test.ts',
  'test/doctor/{arc-releases,arc-repairs,rbac}.test.ts',
]
export const fullOnly: readonly string[] = isFull ? [] : ['**/*.full.test.ts']
const exclude = [...slow, ...fullOnly]

export const settings: InlineConfig = {
  // In threads, tests of child programs and of mounts fail (docs/test-times.md).
  pool: 'forks',
  // The processors are busy with other tests, so the collector's helpers only take from them.
  execArgv: ['--single-threaded-gc'],
  // The slow files wait for processes and servers, so two more processes than processors keep the processors busy.
  maxWorkers: availableParallelism() + 2,
  // The package imports JSON without an import attribute, which Node refuses.
  // Node itself loads the built programs (test/program-here.ts) and the bundles of the simulation.
  server: {
    deps: { inline: [/@actions\/workflow-parser/], external: [/\/packages\/[a-z-]+\/dist\//, /\/dayfly-sim-/] },
  },
  // Ten times the usual time of the slowest tests that have no bound of their own.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // The default of a second is short for a process that starts beside nine others.
  expect: { poll: { timeout: 30_000 } },
}

// All tests that need only Node and git, but the slow ones. `npm test` runs those without children.
// `npm run test:full` runs the tests with full budgets, and those named `*.full.test.ts`.
export default defineConfig({
  // Without this, vite warns for each file of the inlined package, because its source maps name missing sources.
  logLevel: 'error',
  test: {
    ...settings,
    projects: [
      { extends: true, test: { name: 'with children', include: [...withChildren], exclude } },
      {
        extends: true,
        test: {
          name: 'without children',
          include: [
            '{packages,scripts,bench,sim}/**/*.test.ts',
            'test/{cluster,controller,dayfly,doctor}/**/*.test.ts',
          ],
          exclude: [...exclude, ...withChildren],
          // The files of one process share its modules: loading them again for each file took half of all processor time.
          isolate: false,
        },
      },
    ],
  },
})
