import { html, nothing } from 'lit';
import { type ConnectionEvent, onConnection } from '../api/client.ts';
import { currentSession, renewOnActivity, type Session, signOut } from '../api/session.ts';
import { setLanguage, setZone, texts } from '../locale/locale.ts';
import { elementWith, oneOf, optional } from '../parts/element.ts';
import { keepCasesQuery, NAVIGATED, navigate, paths } from '../parts/navigation.ts';
import type { Page } from '../parts/page.ts';
import { errorView, loadingView } from '../parts/states.ts';
import { calloutView } from '../parts/views.ts';
import { routeOf } from './routes.ts';
import { navigationView, topBarView } from './frame.ts';
import { forgetOpened } from './recent.ts';
import type { Actions } from './search-items.ts';
import './import-indicator.ts';
import './search.ts';
import './status.ts';
import { setTheme } from './theme.ts';

/** The console: its frame, the page for the URL, sign-in, and notices about the connection. */
class FinancingConsole extends elementWith({
  session: optional<Session>(),
  phase: oneOf<'starting' | 'signed-out' | 'ready'>('starting'),
  isOffline: false,
  hasEnded: false,
  endReason: '',
  failure: optional<unknown>(),
  isMenuOpen: false,
}) {
  #page: Page | undefined;
  #path = '';
  #stops: (() => void)[] = [];

  protected override createRenderRoot(): HTMLElement {
    // Replaces the static header of index.html.
    this.replaceChildren();
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const onAddress = () => void this.#open();
    addEventListener('popstate', onAddress);
    addEventListener(NAVIGATED, onAddress);
    const onOffline = () => this.#onConnection('offline');
    const onOnline = () => this.#onConnection('online');
    addEventListener('offline', onOffline);
    addEventListener('online', onOnline);
    this.addEventListener('click', followLink);
    this.#stops = [
      () => removeEventListener('popstate', onAddress),
      () => removeEventListener(NAVIGATED, onAddress),
      () => removeEventListener('offline', onOffline),
      () => removeEventListener('online', onOnline),
      onConnection((event, reason) => this.#onConnection(event, reason)),
    ];
    void this.#start();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    for (const stop of this.#stops) stop();
  }

  async #start(): Promise<void> {
    this.failure = undefined;
    try {
      const session = await currentSession();
      if (session === undefined) await this.#showSignIn();
      else this.#enter(session);
    } catch (error) {
      this.failure = error;
    }
  }

  async #showSignIn(): Promise<void> {
    await import('./sign-in.ts');
    this.phase = 'signed-out';
  }

  #enter(session: Session): void {
    setZone(session.zone);
    this.session = session;
    this.hasEnded = false;
    this.phase = 'ready';
    this.#stops.push(renewOnActivity((renewed) => (this.session = renewed)));
    void this.#open();
  }

  #onConnection(event: ConnectionEvent, reason = ''): void {
    if (event === 'session-ended' && this.phase === 'ready') {
      if (!this.hasEnded) this.endReason = reason;
      // The page stays behind the dialog, keeping the user's input.
      void import('./sign-in.ts').then(() => (this.hasEnded = true));
    } else if (event !== 'session-ended') {
      this.isOffline = event === 'offline';
    }
  }

  /** Shows the page for the URL. If it is the current page, only its query is updated. */
  async #open(): Promise<void> {
    if (this.session === undefined) return;
    if (location.pathname === paths.cases) keepCasesQuery(location.search);
    const found = routeOf(location.pathname);
    this.isMenuOpen = false;
    if (this.#page !== undefined && this.#path === location.pathname) {
      this.#page.search = location.search;
      // The menu opens the queue with its filters.
      this.requestUpdate();
      return;
    }
    const path = location.pathname;
    const isFirst = this.#path === '';
    this.#path = path;
    this.#page = undefined;
    this.requestUpdate();
    if (found !== undefined) {
      try {
        await found.route.load();
      } catch (error) {
        this.failure = error;
        return;
      }
      if (this.#path !== path) return;
      const page = document.createElement(found.route.tag) as Page;
      Object.assign(page, {
        session: this.session,
        parameter: found.parameter,
        search: location.search,
      });
      this.#page = page;
      document.title = `${page.heading} · ${texts().shell.product}`;
    }
    this.failure = undefined;
    this.requestUpdate();
    await this.updateComplete;
    await this.#page?.updateComplete;
    scrollTo(0, 0);
    const place = document.getElementById(location.hash.slice(1));
    place?.scrollIntoView();
    // After a full page load, the focus stays at the top, before the skip link.
    const focused = place ?? (isFirst ? null : this.querySelector<HTMLElement>('#content'));
    focused?.focus({ preventScroll: true });
  }

  readonly #actions: Actions = {
    signOut: () => void this.#leave(),
    setTheme: (theme) => {
      setTheme(theme);
      this.requestUpdate();
    },
    setLanguage: (language) => void this.#changeLanguage(language),
  };

  async #leave(): Promise<void> {
    forgetOpened();
    const providerUrl = await signOut().catch(() => undefined);
    location.assign(providerUrl ?? paths.today);
  }

  async #changeLanguage(language: string): Promise<void> {
    await setLanguage(language);
    this.#path = '';
    this.requestUpdate();
    await this.#open();
  }

  protected override updated(): void {
    if (this.#page !== undefined && this.session !== undefined) this.#page.session = this.session;
  }

  protected override render() {
    if (this.failure !== undefined && this.phase === 'starting') {
      return html`<main class="alone">${errorView(this.failure, () => void this.#start())}</main>`;
    }
    if (this.phase === 'starting') {
      return html`<header class="top"><span class="product">${texts().shell.product}</span></header>
        <main class="alone">${loadingView(3)}</main>`;
    }
    const signIn = html`<console-sign-in
      .ended=${this.hasEnded}
      .reason=${this.endReason}
      @signed-in=${({ detail }: CustomEvent<Session>) => this.#enter(detail)}
    ></console-sign-in>`;
    if (this.phase === 'signed-out' || this.session === undefined) return signIn;
    const { shell } = texts();
    const name = routeOf(location.pathname)?.route.name;
    const actions = this.#actions;
    return html`<a class="skip" href="#content">${shell.skip}</a>
      ${topBarView({
        session: this.session,
        isMenuOpen: this.isMenuOpen,
        toggleMenu: () => (this.isMenuOpen = !this.isMenuOpen),
        actions,
      })}
      <div class="frame ${this.isMenuOpen ? 'menu-open' : ''}">
        ${navigationView(name, actions)}
        <main id="content" tabindex="-1">
          ${
            this.isOffline
              ? calloutView('warning', navigator.onLine ? shell.serverAway : shell.offline, {
                  icon: 'wifi-off',
                })
              : nothing
          }
          <console-status></console-status>
          ${
            this.failure !== undefined
              ? errorView(this.failure, () => location.reload())
              : (this.#page ??
                (routeOf(location.pathname) === undefined ? notFoundView() : loadingView()))
          }
        </main>
      </div>
      ${this.hasEnded ? signIn : nothing}`;
  }
}

function notFoundView() {
  const { shell } = texts();
  return html`<h1>${shell.notFound}</h1>
    <p>${shell.notFoundText} <a href=${paths.today}>${shell.today}</a></p>`;
}

/** Opens a link within the console without a page load. */
function followLink(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  // A chart bar is an SVG link.
  const link = event
    .composedPath()
    .find((target): target is Element => target instanceof Element && target.localName === 'a');
  const address = link?.getAttribute('href') ?? undefined;
  if (address === undefined || link?.hasAttribute('target') || link?.hasAttribute('download'))
    return;
  const url = new URL(address, location.href);
  if (url.origin !== location.origin || !url.pathname.startsWith('/console')) return;
  if (url.pathname === location.pathname && url.search === location.search && url.hash !== '')
    return;
  event.preventDefault();
  navigate(url.href);
}

customElements.define('financing-console', FinancingConsole);
