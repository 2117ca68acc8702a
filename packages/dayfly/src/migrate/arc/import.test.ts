// The fate of each value of ARC's chart.

import { type Path, textsAt, valueAt } from '@dayfly/kit/read-json'
import { describe, expect, it } from 'vitest'
import { importFiles } from './import.fixture.ts'

const base =
  'githubConfigUrl: https://github.com/acme\ngithubConfigSecret: app\nrunnerScaleSetName: linux\nmaxRunners: 5\n'

/** Imports one set of a values file. */
function one(values: string) {
  const { sets } = importFiles({ 'values.yaml': `${base}${values}` }, { namespace: 'ci' })
  const [set] = sets
  if (!set || sets.length > 1) throw new Error(`${sets.length} sets`)
  const lineOf = (path: string) => {
    const found = set.lines.filter((line) => line.path === path)
    return found.map(({ is, sentence }) => `${is}: ${sentence}`).join('; ')
  }
  const spec = set.document.spec
  const at = (...path: Path) => valueAt(spec, ...path)
  return { ...set, spec, at, lineOf }
}

const template = (container: string, more = '') =>
  `template: {spec: {${more}${more && ', '}containers: [{name: runner, ${container}}]}}\n`

describe('the account', () => {
  it('keeps URL, Secret, group and labels, and makes a name that Kubernetes allows', () => {
    const { document } = one('runnerScaleSetName: Linux_X64\nrunnerGroup: large\nscaleSetLabels: [gpu, LINUX-x64]\n')
    expect(document).toMatchObject({
      metadata: { name: 'linux-x64', namespace: 'ci' },
      spec: {
        github: {
          url: 'https://github.com/acme',
          credentials: { secret: 'app' },
          runnerGroup: 'large',
          labels: ['Linux_X64', 'gpu'],
        },
      },
    })
  })

  it.each([
    ['a token', '{github_token: ghp_0123456789abcdefghij}', '--from-file=github_token=FILE'],
    [
      'an App',
      '{github_app_id: "1", github_app_installation_id: "2", github_app_private_key: "-----BEGIN RSA PRIVATE KEY-----"}',
      '--from-file=github_app_private_key=FILE',
    ],
  ])('takes a Secret in place of %s, whose value is in no output', (_, secret, option) => {
    const result = importFiles({ 'values.yaml': `${base}githubConfigSecret: ${secret}\n` })
    const [set] = result.sets
    expect(set?.document.spec['github']).toMatchObject({ credentials: { secret: 'linux-github' } })
    expect(JSON.stringify(set?.secrets)).toContain(option)
    expect(JSON.stringify(result)).not.toMatch(/ghp_0|BEGIN RSA/)
  })

  it.each([
    ['a container', template('ghp_0123456789abcdefghij: x'), /containers\[0\].*CHANGE-ME/],
    ['the Secret', 'githubConfigSecret: {ghp_0123456789abcdefghij: x}\n', /^githubConfigSecret.*CHANGE-ME/],
  ])('leaves a token out that broken values have as a key of %s', (_, values, path) => {
    const result = importFiles({ 'values.yaml': `${base}${values}` })
    expect(result.sets[0]?.lines.map((line) => line.path)).toContainEqual(expect.stringMatching(path))
    expect(JSON.stringify(result)).not.toContain('ghp_0')
  })

  it('gives one proxy to the set, whose runners have it, too, and a second one for http to the runner', () => {
    const https = 'https: {url: "http://proxy.example:3128", credentialSecretRef: login}, noProxy: [.example]'
    const { at } = one(`proxy: {${https}}\n`)
    expect(at('github', 'proxy')).toEqual({
      url: 'http://proxy.example:3128',
      credentials: { secret: 'login' },
      noProxy: ['.example'],
    })
    expect(at('template')).toBeUndefined()
    const both = one(`proxy: {http: {url: "http://plain.example:8080", credentialSecretRef: plain}, ${https}}\n`)
    const value = 'http://$(HTTP_PROXY_USER):$(HTTP_PROXY_PASSWORD)@plain.example:8080'
    expect(both.at('template', 'spec', 'containers', 0, 'env')).toEqual([
      { name: 'HTTP_PROXY_USER', valueFrom: { secretKeyRef: { name: 'plain', key: 'username' } } },
      { name: 'HTTP_PROXY_PASSWORD', valueFrom: { secretKeyRef: { name: 'plain', key: 'password' } } },
      { name: 'http_proxy', value },
      { name: 'HTTP_PROXY', value },
    ])
  })

  it('leaves a URL of a proxy with a password out of every output', () => {
    const { spec, lines } = one('proxy: {https: {url: "http://me:pass-word@proxy.example:3128"}}\n')
    expect(JSON.stringify([spec, lines])).not.toContain('pass-word')
    expect(lines.find(({ path }) => path === 'proxy.https.url')).toMatchObject({ is: 'decide' })
  })

  it('mounts the certificates for the runner as the chart does', () => {
    const { at } = one(
      'githubServerTLS: {certificateFrom: {configMapKeyRef: {name: ca, key: own.crt}}, runnerMountPath: /certs/}\n',
    )
    expect(at('github', 'ca')).toEqual({ configMap: 'ca', key: 'own.crt' })
    expect(at('template', 'spec', 'containers', 0)).toMatchObject({
      env: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/certs/own.crt' }, { name: 'RUNNER_UPDATE_CA_CERTS' }],
      volumeMounts: [{ name: 'github-server-tls-cert', mountPath: '/certs/own.crt', subPath: 'own.crt' }],
    })
    expect(at('template', 'spec', 'volumes')).toHaveLength(1)
  })
})

describe('a value that the schema of a RunnerSet refuses', () => {
  const ofCa = 'githubServerTLS: {runnerMountPath: /certs, certificateFrom: {configMapKeyRef: '
  const ofWork = 'containerMode: {type: kubernetes, kubernetesModeWorkVolumeClaim: '
  const pathOfCa = 'githubServerTLS.certificateFrom.configMapKeyRef'
  const pathOfWork = 'containerMode.kubernetesModeWorkVolumeClaim'

  it.each<[path: string, values: string, line: RegExp, place: Path, left: unknown]>([
    ['githubConfigUrl', 'githubConfigUrl: /', /no URL/, ['github', 'url'], 'https://github.com/CHANGE-ME'],
    ['githubConfigSecret', 'githubConfigSecret: App', /no name/, ['github', 'credentials', 'secret'], 'linux-github'],
    ['runnerGroup', `runnerGroup: ${'x'.repeat(129)}`, /no name of 1 to 128/, ['github', 'runnerGroup'], undefined],
    ['scaleSetLabels[1]', `scaleSetLabels: [{}, ${'x'.repeat(129)}]`, /no label/, ['github', 'labels'], undefined],
    [
      'proxy.https.credentialSecretRef',
      'proxy: {https: {url: "http://p:1", credentialSecretRef: P}}',
      /no name of a Secret/,
      ['github', 'proxy'],
      { url: 'http://p:1' },
    ],
    [
      'proxy.noProxy[1]',
      `proxy: {http: {url: "http://p:1"}, noProxy: [a, ${'x'.repeat(254)}]}`,
      /1 to 253 characters/,
      ['github', 'proxy', 'noProxy'],
      ['a'],
    ],
    [
      'proxy.http.url',
      'proxy: {https: {url: "http://p:1"}, http: {url: "http://q:1", credentialSecretRef: Q}}',
      /HTTP_PROXY into the template/,
      ['template'],
      undefined,
    ],
    [
      'proxy.noProxy[0]',
      'proxy: {https: {url: "ftp://p"}, noProxy: [a]}',
      /Without the URL/,
      ['github', 'proxy'],
      undefined,
    ],
    [`${pathOfCa}.name`, `${ofCa}{name: CA, key: k}}}`, /no name of a ConfigMap/, ['github', 'ca'], undefined],
    [`${pathOfCa}.key`, `${ofCa}{name: CA, key: k}}}`, /Write spec.github.ca/, ['template'], undefined],
    [`${pathOfCa}.key`, `${ofCa}{name: ca, key: "k'"}}}`, /no key/, ['github', 'ca'], { configMap: 'ca' }],
    ['githubServerTLS.runnerMountPath', `${ofCa}{name: ca, key: "k'"}}}`, /no such mount/, ['template'], undefined],
    [
      `${pathOfWork}.resources.requests.storage`,
      `${ofWork}{resources: {requests: {storage: 1.5Gi}}}}`,
      /no size/,
      ['jobPods', 'work'],
      {},
    ],
    [
      `${pathOfWork}.storageClassName`,
      `${ofWork}{storageClassName: Fast}}`,
      /no name of a StorageClass/,
      ['jobPods', 'work'],
      {},
    ],
    [
      `${pathOfWork}.accessModes[0]`,
      `${ofWork}{accessModes: [ReadOnlyMany]}}`,
      /no access mode/,
      ['jobPods', 'work'],
      {},
    ],
  ])('is left out, and the report says what to write: %s', (path, values, line, place, left) => {
    const { at, lineOf } = one(`${values}\n`)
    expect(lineOf(path)).toMatch(/^decide: /)
    expect(lineOf(path)).toMatch(line)
    expect(at(...place)).toEqual(left)
  })

  it('keeps 64 hosts without a proxy, and a size that is a number', () => {
    const hosts = Array.from({ length: 65 }, (_, index) => `h${index}`)
    const { at, lineOf } = one(`proxy: {http: {url: "http://p:1"}, noProxy: [${hosts}]}\n`)
    expect(at('github', 'proxy', 'noProxy')).toEqual(hosts.slice(0, 64))
    expect(lineOf('proxy.noProxy[64]')).toMatch(/^decide: .*at most 64/)
    const sized = one(`${ofWork}{resources: {requests: {storage: 1000}}}}\n`)
    expect(sized.at('jobPods', 'work')).toEqual({ size: '1000' })
  })
})

describe('the limits', () => {
  it.each([
    ['minRunners: 2', { min: 2, max: 5 }, 'minRunners', 'kept: spec.scale.min'],
    ['minRunners: 9', { min: 5, max: 5 }, 'minRunners', /^changed: spec\.scale\.min: 5/],
    ['maxRunners: "7"', { max: 7 }, 'maxRunners', /^changed: .*number in quotes/],
    ['maxRunners:', { max: 2_147_483_647 }, 'maxRunners', /^decide: ARC has no limit here/],
    ['maxRunners: ${max}', { max: 2_147_483_647 }, 'maxRunners', /^decide: A template computes it/],
  ])('%s', (values, scale, path, line) => {
    const set = one(`${values}\n`)
    expect(set.at('scale')).toEqual(scale)
    expect(set.lineOf(path)).toMatch(line)
  })
})

describe('the runner', () => {
  it("leaves the chart's own command out, because it would hide the credential", () => {
    const { at } = one(template('image: ghcr.io/actions/actions-runner:latest, command: [/home/runner/run.sh]'))
    expect(at('template')).toBeUndefined()
  })

  it('starts any other command with the credential', () => {
    const { at, lineOf } = one(template('command: [/bin/bash, -c], args: ["setup && ./run.sh"]'))
    expect(at('template', 'spec', 'containers', 0)).toMatchObject({
      command: ['/bin/sh', '-c', expect.stringContaining('cat "${DAYFLY_ROOT:-}/run/dayfly/credential"'), 'runner'],
      args: ['/bin/bash', '-c', 'setup && ./run.sh'],
    })
    expect(lineOf('template.spec.containers[0].command[0]')).toMatch(/^changed/)
  })

  it('names what has no counterpart: arguments of an entrypoint, and Windows', () => {
    expect(one(template('args: [--once]')).lineOf('template.spec.containers[0].args[0]')).toMatch(
      /^decide: .*entrypoint/,
    )
    const windows = one(template('command: [cmd.exe, /c, run.cmd]'))
    expect(windows.lineOf('template.spec.containers[0].command[0]')).toMatch(/^decide: .*Windows/)
    const nodes = one('template: {spec: {nodeSelector: {kubernetes.io/os: windows}}}\n')
    expect(nodes.lineOf('template.spec.nodeSelector["kubernetes.io/os"]')).toMatch(/^decide: .*Windows/)
  })

  it('moves a credential in a variable to a Secret, and keeps variables that only look alike', () => {
    const set = one(
      template(
        'env: [{name: NPM_TOKEN, value: abcd-1234}, {name: X, value: "https://me:pw@x.example"}, {name: TOKEN_FILE, value: /t}]',
      ),
    )
    const reference = (key: string) => ({ secretKeyRef: { name: 'linux-variables', key } })
    expect(set.at('template', 'spec', 'containers', 0, 'env')).toEqual([
      { name: 'NPM_TOKEN', valueFrom: reference('NPM_TOKEN') },
      { name: 'X', valueFrom: reference('X') },
      { name: 'TOKEN_FILE', value: '/t' },
    ])
    expect(set.secrets).toHaveLength(1)
    expect(JSON.stringify(set)).not.toMatch(/abcd-1234|me:pw/)
  })

  it("keeps the token of an own ServiceAccount, and drops the chart's account without rights", () => {
    const own = one('template: {spec: {serviceAccountName: deploy}}\n')
    expect(own.at('template', 'spec')).toEqual({ serviceAccountName: 'deploy', automountServiceAccountToken: true })
    const chart = one('template: {spec: {serviceAccountName: linux-gha-rs-no-permission}}\n')
    expect(chart.at('template')).toBeUndefined()
    const ofMode = one('template: {spec: {serviceAccountName: linux-gha-rs-kube-mode}}\n')
    expect(ofMode.at('template', 'spec')).toMatchObject({ serviceAccountName: 'linux-gha-rs-kube-mode' })
    expect(ofMode.lineOf('template.spec.serviceAccountName')).toMatch(/^decide: It is kept/)
  })

  it('warns of rules that select pods by labels of ARC', () => {
    const { lineOf } = one(
      'template: {spec: {topologySpreadConstraints: [{labelSelector: {matchLabels: {actions.github.com/scale-set-name: linux}}}]}}\n',
    )
    const path =
      'template.spec.topologySpreadConstraints[0].labelSelector.matchLabels["actions.github.com/scale-set-name"]'
    expect(lineOf(path)).toMatch(/^decide: .*dayfly\.dev\/set/)
  })

  it('names a container that is not called runner', () => {
    const { at, lineOf } = one('template: {spec: {containers: [{name: main, image: x/runner}]}}\n')
    expect(at('template', 'spec', 'containers')).toEqual([{ name: 'runner', image: 'x/runner' }])
    expect(lineOf('template.spec.containers[0].name')).toMatch(/^decide/)
  })
})

const expanded = `template:
  spec:
    initContainers:
      - {name: init-dind-externals, image: ghcr.io/actions/actions-runner:latest, command: [cp, -r, /home/runner/externals/., /home/runner/tmpDir/], volumeMounts: [{name: dind-externals, mountPath: /home/runner/tmpDir}]}
      - name: dind
        image: docker:dind
        args: [dockerd, '--host=unix:///var/run/docker.sock', --group=$(DOCKER_GROUP_GID)]
        env: [{name: DOCKER_GROUP_GID, value: '123'}]
        securityContext: {privileged: true}
        restartPolicy: Always
        startupProbe: {exec: {command: [docker, info]}, failureThreshold: 24}
        volumeMounts: [{name: work, mountPath: /home/runner/_work}, {name: dind-sock, mountPath: /var/run}, {name: dind-externals, mountPath: /home/runner/externals}]
    containers:
      - name: runner
        image: ghcr.io/actions/actions-runner:latest
        command: [/home/runner/run.sh]
        env: [{name: DOCKER_HOST, value: 'unix:///var/run/docker.sock'}, {name: RUNNER_WAIT_FOR_DOCKER_IN_SECONDS, value: '120'}]
        volumeMounts: [{name: work, mountPath: /home/runner/_work}, {name: dind-sock, mountPath: /var/run}]
    volumes: [{name: work, emptyDir: {}}, {name: dind-sock, emptyDir: {}}, {name: dind-externals, emptyDir: {}}]
`

describe('Docker', () => {
  it('makes the same set of the mode dind and of the template that the chart makes of it', () => {
    const { spec, at } = one('containerMode: {type: dind}\n')
    expect(spec).toEqual(one(expanded).spec)
    expect(at('docker')).toBe('sidecar')
    // Dayfly's pod copies the programs for a job's containers itself.
    expect(spec).not.toHaveProperty('template')
  })

  it('keeps what a template changes at its engine', () => {
    const changed = expanded
      .replace(
        'image: docker:dind',
        'image: registry.example/docker:27-dind\n        resources: {limits: {memory: 4Gi}}',
      )
      .replace('--group=', "--mtu=1400, '-H', 'tcp://0.0.0.0:2375', --group=")
      .replace('{name: work, emptyDir: {}}', '{name: work, emptyDir: {sizeLimit: 50Gi}}')
    const { at } = one(changed)
    expect(at('template', 'spec', 'initContainers', 0)).toMatchObject({
      name: 'docker',
      image: 'registry.example/docker:27-dind',
      resources: { limits: { memory: '4Gi' } },
    })
    const args = textsAt(at('template', 'spec', 'initContainers', 0), 'args')
    expect(args.slice(-1)).toEqual(['--mtu=1400'])
    expect(args.join(' ')).not.toContain('2375')
    expect(at('template', 'spec', 'volumes')).toContainEqual({ name: 'dayfly-work', emptyDir: { sizeLimit: '50Gi' } })
  })

  it('keeps an init container that copies the programs of another image', () => {
    const { at } = one(expanded.replace('image: ghcr.io/actions/actions-runner:latest, command', 'image: x/y, command'))
    expect(at('template', 'spec', 'initContainers')).toMatchObject([
      { name: 'init-dind-externals', image: 'x/y' },
      { name: 'docker', volumeMounts: [{ name: 'dind-externals', mountPath: '/home/runner/externals' }] },
    ])
    expect(at('template', 'spec', 'volumes')).toContainEqual({ name: 'dind-externals', emptyDir: {} })
  })

  it('mounts no volume that the chart would have added', () => {
    const { at } = one(
      `containerMode: {type: dind}\n${template('volumeMounts: [{name: work, mountPath: /data}, {name: dind-sock, mountPath: /var/run}, {name: lost, mountPath: /lost}]')}`,
    )
    expect(at('template', 'spec', 'containers', 0, 'volumeMounts')).toEqual([
      { name: 'dayfly-work', mountPath: '/data' },
    ])
  })

  it.each([
    ['a rootless engine', 'image: docker:27-dind-rootless', 'initContainers[1].image'],
    ['a script', "image: docker:dind\n        command: [sh, -c, 'a | b; dockerd']", 'initContainers[1].command[2]'],
  ])('leaves %s to the operator', (_, text, path) => {
    const changed = expanded.replace('image: docker:dind', text)
    expect(one(changed).lineOf(`template.spec.${path}`)).toMatch(/^decide/)
  })

  it('gives the work folder to the runner, too, if only the engine of the template mounts it', () => {
    const { at } = one(
      expanded
        .replace(
          'volumeMounts: [{name: work, mountPath: /home/runner/_work}, {name: dind-sock, mountPath: /var/run}]\n    volumes',
          'volumeMounts: []\n    volumes',
        )
        .replace('{name: work, emptyDir: {}}', '{name: work, emptyDir: {sizeLimit: 50Gi}}'),
    )
    expect(at('template', 'spec', 'volumes')).toContainEqual({ name: 'dayfly-work', emptyDir: { sizeLimit: '50Gi' } })
    expect(JSON.stringify(at('template', 'spec', 'initContainers') ?? [])).not.toContain('/home/runner/_work')
  })

  it("leaves a command that waits for the old engine's socket to the operator", () => {
    const command = "command: [sh, -c, 'until [ -S /var/run/docker.sock ]; do sleep 1; done; ./run.sh']"
    const path = 'template.spec.containers[0].command[2]'
    expect(one(`containerMode: {type: dind}\n${template(command)}`).lineOf(path)).toMatch(/^decide: .*socket/)
    expect(one(template(command)).lineOf(path)).toMatch(/^changed/)
  })

  it('says which settings of another mode have no effect', () => {
    const { lineOf } = one(
      'containerMode: {type: dind, kubernetesModeWorkVolumeClaim: {accessModes: [ReadWriteOnce]}}\nproxy: {image: squid}\n',
    )
    expect(lineOf('containerMode.kubernetesModeWorkVolumeClaim.accessModes[0]')).toMatch(/^dropped/)
    expect(lineOf('proxy.image')).toMatch(/^decide: ARC's chart reads http/)
  })

  it('warns of container hooks that a template names, and not of an empty name', () => {
    const hooks = (value: string) => template(`env: [{name: ACTIONS_RUNNER_CONTAINER_HOOKS, value: ${value}}]`)
    expect(one(hooks('/x')).lineOf('template.spec.containers[0].env[0].value')).toMatch(/^decide/)
    expect(one(hooks('""')).lineOf('template.spec.containers[0].env[0].value')).toMatch(/^kept/)
  })

  it('gives each job a pod in the modes of the chart, with the claim if the mode has one', () => {
    const claim =
      '{accessModes: [ReadWriteMany], storageClassName: fast, resources: {requests: {storage: 9Gi}}, selector: {}}'
    const { spec, at, lineOf } = one(
      `containerMode: {type: kubernetes, kubernetesModeWorkVolumeClaim: ${claim}}\n${template('env: [{name: ACTIONS_RUNNER_CONTAINER_HOOKS, value: /home/runner/k8s/index.js}, {name: ACTIONS_RUNNER_USE_KUBE_SCHEDULER, value: "true"}]')}`,
    )
    expect(spec).toMatchObject({
      jobs: 'pods',
      jobPods: { work: { size: '9Gi', class: 'fast', accessMode: 'ReadWriteMany' } },
    })
    expect(spec).not.toHaveProperty('docker')
    expect(at('template', 'spec')).toEqual({
      containers: [{ name: 'runner', env: [{ name: 'ACTIONS_RUNNER_USE_KUBE_SCHEDULER', value: 'true' }] }],
    })
    expect(lineOf('containerMode.type')).toMatch(/^changed: spec.jobs: pods.*rbac.jobPods/)
    expect(lineOf('containerMode.kubernetesModeWorkVolumeClaim.storageClassName')).toMatch(/^kept/)
    expect(lineOf('containerMode.kubernetesModeWorkVolumeClaim.selector')).toMatch(/^decide/)
    const copied = one('containerMode: {type: kubernetes-novolume, kubernetesModeAdditionalRoleRules: [{}]}\n')
    expect(copied.spec).toMatchObject({ jobs: 'pods' })
    expect(copied.spec).not.toHaveProperty('jobPods')
    expect(copied.lineOf('containerMode.kubernetesModeAdditionalRoleRules[0]')).toMatch(/^decide: .*dayfly-job-pods/)
  })

  it('keeps a work volume of the template, and a container hook that is not the chart own', () => {
    const values =
      'template: {spec: {volumes: [{name: work, emptyDir: {}}], containers: [{name: runner, env: [{name: ACTIONS_RUNNER_CONTAINER_HOOKS, value: /x}]}]}}'
    const { spec, at } = one(`containerMode: {type: kubernetes}\n${values}\n`)
    expect(spec).toMatchObject({ jobs: 'pods', jobPods: { work: {} } })
    expect(at('template', 'spec', 'volumes')).toEqual([{ name: 'work', emptyDir: {} }])
    expect(at('template', 'spec', 'containers', 0, 'env')).toEqual([
      { name: 'ACTIONS_RUNNER_CONTAINER_HOOKS', value: '/x' },
    ])
  })
})

describe('the report', () => {
  it('has a line for each value, also for those that nobody knows', () => {
    const { lines, lineOf } = one(
      'mystery: {deep: [1]}\nlistenerMetrics: {gauges: {gha_busy_runners: {labels: [a]}}}\nlabels: [x]\n',
    )
    expect(lineOf('mystery.deep[0]')).toMatch(/^decide: ARC's chart neither documents/)
    expect(lineOf('listenerMetrics.gauges.gha_busy_runners.labels[0]')).toMatch(/dayfly_runners\{state="busy"\}/)
    expect(lineOf('labels[0]')).toMatch(/^decide/)
    expect(new Set(lines.map(({ path }) => path)).size).toBe(lines.length)
  })

  it('names a value that a template computes, and keeps it as it is written', () => {
    const { at, lineOf } = one(template('image: "{{ .Values.image }}"'))
    expect(at('template', 'spec', 'containers', 0, 'image')).toBe('{{ .Values.image }}')
    expect(lineOf('template.spec.containers[0].image')).toMatch(/^decide: A template computes it/)
  })

  it('leaves out a label that Kubernetes would refuse, and puts numbers in quotes', () => {
    const { document, lineOf } = one('labels: {a: 1, b: "not a label"}\nannotations: {c: true}\n')
    expect(document.metadata).toMatchObject({ labels: { a: '1' }, annotations: { c: 'true' } })
    // ARC's pods have the labels of the set, and not its annotations.
    expect(document.spec['template']).toEqual({ metadata: { labels: { a: '1' } } })
    expect(lineOf('labels.b')).toMatch(/^decide/)
  })
})
