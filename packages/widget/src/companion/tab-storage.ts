import { isObject } from '../platform/object.ts';

/** Where storage is blocked or full, data is remembered for the life of the page. */
const fallback = new Map<string, string>();

/** Reads an object of this tab. */
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
    // An entry from when the storage was full would hide this newer one.
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
    // Blocked storage holds nothing to forget.
  }
}
