// The tests of the fast tier, and the fault that each of them alone can see. `npm run test:node` runs them, `npm run test:kubernetes` runs all.
// A test is here if only a kubelet, a real API server or an unmodified client shows the fault, and no other test of this list shows it.

/** The title of a test, where `*` stands for any text, and the fault. */
type Entry = readonly [title: string, fault: string]
/** The tests of each file. */
export type Lane = Readonly<Record<string, readonly Entry[]>>

/** They examine or serve the whole cluster, or build the programs again. So no other test runs at the same time. */
const alone: Lane = {
  // A second node of another test would change the words of the scheduler.
  'node/lives.test.ts': [
    ['the recorded lives of pods match those on a real node', 'our kubelet imitates a life that no kubelet shows'],
  ],
  'doctor-live.test.ts': [
    ['has the same findings as on the embedded cluster', 'a field that only our API server returns decides a finding'],
    ['completes a stuck uninstall without its controller', 'the API server refuses a step of the repair'],
  ],
  'doctor-rbac.test.ts': [
    ['grant every needed permission and no other', 'RBAC refuses a call that the printed roles should allow'],
  ],
  // It installs a controller of the whole cluster.
  'chart/cluster.test.ts': [
    ['install a controller whose pods the restricted Pod Security admits', 'Pod Security refuses the controller'],
    ['install RunnerSets that the API server accepts', 'the chart of the sets renders what the definition refuses'],
    [
      'upgrade from one namespace to the whole cluster, and remove the roles of the namespace',
      'an upgrade leaves rights',
    ],
  ],
  'node/uninstall.test.ts': [
    [
      'is completed from the runners upwards, but a busy runner and its owners stay until it ends',
      'S4 ends a busy pod',
    ],
  ],
  'node/start-failures.test.ts': [
    ['shows within 45 s: *', 'a reason, in the words of a real kubelet, is not recognised in time'],
  ],
  'node/guide.test.ts': [
    ['install.md *', 'a command of the first page does not work as it is printed'],
    ['first-set.md *', 'the first runner set of a reader does not run its workflow'],
    ['uninstall.md *', 'something of the installation stays in the cluster or at the forge'],
  ],
  'node/release.test.ts': [
    [
      'a release, on a real node *',
      'a release fails, verifies after a change, or a node cannot pull its image by digest',
    ],
  ],
}

/** Whole lives, and what they need of the API server. */
const lives: Lane = {
  'node/install.test.ts': [
    [
      'loses no job and runs none twice if the leader is killed under load',
      'a real life leaves a pod, Secret, registration, process or control group, or a new leader runs a job again',
    ],
    [
      'makes a RunnerSet for each size, and deletes that of a size that is taken away',
      'a real API server refuses what the controller writes for a size',
    ],
    ['uses each right of its Role and asks for no other', 'the chart grants too much or too little'],
    ['leaves no shim of a container whose pod is gone', 'a removed runner leaves a process of the runtime'],
  ],
  'node/docker.test.ts': [
    ['ends the pod itself if the set only warns about that template', 'S0: an ordinary Docker container keeps the pod'],
    [
      'is gone within 10 s of its runner with docker: sidecar',
      'a real engine does not start, serve or end as a sidecar',
    ],
    [
      'is gone within 10 s of its runner with docker: rootless',
      'a real engine does not start or serve in the user namespace of a pod',
    ],
  ],
  'node/bitbucket.test.ts': [
    [
      'leaves nothing with the RunnerSet that dayfly import makes of the same template',
      'a life at Bitbucket, or the import, fails with a real kubelet and engine',
    ],
  ],
  'dashboard-gate.test.ts': [
    ['shows a namespace to who may get its RunnerSets, by the rights of the chart', 'a real review answers otherwise'],
  ],
  'runner-set-definition.test.ts': [
    ['refuses min above max with the path, the sentence and the next step', 'kubectl shows a refusal in other words'],
    ['stores the example of the page, with every default', 'a real API server drops or adds a field'],
    [
      'lets two managers apply their own fields twice without a conflict',
      'the lists of the definition merge otherwise',
    ],
    ['takes a status with every field, and kubectl waits for its conditions', 'a field of the status is pruned'],
  ],
}

/** They wait for the deadlines of a cluster, and for nothing else. */
const ends: Lane = {
  'node/stuck.test.ts': [
    [
      'a runner that kubectl drain evicts is named so within 45 s, and its node goes on after that',
      'a drain is taken for another end',
    ],
    [
      'a runner whose node shuts down is named so within 45 s, in the words of the kubelet',
      'a shutdown is taken for a failed job',
    ],
    ['a pod whose hook hangs is replaced, and ends when its hook does', 'S3: a hung hook blocks the set, or is hidden'],
    [
      'a runner whose node is gone is shown and replaced, and goes with the Node object',
      'a lost node is taken for an end',
    ],
  ],
  'node/removal.test.ts': [
    [
      'while the forge is unreachable ends within 60 s and leaves nothing in the cluster',
      'an uninstall waits for a forge',
    ],
  ],
}

/** They have no controller of Dayfly. */
const others: Lane = {
  'recorded.test.ts': [
    ['the recorded answers match those of a real cluster', 'our API server imitates an answer that was never given'],
  ],
  'node/repairs.test.ts': [
    ['has no finding on a healthy node', 'the doctor reports a pod that a kubelet and controllers made well'],
    ['ends zombies and touches no busy runner', 'S0: a repair ends or changes a busy runner, or misses a zombie'],
    ['reports why pods do not start', 'the doctor does not recognise the words of a real kubelet'],
  ],
  'node/incidents.test.ts': [
    ['S0: s0-zombie.yaml', 'the fixed template is a zombie, too'],
    ['S1: s1-on-failure.yaml', 'the fixed template does not start'],
    ['S2: s2-many-jobs.yaml', 'the collector deletes pods that the Job controller must still count'],
    ['S3: s3-hook.yaml', 'a pod that a hung hook keeps is explained wrongly, or repaired without proof'],
  ],
  'client.test.ts': [
    ['sees all objects and every change in the same form as a list', 'a real streaming list differs from ours'],
    [
      'starts again from a list if its position is too old, and is up to date again after a break',
      'a real 410 or a closed watch stops the reflector',
    ],
    ['let one of two candidates lead, and the other one as soon as the lease is released', 'two controllers lead'],
    ['a create beyond the quota fails with the kind quota', 'a refusal of a quota counts as one of RBAC'],
    ['delete with another UID or resourceVersion is refused and keeps the pod', 'a precondition is not sent'],
  ],
  'template-acceptance.test.ts': [
    ['judges as the embedded API server does: the default template', 'a real API server refuses our own pod'],
    ['judges as the embedded API server does: a Docker sidecar', 'a real API server refuses our own sidecar'],
    ['shows what Pod Security forbids, and that only the Docker sidecar needs privileges', 'Pod Security is unclear'],
    ['shows the sentence of a validating policy', "the cluster's own sentence is lost"],
    ['accepts what a mesh adds: labels, a proxy as native sidecar, volumes and variables', 'a mesh stops every set'],
    ['shows a silent change of the credential of the runner', 'a webhook replaces the credential, and nobody sees it'],
  ],
  'pod-security.test.ts': [
    [
      'judges as the embedded API server does at the level *',
      'our API server forbids or allows other pods than a real one, or says it in other words',
    ],
  ],
  'policies.test.ts': [
    ['agree with the rules on every page and sample', 'the expression of a policy says something else than its rule'],
    ['refuse objects if their binding says so', 'a policy cannot be enforced'],
  ],
  'scaleset.test.ts': [
    ['the Go client works in hosted mode', 'the emulator answers what the public client does not understand'],
    ['the Go client works as an App, with the paths of an Enterprise Server', 'the emulator has other paths'],
  ],
  'kubectl.test.ts': [
    ['kubectl shows the cluster', 'kubectl does not understand our discovery or tables'],
    ["kubectl follows a pod's whole life", 'kubectl does not understand our watch or logs'],
    [
      'kubectl applies a new, an unchanged, a changed and an invalid manifest',
      'kubectl does not understand our patches',
    ],
    ['kubectl deletes pods and waits for their end', 'kubectl waits forever'],
  ],
  'kubectl-exec.test.ts': [
    ['12 MB pass through the command and back unchanged', 'our streams lose bytes of a real client'],
    ['files and folders are copied in both directions', 'kubectl cp does not understand our exit codes'],
  ],
  'chart/render.test.ts': [
    [
      'has manifests for kubectl: the definition alone, and the controller in a namespace that they create',
      'an installation without helm lacks a part of the chart',
    ],
    [
      'gives each account of sets with jobs in pods its Role once, and those pods the policy of the runners',
      'a runner may not make the pod of its job, or that pod reaches the credentials of the node',
    ],
    ['the chart renders the controller* without a complaint of helm lint', 'helm refuses the chart'],
  ],
}

/** The first lane runs alone, and then the others run side by side. */
export const fastTier = { alone, lives, ends, others } as const

export type LaneName = keyof typeof fastTier

/** Returns a pattern for the whole names of tests with this title. */
export function patternOf(title: string): RegExp {
  const text = title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('\\*', '.*')
  return new RegExp(`(?:^| )${text}$`)
}
