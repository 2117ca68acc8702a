// Follows docs/guide/release.md: makes a release in a registry of this machine, verifies it, and installs it by its digest.
// The cluster is the real node if there is one, else the embedded cluster.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it as test } from 'vitest'
import { controllerImage } from '../../../scripts/image/contents.ts'
import { architectureHere, writeLayout } from '../../../scripts/image/layout.ts'
import { pushImages } from '../../../scripts/release/registry.ts'
import { guideSteps, releasePage } from '../../dayfly/guide-pages.ts'
import { root } from './images.ts'
import { nodeKubeconfig } from './open-node.ts'
import { openReleaseStage, type ReleaseStage, releasePrograms } from './release-stage.ts'

const steps = guideSteps(releasePage).map(({ block }) => block)
const isInstallation = (text: string) => text.startsWith('helm install')

describe(`a release, on ${nodeKubeconfig ? 'a real node' : 'the embedded cluster'}`, () => {
  let obstacle: string | undefined
  let opened: ReleaseStage | undefined
  const stage = (): ReleaseStage => {
    if (!opened) throw new Error('the stage is not open')
    return opened
  }

  beforeAll(async () => {
    const programs = await releasePrograms()
    if (typeof programs === 'string') obstacle = programs
    else opened = await openReleaseStage(programs, nodeKubeconfig)
  })
  afterAll(async () => {
    if (!opened) return
    await run('kubectl delete crd runnersets.dayfly.dev --ignore-not-found')
    await run('kubectl delete namespace "$DAYFLY_NAMESPACE" "$RUNNER_NAMESPACE" --ignore-not-found --wait=false')
    await opened.close()
  })

  function it(title: string, body: () => Promise<void>): void {
    test(title, { timeout: 240_000 }, async (context) => {
      if (obstacle) context.skip(obstacle)
      await body()
    })
  }

  /** Runs commands. Resolves with the code and the output. */
  const attempt = (commands: string) => stage().shell.run(commands, stage().own)

  /** Runs commands, which must succeed. Resolves with their output. */
  async function run(commands: string): Promise<string> {
    const { code, stdout, stderr } = await attempt(commands)
    expect(code, `${commands} ended with ${code}:\n${stdout}${stderr}`).toBe(0)
    return stdout
  }

  /** Installs the release by the commands of the page, looks at the image that runs, and uninstalls. */
  async function install(): Promise<void> {
    for (const { text } of steps.filter((block) => isInstallation(block.text))) await run(text)
    const image = 'jsonpath={.items[*].spec.template.spec.containers[*].image}'
    const [running, published] = [
      await run(`kubectl -n "$DAYFLY_NAMESPACE" get deployments -o '${image}'`),
      await run('printf %s "$IMAGE"'),
    ]
    expect(running).toMatch(/@sha256:[0-9a-f]{64}$/)
    expect(running).toBe(published)
    await run('helm uninstall dayfly --namespace "$DAYFLY_NAMESPACE" --wait --timeout 60s')
  }

  it('finds the namespaces of the guide', async () => {
    stage().useHelm('helm')
    await run('true')
    await run('kubectl create namespace "$DAYFLY_NAMESPACE" && kubectl create namespace "$RUNNER_NAMESPACE"')
    await run('kubectl label namespace "$DAYFLY_NAMESPACE" pod-security.kubernetes.io/enforce=restricted')
  })

  for (const { line, text } of steps.filter((block) => !isInstallation(block.text)))
    it(`line ${line}: ${text.split('\n')[0]}`, async () => void (await run(text)))

  it('is installed by its digest with Helm 4', install)

  it('is installed by its digest with Helm 3', async () => {
    stage().useHelm('helm3')
    expect(await run('helm version --short')).toMatch(/^v3\./)
    await install()
    stage().useHelm('helm')
  })

  it('is refused by its signature, its checksums and its provenance if a byte changed', async () => {
    await run('cp -r "$RELEASE" changed && printf x >>changed/dayfly-$VERSION.tgz && printf x >>changed/SHA256SUMS')
    const refusals = [
      'cosign verify-blob $SIGNER --bundle changed/SHA256SUMS.sigstore.json changed/SHA256SUMS',
      '(cd changed && sha256sum --check SHA256SUMS)',
      'helm verify --keyring "$KEYRING" changed/dayfly-$VERSION.tgz',
      // The index of the images is signed by another key.
      'cosign generate-key-pair --output-key-prefix other && cosign verify --key other.pub --insecure-ignore-tlog "$IMAGE"',
    ]
    for (const commands of refusals) expect((await attempt(commands)).code, commands).not.toBe(0)
  })

  it('has one index with the images for both processors, and takes no other version', async () => {
    const { shell, registry, crane } = stage()
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      readonly version: string
    }
    const own = path.join(root, 'dist/image')
    const other = path.join(shell.folder, 'other-image')
    mkdirSync(other)
    const image = await controllerImage(path.join(root, 'packages/controller/dist'), `localhost/dayfly:${version}`)
    const architecture = architectureHere() === 'amd64' ? 'arm64' : 'amd64'
    writeFileSync(path.join(other, 'dayfly.tar'), writeLayout([image], architecture))
    cpSync(path.join(own, 'dayfly.cdx.json'), path.join(other, 'dayfly.cdx.json'))
    const to = { name: `${registry}/both`, crane, helm: 'helm' }
    const pushed = await pushImages(to, version, [own, other])
    const { manifests } = JSON.parse(await run(`crane manifest ${pushed.image.name}@${pushed.image.digest}`))
    const found = manifests.map((each: { platform: object; digest: string }) => [each.digest, each.platform])
    expect(found).toEqual(pushed.platforms.map(({ digest, architecture }) => [digest, { architecture, os: 'linux' }]))
    expect(new Set(pushed.platforms.map((each) => each.architecture))).toEqual(new Set(['amd64', 'arm64']))
    await expect(pushImages(to, version, [own, own])).rejects.toThrow('Two folders')
    await expect(pushImages(to, '9.9.9', [own])).rejects.toThrow('instead of 9.9.9')
    await expect(pushImages(to, version, [shell.folder])).rejects.toThrow('There is no')
  })
})
