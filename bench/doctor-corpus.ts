// Writes the folders that the doctor's benchmark reads: one like a repository, with mostly everyday manifests, and one in which every file has hazards.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { readRuleFixtures } from '@dayfly/doctor/rule-fixtures'
import { catalogue } from '@dayfly/doctor/rules/catalogue'
import { parseAllDocuments } from 'yaml'

/** The kinds that kubeconform gets a schema for. */
export const kinds = [
  'ConfigMap',
  'CronJob',
  'DaemonSet',
  'Deployment',
  'Job',
  'PersistentVolumeClaim',
  'Pod',
  'PodDisruptionBudget',
  'Role',
  'RoleBinding',
  'Secret',
  'ServiceAccount',
  'StatefulSet',
]

/** Every tenth file has a hazard; the others are everyday manifests. Each has its own names. Returns their paths. */
export function writeRepository(into: string, files: number): string[] {
  const hazards = hazardTexts()
  return writeTexts(into, files, (index) => {
    const from = index % 10 === 9 ? hazards : everyday
    return (from[Math.floor(index / 10) % from.length] ?? '').replaceAll('NAME', `app-${index}`)
  })
}

/** Repeats every file block of every rule's page, of the kinds that all tools read. */
export function writeHazards(into: string, files: number): string[] {
  const texts = hazardTexts()
  return writeTexts(into, files, (index) => texts[index % texts.length] ?? '')
}

function writeTexts(into: string, files: number, textOf: (index: number) => string): string[] {
  mkdirSync(into)
  return Array.from({ length: files }, (_, index) => {
    const file = path.join(into, `${index}.yaml`)
    writeFileSync(file, textOf(index))
    return file
  })
}

export function hazardTexts(): string[] {
  return catalogue
    .flatMap(({ slug }) => readRuleFixtures(slug))
    .filter(({ options }) => options['at'] === undefined)
    .map(({ text }) => text)
    .filter((text) =>
      parseAllDocuments(text).every(
        (document) =>
          document.errors.length === 0 && ['Job', 'Pod', 'ConfigMap'].includes(String(document.get('kind'))),
      ),
    )
}

const labels = `
    app.kubernetes.io/name: NAME
    app.kubernetes.io/part-of: shop
    app.kubernetes.io/managed-by: kustomize`

/** The fields of a pod spec, indented for a template. */
const containers = `
      serviceAccountName: NAME
      securityContext:
        runAsNonRoot: true
        fsGroup: 1000
      containers:
        - name: main
          image: registry.example/shop/NAME:1.14.2
          args: ["--listen=:8080", "--log-format=json"]
          ports:
            - name: http
              containerPort: 8080
          env:
            - name: DATABASE_HOST
              value: db.shop.svc.cluster.local
            - name: DATABASE_PASSWORD
              valueFrom:
                secretKeyRef:
                  name: NAME-database
                  key: password
          readinessProbe:
            httpGet:
              path: /healthz
              port: http
            periodSeconds: 5
          resources:
            requests:
              cpu: 100m
              memory: 128Mi
            limits:
              memory: 256Mi
          volumeMounts:
            - name: settings
              mountPath: /etc/NAME
      volumes:
        - name: settings
          configMap:
            name: NAME-settings`

function workload(kind: string, more: string): string {
  return `# The NAME service
apiVersion: apps/v1
kind: ${kind}
metadata:
  name: NAME
  namespace: shop
  labels:${labels}
spec:${more}
  selector:
    matchLabels:
      app.kubernetes.io/name: NAME
  template:
    metadata:
      labels:
        app.kubernetes.io/name: NAME
    spec:${containers}
`
}

export const everyday: readonly string[] = [
  workload('Deployment', '\n  replicas: 3\n  revisionHistoryLimit: 5'),
  `apiVersion: v1
kind: ConfigMap
metadata:
  name: NAME-settings
  namespace: shop
  labels:${labels}
data:
  LOG_LEVEL: info
  settings.yaml: |
    server:
      address: 0.0.0.0:8080
      timeout: 30s
    cache:
      size: 64
      # seconds
      ttl: 300
    features:
      - search
      - checkout
`,
  `apiVersion: v1
kind: ServiceAccount
metadata:
  name: NAME
  namespace: shop
  labels:${labels}
automountServiceAccountToken: false
`,
  workload('StatefulSet', '\n  serviceName: NAME\n  replicas: 2'),
  `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: NAME
  namespace: shop
rules:
  - apiGroups: [""]
    resources: ["configmaps", "secrets"]
    verbs: ["get", "list", "watch"]
  - apiGroups: ["coordination.k8s.io"]
    resources: ["leases"]
    verbs: ["get", "create", "update"]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: NAME
  namespace: shop
subjects:
  - kind: ServiceAccount
    name: NAME
    namespace: shop
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: NAME
`,
  `apiVersion: batch/v1
kind: CronJob
metadata:
  name: NAME-report
  namespace: shop
spec:
  schedule: "15 3 * * *"
  concurrencyPolicy: Forbid
  successfulJobsHistoryLimit: 1
  jobTemplate:
    spec:
      backoffLimit: 2
      activeDeadlineSeconds: 3600
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: report
              image: registry.example/shop/report:2.0.1
              command: ["/bin/report", "--since=24h"]
              resources:
                limits:
                  memory: 512Mi
`,
  workload('DaemonSet', '\n  updateStrategy:\n    type: RollingUpdate'),
  `apiVersion: v1
kind: Secret
metadata:
  name: NAME-database
  namespace: shop
type: Opaque
stringData:
  username: NAME
  password: change-me
`,
  `apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: NAME
  namespace: shop
spec:
  minAvailable: 1
  selector:
    matchLabels:
      app.kubernetes.io/name: NAME
`,
  `apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: NAME-data
  namespace: shop
spec:
  accessModes: ["ReadWriteOnce"]
  storageClassName: fast
  resources:
    requests:
      storage: 20Gi
`,
]
