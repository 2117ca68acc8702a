#!/usr/bin/env node
// The program `dayfly` with all commands.
import { type CommandEntry, runProgram } from '@dayfly/command-line/run-program'

const commands: Readonly<Record<string, CommandEntry>> = {
  controller: {
    group: 'operate',
    summary: 'run the controller on a Kubernetes cluster',
    load: async () => (await import('@dayfly/controller/command/controller')).controllerCommand(),
  },
  status: {
    group: 'operate',
    summary: 'show the runner sets, what is wrong with each, and which controller leads',
    load: async () => (await import('@dayfly/controller/command/status')).statusCommand(),
  },
  explain: {
    group: 'operate',
    summary: 'explain why a runner set, a runner or a job waits, what happened, and the next step',
    load: async () => (await import('@dayfly/controller/command/explain')).explainCommand(),
  },
  plan: {
    group: 'operate',
    summary: 'show the decision about each runner set now, with its reasons; change nothing',
    load: async () => (await import('@dayfly/controller/command/plan')).planCommand(),
  },
  drain: {
    group: 'operate',
    summary: 'let the runners of one set end: no new runner starts, and busy ones finish',
    load: async () => (await import('@dayfly/controller/command/drain')).drainCommand(),
  },
  sweep: {
    group: 'operate',
    summary: 'find what a lost installation left in the cluster and at the forge, and remove it',
    load: async () => (await import('@dayfly/controller/command/sweep')).sweepCommand(),
  },
  dashboard: {
    group: 'operate',
    summary: 'serve a page with the runner sets, their runners and what is wrong',
    load: async () => (await import('@dayfly/controller/command/dashboard')).dashboardCommand(),
  },
  cost: {
    group: 'operate',
    summary: 'print what runners cost by set, repository and workflow, as CSV',
    load: async () => (await import('@dayfly/controller/command/cost')).costCommand(),
  },
  doctor: {
    group: 'check',
    summary: 'find, explain and fix errors that make CI runners hang, leak or fail',
    load: async () => (await import('@dayfly/doctor/command/doctor')).doctorCommand(),
  },
  demo: {
    group: 'try',
    summary: 'run workflow files on this machine, with an emulated forge and an embedded cluster',
    load: async () => (await import('./command/demo.ts')).demoCommand(),
  },
  lab: {
    group: 'try',
    summary: 'reproduce an incident of CI runners on an embedded cluster, and show its remedy',
    load: async () => (await import('./command/lab.ts')).labCommand(),
  },
  cluster: {
    group: 'try',
    summary: 'run only the embedded Kubernetes cluster, for kubectl and other controllers',
    load: async () => {
      const { knownImages } = await import('./command/known-images.ts')
      return (await import('@dayfly/cluster/command/cluster')).clusterCommand(knownImages)
    },
  },
  emulate: {
    group: 'try',
    summary: 'serve an emulated forge on this machine, for tests without a real forge',
    load: async () => (await import('@dayfly/forge-emulators/command/emulate')).emulateCommand(),
  },
  import: {
    group: 'migrate',
    summary: "make RunnerSets of another autoscaler's own files, with a report",
    load: async () => (await import('./command/import.ts')).importCommand(),
  },
  takeover: {
    group: 'migrate',
    summary: 'take runners over from ARC, or from the autoscaler of Atlassian, without losing a job',
    load: async () => (await import('@dayfly/controller/command/takeover')).takeoverCommand(),
  },
}

process.exitCode = await runProgram(
  {
    title: 'ephemeral CI runners on Kubernetes',
    commands,
    examples: [
      ['demo', 'run the example workflows on this machine'],
      ['demo .github/workflows/ci.yml', 'run your own workflow'],
      ['doctor .', 'check the manifests in this directory'],
      ['status -A', 'show every runner set of a cluster'],
      ['help demo', 'show the options of one command'],
    ],
  },
  process.argv.slice(2),
)
