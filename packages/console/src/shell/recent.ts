/** An order or case that was opened in this window. */
export interface Recent {
  kind: 'order' | 'case';
  /** Displayed name: the order's or the case's ID. */
  text: string;
  path: string;
}

const STORED = 'financing-console-recent';
const MOST = 8;
const opened = /^\/console\/(?<kind>order|case)s\/(?<key>[^/]+)$/;

/** Returns the orders and cases opened in this window, most recent first. */
export function recentItems(): Recent[] {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? '[]') as Recent[];
  } catch {
    return [];
  }
}

/** If the path is an order or a case, remembers it until the window is closed. */
export function rememberOpened(path: string): void {
  const { kind, key } = opened.exec(path)?.groups ?? {};
  if ((kind !== 'order' && kind !== 'case') || key === undefined) return;
  let id: string;
  try {
    id = decodeURIComponent(key);
  } catch {
    return;
  }
  const item: Recent = { kind, text: id.replace(/^order:/, ''), path };
  const others = recentItems().filter((one) => one.path !== path);
  sessionStorage.setItem(STORED, JSON.stringify([item, ...others].slice(0, MOST)));
}

/** Forgets all opened orders and cases when the user signs out. */
export function forgetOpened(): void {
  sessionStorage.removeItem(STORED);
}
