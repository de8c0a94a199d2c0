/** An order or a case that was opened in this window. */
export interface Recent {
  kind: 'order' | 'case';
  /** Shown name: the order's ID, the case's ID. */
  text: string;
  path: string;
}

const STORED = 'financing-console-recent';
const MOST = 8;
const opened = /^\/console\/(?<kind>order|case)s\/(?<key>[^/]+)$/;

/** Returns the orders and cases opened in this window, the last one first. */
export function recentItems(): Recent[] {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? '[]') as Recent[];
  } catch {
    return [];
  }
}

/** Remembers an order or a case, if the path is one, until the window is closed. */
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

/** Forgets them, when the user signs out. */
export function forgetOpened(): void {
  sessionStorage.removeItem(STORED);
}
