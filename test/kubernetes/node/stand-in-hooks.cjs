// Stands in for the hooks of GitHub's runner image, which no package registry has. It makes the same requests, and runs no commands in the pod.
// https://github.com/actions/runner-container-hooks/blob/v0.8.1/packages/k8s/src/index.ts
const { readFileSync, writeFileSync } = require('node:fs')
const https = require('node:https')

const account = '/var/run/secrets/kubernetes.io/serviceaccount'
const read = (file) => readFileSync(`${account}/${file}`, 'utf8')
const namespace = read('namespace')
const runner = process.env.ACTIONS_RUNNER_POD_NAME
const mine = { 'runner-pod': runner }
const selector = `?labelSelector=runner-pod%3D${runner}`
const objects = (kind) => `/api/v1/namespaces/${namespace}/${kind}`
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

function call(method, path, body) {
  const host = process.env.KUBERNETES_SERVICE_HOST
  const port = process.env.KUBERNETES_SERVICE_PORT
  const text = body === undefined ? '' : JSON.stringify(body)
  const length = Buffer.byteLength(text)
  const headers = {
    authorization: `Bearer ${read('token')}`,
    'content-type': 'application/json',
    'content-length': length,
  }
  return new Promise((resolve, reject) => {
    const request = https.request({ host, port, path, method, headers, ca: read('ca.crt') }, (answer) => {
      let said = ''
      answer.setEncoding('utf8').on('data', (part) => (said += part))
      answer.on('end', () => {
        if (answer.statusCode < 400) resolve(JSON.parse(said))
        else reject(new Error(`${method} ${path}: ${answer.statusCode} ${said}`))
      })
    })
    request.on('error', reject)
    request.end(text)
  })
}

/** @returns the rights that are missing */
async function missingRights() {
  const needed = {
    pods: 'get list create delete',
    'pods/exec': 'get create',
    'pods/log': 'get list watch',
    secrets: 'get list create delete',
  }
  const missing = []
  for (const [kind, verbs] of Object.entries(needed)) {
    const [resource, subresource] = kind.split('/')
    for (const verb of verbs.split(' ')) {
      const spec = { resourceAttributes: { group: '', resource, subresource, verb, namespace } }
      const { status } = await call('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec,
      })
      if (!status.allowed) missing.push(`${verb} ${kind}`)
    }
  }
  return missing
}

async function prune(kind) {
  const { items } = await call('GET', `${objects(kind)}${selector}`)
  for (const { metadata } of items) await call('DELETE', `${objects(kind)}/${metadata.name}`, { gracePeriodSeconds: 0 })
}

async function prepareJob({ container: { image, registry } }, responseFile) {
  await prune('pods')
  const spec = {
    restartPolicy: 'Never',
    securityContext: { fsGroup: 1001 },
    initContainers: [init()],
    volumes: [{ name: 'work', emptyDir: {} }],
  }
  spec.containers = [
    {
      name: 'job',
      image,
      command: ['tail'],
      args: ['-f', '/dev/null'],
      volumeMounts: [{ name: 'work', mountPath: '/__w' }],
    },
  ]
  if (registry) spec.imagePullSecrets = [{ name: await registrySecret(registry) }]
  const name = `${runner}-workflow`
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: mine }, spec }
  try {
    await call('POST', objects('pods'), pod)
    for (let waited = 0, wait = 1; ; waited += wait, wait = Math.min(20, wait * 2)) {
      const { status } = await call('GET', `${objects('pods')}/${name}`)
      if (status.phase === 'Running') break
      if (
        status.phase !== 'Pending' ||
        waited > Number(process.env.ACTIONS_RUNNER_PREPARE_JOB_TIMEOUT_SECONDS ?? 600)
      ) {
        throw new Error(`pod failed to come online: ${status.phase}`)
      }
      await sleep(wait * 1_000)
    }
  } catch (error) {
    await prune('pods')
    throw error
  }
  writeFileSync(responseFile, JSON.stringify({ state: { jobPod: name }, context: {}, isAlpine: false }))
}

function init() {
  const command = ['sh', '-c', 'mkdir -p /mnt/work && test -e /home/runner/externals/node']
  const user = { runAsUser: 1001, runAsGroup: 1001 }
  return {
    name: 'fs-init',
    image: process.env.ACTIONS_RUNNER_IMAGE,
    command,
    securityContext: user,
    volumeMounts: [{ name: 'work', mountPath: '/mnt/work' }],
  }
}

async function registrySecret({ serverUrl, username, password }) {
  const name = `${runner.substring(0, 47)}-secret-${Math.random().toString(16).slice(2, 10)}`
  const auths = { [serverUrl]: { username, password, auth: Buffer.from(`${username}:${password}`).toString('base64') } }
  const data = { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths })).toString('base64') }
  const metadata = { name, namespace, labels: mine }
  await call('POST', objects('secrets'), {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata,
    immutable: true,
    type: 'kubernetes.io/dockerconfigjson',
    data,
  })
  return name
}

async function main() {
  const { command, args, responseFile, state } = JSON.parse(readFileSync(0, 'utf8'))
  const missing = await missingRights()
  if (missing.length > 0) throw new Error(`The Service account needs ${missing.join(', ')}`)
  if (command === 'prepare_job') await prepareJob(args, responseFile)
  if (command === 'run_script_step') await call('GET', `${objects('pods')}/${state.jobPod}`)
  if (command === 'cleanup_job') {
    await prune('pods')
    await prune('secrets')
  }
}

main().catch((error) => {
  console.error(error)
  process.exit(1)
})
