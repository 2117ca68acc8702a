// The costs of the runners by repository, workflow and set. Idle capacity and failures of the infrastructure are apart.
import type { CostRow, Costs, WindowName } from '../model/trends.ts'
import { Answered, useAnswer } from './answer.tsx'
import { count, counted, hours, money, price } from './format.ts'
import { Note, Page, Section } from './parts.tsx'
import { ShowMore } from './show-more.tsx'
import { Incomplete, WindowChoice } from './window-choice.tsx'

export function CostsPage({ window }: { readonly window: WindowName }) {
  const answer = useAnswer<Costs>(`api/costs?window=${window}`, 60_000)
  return (
    <Page title="Costs">
      <WindowChoice page="costs" window={window} />
      <Answered of={answer.value}>{(costs) => <Shown costs={costs} />}</Answered>
    </Page>
  )
}

/** An amount, or nothing if no prices are configured. */
type Priced = (amount: number) => string | null

function Shown({ costs }: { readonly costs: Costs }) {
  const { prices } = costs
  const priced: Priced = (amount) => (prices === null ? null : money(amount, prices.currency))
  return (
    <>
      <Incomplete before={costs.incompleteBefore} />
      {prices === null ? <HowToPrice /> : null}
      {costs.unpriced > 0 ? (
        <Note>
          {counted(costs.unpriced, 'runner')} requested no CPU and no memory, so their cost is unknown. Set requests in
          the pod template.
        </Note>
      ) : null}
      <Totals costs={costs} priced={priced} />
      <Rows id="repositories" title="By repository" name="Repository" rows={costs.repositories} priced={priced} />
      <Rows id="workflows" title="By workflow" name="Workflow" rows={costs.workflows} priced={priced} />
      <Rows id="sets" title="By set" name="Set" rows={costs.sets} priced={priced} />
      {prices === null ? null : (
        <p class="soft">
          Prices: {price(prices.cpuHour, prices.currency)} for one CPU and{' '}
          {price(prices.memoryGibHour, prices.currency)} for one GiB of memory in an hour,{' '}
          {price(prices.forgeMinute, prices.currency)} for a minute of a job at the forge.
          {prices.nodes.length === 0 ? '' : ` ${counted(prices.nodes.length, 'other price')} by node label.`}
        </p>
      )}
    </>
  )
}

function HowToPrice() {
  return (
    <div class="reason calm">
      <p class="reason-sentence">Prices are not configured, so this page shows hours only.</p>
      <p>
        <strong>Next: </strong>Set <code>dashboard.prices</code> in the values of the chart, then upgrade the release:
      </p>
      <pre class="example">{`dashboard:
  prices:
    currency: EUR
    cpuHour: 0.04
    memoryGibHour: 0.005`}</pre>
    </div>
  )
}

function Totals({ costs, priced }: { readonly costs: Costs; readonly priced: Priced }) {
  const { idle, infrastructure } = costs
  const jobHours = costs.sets.reduce((sum, set) => sum + set.jobHours, 0)
  const total = priced(costs.total)
  const forge = priced(costs.forge)
  return (
    <dl class="tiles">
      <Tile name="In all" value={total ?? hours(jobHours + idle.hours)} note={`${hours(jobHours)} with jobs`} />
      <Tile name="Idle capacity" value={priced(idle.amount) ?? hours(idle.hours)} note="runners that wait for a job" />
      <Tile
        name="Failed infrastructure"
        value={priced(infrastructure.amount) ?? hours(infrastructure.hours)}
        note={`${counted(infrastructure.runners, 'runner')} without a job`}
      />
      {forge === null ? null : <Tile name="The forge's charge" value={forge} note="by the minutes of jobs" />}
    </dl>
  )
}

function Tile(props: { readonly name: string; readonly value: string; readonly note: string }) {
  return (
    <div class="tile">
      <dt>{props.name}</dt>
      <dd>
        <span class="tile-value">{props.value}</span>
        <span class="tile-note">{props.note}</span>
      </dd>
    </div>
  )
}

type Row = CostRow & { readonly idleHours?: number; readonly idleAmount?: number }

function Rows(props: {
  readonly id: string
  readonly title: string
  readonly name: string
  readonly rows: readonly Row[]
  readonly priced: Priced
}) {
  const { rows, priced } = props
  const hasPrices = priced(0) !== null
  const hasIdle = rows.some((row) => row.idleHours !== undefined)
  const heads = [
    'Jobs',
    'Hours with jobs',
    ...(hasIdle ? ['Idle hours'] : []),
    ...(hasPrices ? ['Cost'] : []),
    ...(hasIdle && hasPrices ? ['Idle cost'] : []),
  ]
  const sorted = [...rows].sort((a, b) => (hasPrices ? b.amount - a.amount : b.jobHours - a.jobHours))
  return (
    <Section id={props.id} title={props.title}>
      {rows.length === 0 ? (
        <Note>No job ran in this time.</Note>
      ) : (
        <div class="table-box">
          <table class="stack">
            <thead>
              <tr>
                <th scope="col">{props.name}</th>
                {heads.map((head) => (
                  <th key={head} scope="col" class="number">
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <ShowMore items={sorted} first={10} as="tbody" columns={heads.length + 1}>
              {(row) => <CostLine key={row.name} row={row} priced={priced} />}
            </ShowMore>
          </table>
        </div>
      )}
    </Section>
  )
}

function CostLine({ row, priced }: { readonly row: Row; readonly priced: Priced }) {
  const cells = [
    ['Jobs', count(row.jobs)],
    ['Hours with jobs', hours(row.jobHours)],
    ['Idle hours', row.idleHours === undefined ? null : hours(row.idleHours)],
    ['Cost', priced(row.amount)],
    ['Idle cost', row.idleAmount === undefined ? null : priced(row.idleAmount)],
  ] as const
  return (
    <tr>
      <th scope="row">{row.name || '?'}</th>
      {cells.map(([name, value]) =>
        value === null ? null : (
          <td key={name} data-name={name} class="number">
            {value}
          </td>
        ),
      )}
    </tr>
  )
}
