// The entry of the page.
import { render } from 'preact'
import { App } from './app.tsx'
import { browserAsk, browserClock, sessionToken } from './browser.ts'
import { parseRoute } from './route.ts'
import { createStore, StoreContext } from './store.ts'

const token = sessionToken()
const store = createStore({ ask: browserAsk(token), clock: browserClock(), token })
const readAddress = () => {
  store.route.value = parseRoute(location.hash)
}
addEventListener('hashchange', readAddress)
readAddress()
store.start()

const root = document.getElementById('app')
if (root) {
  render(
    <StoreContext.Provider value={store}>
      <App />
    </StoreContext.Provider>,
    root,
  )
}
