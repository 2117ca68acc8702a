// Starts one Chromium for all test files. Each file connects to it and opens pages of its own.
import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { launchOptions } from './chromium.ts'

declare module 'vitest' {
  interface ProvidedContext {
    chromium: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await chromium.launchServer(launchOptions())
  project.provide('chromium', server.wsEndpoint())
  return () => server.close()
}
