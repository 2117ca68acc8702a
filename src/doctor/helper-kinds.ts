// The helpers that Jobs have beside their work and that never end by themselves: their images, and their programs.

export type HelperKind = {
  readonly what: string
  /** Of the repository, without tag. */
  readonly image: RegExp
  /** Of a program that a command starts. */
  readonly program: RegExp
  /** Arguments, if there are any, without which it does something else. */
  readonly needs?: RegExp
  /** The entry point of the image runs other programs that it is given. */
  readonly runsOthers?: true
}

export const helperKinds: readonly HelperKind[] = [
  {
    what: "Istio's proxy",
    image: /(^|\/)(istio-)?proxyv2$|^istio-proxy$/,
    program: /^pilot-agent$/,
    needs: /\bproxy\b/,
  },
  { what: 'Envoy', image: /(^|\/)envoy(-distroless|-alpine)?$/, program: /^envoy$/ },
  { what: "Linkerd's proxy", image: /(^|\/)linkerd2?-proxy$|\/linkerd\/proxy$/, program: /^linkerd2?-proxy$/ },
  {
    what: 'the Cloud SQL proxy',
    image: /(^|\/)(cloud-?sql-proxy|gce-proxy|cloud_sql_proxy)$/,
    program: /^cloud[-_]sql[-_]proxy$/,
  },
  { what: 'the AlloyDB proxy', image: /(^|\/)alloydb-auth-proxy$/, program: /^alloydb-auth-proxy$/ },
  { what: 'a Vault agent', image: /(^|\/)vault(-enterprise)?$/, program: /^vault$/, needs: /^(agent|proxy)\b/ },
  { what: 'Fluent Bit', image: /(^|\/)(aws-for-)?fluent-bit$/, program: /^fluent-bit$/ },
  { what: 'Fluentd', image: /(^|\/)fluentd(-kubernetes-daemonset)?$/, program: /^fluentd$/, runsOthers: true },
  { what: 'Promtail', image: /(^|\/)promtail$/, program: /^promtail$/ },
  { what: 'Filebeat', image: /(^|\/)filebeat(-oss)?$/, program: /^filebeat$/, runsOthers: true },
  { what: 'Vector', image: /(^|\/)timberio\/vector$/, program: /^vector$/, needs: /^-/ },
  {
    what: 'an OpenTelemetry collector',
    image: /(^|\/)(opentelemetry-collector(-contrib|-k8s)?|aws-otel-collector)$/,
    program: /^otelcol(-contrib|-k8s)?$/,
  },
  {
    what: 'the Datadog agent',
    image: /\/?datadog(hq)?\/agent$|(^|\/)datadog-agent$/,
    program: /^agent$/,
    needs: /^run\b/,
  },
  { what: 'the CloudWatch agent', image: /(^|\/)cloudwatch-agent$/, program: /^start-amazon-cloudwatch-agent$/ },
  { what: 'the X-Ray daemon', image: /(^|\/)aws-xray-daemon$/, program: /^xray$/ },
  { what: 'OAuth2 Proxy', image: /(^|\/)oauth2-proxy$/, program: /^oauth2-proxy$/ },
  { what: 'PgBouncer', image: /(^|\/)pgbouncer$/, program: /^pgbouncer$/, runsOthers: true },
  { what: 'HAProxy', image: /(^|\/)haproxy$/, program: /^haproxy$/, runsOthers: true },
  { what: 'nginx', image: /(^|\/)nginx$/, program: /^nginx$/, needs: /daemon off/, runsOthers: true },
  { what: 'a Redis server', image: /(^|\/)redis$/, program: /^redis-server$/, runsOthers: true },
  { what: 'a PostgreSQL server', image: /(^|\/)postgres$/, program: /^postgres$/, runsOthers: true },
  { what: 'a MySQL server', image: /(^|\/)(mysql|mariadb)$/, program: /^(mysqld|mariadbd)$/, runsOthers: true },
  { what: 'a MongoDB server', image: /(^|\/)mongo$/, program: /^mongod$/, runsOthers: true },
]
