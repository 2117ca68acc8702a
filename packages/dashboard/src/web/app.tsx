// The frame of all pages: navigation, the first line, the state of the connection, and the page of the address.
import { useComputed } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { CostsPage } from './costs-page.tsx'
import { FailuresPage } from './failures-page.tsx'
import { FindPage, JobPage } from './find-page.tsx'
import { Header } from './header.tsx'
import { HealthPage } from './health-page.tsx'
import { ConnectionLine, FirstLoad, TokenForm } from './link-state.tsx'
import { NowPage } from './now-page.tsx'
import { Note, Page } from './parts.tsx'
import type { Route } from './route.ts'
import { RunnerPage } from './runner-page.tsx'
import { SetPage } from './set-page.tsx'
import { useStore } from './store.ts'
import { TrendsPage } from './trends-page.tsx'

export function App() {
  const store = useStore()
  const wantsToken = useComputed(() => store.link.value.problem?.is === 'unauthorized').value
  const isHere = useComputed(() => store.head.value !== null).value
  useEscape()
  return (
    <div class={store.isLost.value ? 'page lost' : 'page'}>
      <SkipLink />
      <Header />
      <ConnectionLine />
      <main id="main" tabIndex={-1}>
        {wantsToken ? <TokenForm /> : isHere ? <Outlet /> : <FirstLoad />}
      </main>
      <Footer />
    </div>
  )
}

/** Fragments are addresses of pages here, so this link moves the focus by itself. */
function SkipLink() {
  const skip = (event: Event) => {
    event.preventDefault()
    document.getElementById('main')?.focus()
  }
  return (
    // biome-ignore lint/a11y/useValidAnchor: readers look for a link here, and the fragment alone would change the page
    <a class="skip" href="#main" onClick={skip}>
      Skip to the content
    </a>
  )
}

function Outlet() {
  const route = useStore().route.value
  const key = keyOf(route)
  const shown = useRef(key)
  useEffect(() => {
    const title = document.getElementById('title')
    // The first page begins with a sentence that changes, so it has no name.
    document.title = key === 'now' ? 'Dayfly' : `${title?.textContent ?? ''} · Dayfly`
    if (shown.current === key) return
    shown.current = key
    window.scrollTo(0, 0)
    title?.focus({ preventScroll: true })
  }, [key])
  return <PageOf key={key} route={route} />
}

function PageOf({ route }: { readonly route: Route }) {
  switch (route.page) {
    case 'now':
      return <NowPage filter={route.filter} />
    case 'set':
      return <SetPage id={route.id} />
    case 'runner':
      return <RunnerPage id={route.id} />
    case 'job':
      return <JobPage address={route.address} id={route.id} />
    case 'find':
      return <FindPage query={route.query} />
    case 'failures':
      return <FailuresPage />
    case 'trends':
      return <TrendsPage window={route.window} />
    case 'costs':
      return <CostsPage window={route.window} />
    case 'health':
      return <HealthPage />
    case 'unknown':
      return (
        <Page title="No such page">
          <Note>
            This page has no part at {route.address}. <a href="#/">Show what happens now</a>
          </Note>
        </Page>
      )
  }
}

/** A filter or a window changes the page that is shown. Another entity is another page. */
function keyOf(route: Route): string {
  if (route.page === 'job') return route.address
  if (route.page === 'find') return `find ${route.query}`
  return 'id' in route ? `${route.page} ${route.id}` : route.page
}

/** Escape clears the field that has the focus, and otherwise closes one entity. */
function useEscape(): void {
  const { route } = useStore()
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return
      const { target } = event
      if (target instanceof HTMLInputElement && target.value !== '') return
      if (['set', 'runner', 'job', 'find'].includes(route.value.page)) location.hash = '#/'
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [route])
}

function Footer() {
  const head = useStore().head.value
  if (head === null) return null
  return (
    <footer>
      {head.limits.length === 0 ? null : (
        <ul class="limits" aria-label="What this page cannot know">
          {head.limits.map((limit) => (
            <li key={limit}>{limit}</li>
          ))}
        </ul>
      )}
      <p>Dayfly {head.version}. This page only reads. Times are by the server's clock, in your time zone.</p>
    </footer>
  )
}
