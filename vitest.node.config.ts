import { defineConfig } from 'vitest/config'
import { fastTier, type LaneName, patternOf } from './test/kubernetes/fast-tier.ts'
import whole from './vitest.kubernetes.config.ts'

const name = (process.env['DAYFLY_LANE'] ?? 'others') as LaneName
const lane = fastTier[name]
const titles = Object.values(lane).flatMap((entries) => entries.map(([title]) => patternOf(title).source))

// One lane of the tests of `npm run test:node`.
export default defineConfig({
  test: {
    ...whole.test,
    include: Object.keys(lane).map((file) => `test/kubernetes/${file}`),
    globalSetup: name === 'alone' ? [] : ['test/kubernetes/shared-definition.ts'],
    testNamePattern: new RegExp(titles.join('|')),
    // The start failures wait for the kubelet and not for the processor.
    maxConcurrency: 12,
  },
})
