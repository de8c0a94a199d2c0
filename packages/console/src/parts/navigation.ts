import { currentPerson } from '../api/session.ts';

/** Paths of the pages, below `/console`. */
export const paths = {
  today: '/console/',
  orders: '/console/orders',
  order: (orderKey: string) => `/console/orders/${encodeURIComponent(orderKey)}`,
  cases: '/console/cases',
  case: (id: string) => `/console/cases/${encodeURIComponent(id)}`,
  money: '/console/money',
  close: '/console/close',
  journals: '/console/journals',
  imports: '/console/imports',
  sync: '/console/sync',
  actions: '/console/actions',
  help: '/console/help',
};

/** Fired on `window` after the URL changed within the console. */
export const NAVIGATED = 'console-navigated';

/** Navigates to a page of the console without a page load. */
export function navigate(address: string, { replace = false } = {}): void {
  const url = new URL(address, location.href);
  if (url.href === location.href) return;
  const state = { key: nextKey() };
  if (replace) history.replaceState(state, '', url);
  else history.pushState(state, '', url);
  dispatchEvent(new CustomEvent(NAVIGATED));
}

let entries = 0;
const nextKey = () => `${performance.timeOrigin}-${entries++}`;

/** Returns the key of the current history entry, which stays the same after Back and Forward. */
export function entryKey(): string {
  const state = history.state as { key?: unknown } | null;
  if (typeof state?.key === 'string') return state.key;
  const key = nextKey();
  history.replaceState({ ...state, key }, '');
  return key;
}

/** Returns a page's filters, which are the query parameters of its URL. */
export function filters(): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(location.search));
}

/** Returns the page's URL with changed filters. Empty values are removed. */
export function addressWith(changed: Readonly<Record<string, string | undefined>>): string {
  const search = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changed)) {
    if (value === undefined || value === '') search.delete(name);
    else search.set(name, value);
  }
  const query = search.toString();
  return query === '' ? location.pathname : `${location.pathname}?${query}`;
}

/** Sets filters in the URL, so that links preserve them. Empty values are removed. */
export function setFilters(changed: Readonly<Record<string, string | undefined>>): void {
  navigate(addressWith(changed));
}

const storedQuery = () => `financing-console-cases ${currentPerson()}`;

/**
 * Keeps the query of the case queue: for this window, and for the person's next sign-in, which may be
 * in another window.
 */
export function keepCasesQuery(query: string): void {
  for (const storage of [sessionStorage, localStorage]) storage.setItem(storedQuery(), query);
}

/** Returns the address of the case queue with the filters and the order that the person used last. */
export function casesAddress(): string {
  const name = storedQuery();
  return `${paths.cases}${sessionStorage.getItem(name) ?? localStorage.getItem(name) ?? ''}`;
}

/** Removes all filters from the URL. */
export function clearFilters(): void {
  navigate(location.pathname);
}
