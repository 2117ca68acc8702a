// The pods of ARC's older generation, and the findings in them.
import { describe, expect, it } from 'vitest'
import { decodeFiles, examine } from '../engine/examine.ts'
import { gatherFacts } from '../engine/gather-facts.ts'
import { fixFiles } from '../fix/fixes.ts'
import { catalogue } from '../rules/catalogue.ts'

const deployment = (spec: string) =>
  `apiVersion: actions.summerwind.dev/v1alpha1\nkind: RunnerDeployment\nmetadata: { name: a }\nspec:\n  template:\n    spec:\n      repository: acme/shop\n${spec}`
const decode = (text: string) => decodeFiles([{ path: 'a.yaml', text }])

function podOf(text: string) {
  const [pod, ...others] = gatherFacts(decode(text).flatMap(({ objects }) => objects)).pods
  expect(others).toEqual([])
  return pod!
}
const namesOf = (text: string) => podOf(text).containers.map(({ name, role }) => `${role} ${name}`)
const codesOf = (text: string) =>
  examine(decode(text), catalogue).findings.map(({ code, container }) => `${code} ${container}`)

describe('the pod of an older runner', () => {
  it('has the runner and the Docker daemon that its controller adds', () => {
    const pod = podOf(deployment('      image: example.com/runner:1\n      env: [{ name: A, value: b }]\n'))
    expect(pod).toMatchObject({ owner: 'arc', isRunner: true, runner: 'runner', restartPolicy: 'Never' })
    expect(pod.containers.map(({ name, image, privileged }) => [name, image, privileged])).toEqual([
      ['runner', 'example.com/runner:1', false],
      ['docker', 'docker:dind', true],
    ])
    expect(pod.containers[0]?.env).toEqual({ A: 'b' })
    expect([...pod.daemons.keys()].map(({ name }) => name)).toEqual(['docker'])
  })

  it.each([
    ['dockerEnabled: false', ['container runner']],
    ['dockerdWithinRunnerContainer: true', ['container runner']],
    ['containerMode: kubernetes', ['container runner']],
    ['containerMode: kubernetes\n      containers: [{ name: docker }, { name: runner }]', ['container runner']],
    ['containers: [{ name: docker, image: x }]', ['container docker', 'container runner']],
    [
      'sidecarContainers: [{ name: s }]\n      initContainers: [{ name: i }]',
      ['init i', 'container s', 'container runner', 'container docker'],
    ],
  ])('follows %s', (spec, names) => expect(namesOf(deployment(`      ${spec}\n`))).toEqual(names))

  it('is that of a Runner, a RunnerReplicaSet and a RunnerSet', () => {
    const head = 'apiVersion: actions.summerwind.dev/v1alpha1\nmetadata: { name: a }\n'
    expect(namesOf(`${head}kind: Runner\nspec: { repository: a/b }\n`)).toEqual([
      'container runner',
      'container docker',
    ])
    expect(namesOf(deployment('').replace('RunnerDeployment', 'RunnerReplicaSet'))).toHaveLength(2)
    const set = `${head}kind: RunnerSet\nspec:\n  dockerdWithinRunnerContainer: true\n  template:\n    spec:\n      containers: [{ name: runner, image: x }]\n`
    expect(namesOf(set)).toEqual(['container runner'])
  })
})

describe('findings in older runners', () => {
  it('name what one can change, not what the controller ends', () => {
    const codes = codesOf(
      deployment('      sidecarContainers: [{ name: buildkitd, image: "moby/buildkit:v0.20.0" }]\n'),
    )
    expect(codes).not.toContain('POD101 buildkitd')
    expect(codes).not.toContain('POD101 docker')
  })

  it('say nothing about the data of a daemon that nobody wrote, unless its pod takes many jobs', () => {
    expect(codesOf(deployment(''))).toEqual([])
    const lasting = '      ephemeral: false\n'
    const { findings } = examine(decode(deployment(lasting)), catalogue)
    expect(findings.map(({ code, message }) => [code, /dockerVolumeMounts/.test(message)])).toEqual([['POD114', true]])
    expect(codesOf(deployment(`${lasting}      dockerEnabled: false\n`))).toEqual([])
    const mounted = (emptyDir: string) =>
      `      dockerVolumeMounts: [{ name: d, mountPath: /var/lib/docker }]\n      volumes: [{ name: d, emptyDir: ${emptyDir} }]\n`
    expect(codesOf(deployment(lasting + mounted('{ sizeLimit: 9Gi }')))).toEqual([])
    expect(codesOf(deployment(mounted('{}')))).toEqual(['POD114 docker'])
  })

  it('show a wait for the job only where someone sets it: the hook of the daemon ends after 15 seconds', () => {
    const wait = '      env: [{ name: RUNNER_GRACEFUL_STOP_TIMEOUT, value: "90" }]\n'
    expect(codesOf(deployment(wait))).toEqual(['POD112 undefined'])
    expect(codesOf(deployment(`${wait}      terminationGracePeriodSeconds: 120\n`))).toEqual([])
    const short = wait.replace('90', '20')
    expect(codesOf(deployment(short))).toEqual([])
  })

  it('do not miss a runner that is written without its image', () => {
    const bare = '      ephemeral: false\n      containers: [{ name: runner }]\n'
    expect(codesOf(deployment(bare))).toEqual(['POD114 docker'])
    expect(podOf(deployment('      image: a/b:1\n      containers: [{ name: runner }]\n')).containers[0]?.image).toBe(
      'a/b:1',
    )
    // The controller knows no image of any other container.
    expect(codesOf(deployment(`${bare}      sidecarContainers: [{ name: x }]\n`))).toEqual([])
  })

  it('are the same for a written daemon as for that of a new runner without its mode', () => {
    const job = `apiVersion: batch/v1\nkind: Job\nmetadata: { name: a }\nspec:\n  template:\n    spec:\n      restartPolicy: Never\n      containers:\n        - { name: runner, image: "summerwind/actions-runner:latest" }\n        - { name: docker, image: "docker:dind" }\n`
    expect(codesOf(job)).toContain('POD101 docker')
  })

  it('never lead to an edit of a container that is not written', () => {
    const files = decode(deployment(''))
    const { changed } = fixFiles(
      files,
      (now) => examine(now, catalogue).findings,
      (finding) => finding.container !== undefined,
    )
    expect(changed).toEqual([])
  })

  it('are left out for the autoscaler, which has no pods', () => {
    const text =
      'apiVersion: actions.summerwind.dev/v1alpha1\nkind: HorizontalRunnerAutoscaler\nmetadata: { name: a }\nspec: {}\n'
    const { coverage } = examine(decode(text), catalogue)
    expect([coverage.skipped, coverage.leftOut.map(({ line }) => line)]).toEqual([[], [2]])
  })
})
