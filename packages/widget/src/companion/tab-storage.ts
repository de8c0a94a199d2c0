import { isObject } from '../platform/object.ts';

/** If storage is blocked or full, data is kept in memory for the lifetime of the page. */
const fallback = new Map<string, string>();

/** Reads an object from this tab's storage. */
export function readTab(name: string): Record<string, unknown> | undefined {
  try {
    const text = fallback.get(name) ?? sessionStorage.getItem(name);
    const value: unknown = JSON.parse(text ?? 'null');
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** @returns whether the data also survives a reload */
export function writeTab(name: string, value: object): boolean {
  const text = JSON.stringify(value);
  try {
    sessionStorage.setItem(name, text);
    // A fallback entry from when the storage was full would shadow this newer one.
    fallback.delete(name);
    return true;
  } catch {
    fallback.set(name, text);
    return false;
  }
}

export function clearTab(name: string): void {
  fallback.delete(name);
  try {
    sessionStorage.removeItem(name);
  } catch {
    // Storage is blocked, so there is nothing to remove.
  }
}
