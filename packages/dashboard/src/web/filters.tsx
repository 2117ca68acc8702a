// The filters of the runners. Each change is a new address.
import { isFiltered, repositoriesOf } from './filter.ts'
import { counted, spoken } from './format.ts'
import { type Filter, noFilter, phases } from './route.ts'
import { useStore } from './store.ts'

export function Filters(props: {
  readonly filter: Filter
  readonly shown: number
  readonly onChange: (filter: Filter) => void
}) {
  const { filter, onChange } = props
  const { all } = useStore()
  const sets = [...all('sets').keys()].sort()
  const repositories = repositoriesOf(all('lives').values())
  const reset = () => onChange({ ...noFilter, zoom: filter.zoom })
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()} aria-label="Filters of the runners">
      <Choice name="Set" value={filter.set} options={sets} onChange={(set) => onChange({ ...filter, set })} />
      <Choice
        name="Phase"
        value={filter.phase}
        options={phases}
        onChange={(phase) => onChange({ ...filter, phase: phases.find((one) => one === phase) ?? '' })}
      />
      <Choice
        name="Repository"
        value={filter.repository}
        options={repositories}
        onChange={(repository) => onChange({ ...filter, repository })}
      />
      <label>
        <span>Text</span>
        <input
          type="search"
          value={filter.text}
          placeholder="Runner or job"
          onInput={(event) => onChange({ ...filter, text: event.currentTarget.value })}
        />
      </label>
      <p class="filters-count">{counted(props.shown, 'runner')}</p>
      {isFiltered(filter) ? (
        <button type="button" class="quiet" onClick={reset}>
          Clear filters
        </button>
      ) : null}
    </form>
  )
}

function Choice(props: {
  readonly name: string
  readonly value: string
  readonly options: readonly string[]
  readonly onChange: (value: string) => void
}) {
  const { name, value, options } = props
  // A link may name something that is gone: the field still shows it.
  const all = value === '' || options.includes(value) ? options : [value, ...options]
  return (
    <label>
      <span>{name}</span>
      <select value={value} onChange={(event) => props.onChange(event.currentTarget.value)}>
        <option value="">All</option>
        {all.map((option) => (
          <option key={option} value={option}>
            {name === 'Phase' ? spoken(option) : option}
          </option>
        ))}
      </select>
    </label>
  )
}
