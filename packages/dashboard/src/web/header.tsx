// Name, navigation, and the field that finds a job.
import { useComputed } from '@preact/signals'
import { findAddress, type Route } from './route.ts'
import { useStore } from './store.ts'

const pages: readonly (readonly [page: Route['page'], href: string, name: string])[] = [
  ['now', '#/', 'Now'],
  ['failures', '#/failures', 'Failures'],
  ['trends', '#/trends', 'Trends'],
  ['costs', '#/costs', 'Costs'],
  ['health', '#/health', 'Health'],
]

export function Header() {
  const store = useStore()
  const { page } = store.route.value
  return (
    <header class="top">
      <a class="name" href="#/" aria-label="Dayfly, to the first page">
        <Wing />
        <span>Dayfly</span>
      </a>
      <nav aria-label="Pages">
        <ul>
          {pages.map(([one, href, name]) => (
            <li key={one}>
              <a href={href} aria-current={page === one ? 'page' : undefined}>
                {name}
                {one === 'health' ? <HealthDot /> : null}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <FindField />
    </header>
  )
}

function HealthDot() {
  const { head } = useStore()
  const failed = useComputed(() => head.value?.health.filter((line) => line.is === 'failed').length ?? 0).value
  return failed === 0 ? null : (
    <span class="dot">
      <span class="unseen">: failed checks </span>
      {failed}
    </span>
  )
}

function FindField() {
  const { route } = useStore()
  const query = useComputed(() => (route.value.page === 'find' ? route.value.query : '')).value
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const text = String(new FormData(event.currentTarget as HTMLFormElement).get('q') ?? '').trim()
    if (text !== '') location.hash = findAddress(text)
  }
  const clear = (event: KeyboardEvent) => {
    if (event.key === 'Escape') (event.currentTarget as HTMLInputElement).value = ''
  }
  return (
    <search class="find-box">
      <form class="find" onSubmit={submit}>
        <label for="find">Where is my job?</label>
        <div class="find-field">
          <input
            id="find"
            name="q"
            type="search"
            value={query}
            placeholder="Run address or job"
            autoComplete="off"
            spellcheck={false}
            maxLength={500}
            onKeyDown={clear}
          />
          <button type="submit">Find</button>
        </div>
      </form>
    </search>
  )
}

function Wing() {
  return (
    <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
      <path d="M12 21C10 15 10 9 12 3c2 6 2 12 0 18z" fill="currentColor" />
      <path d="M11 10C7 4 3 4 2 6s3 7 9 7zM13 10c4-6 8-6 9-4s-3 7-9 7z" fill="currentColor" opacity=".55" />
    </svg>
  )
}
