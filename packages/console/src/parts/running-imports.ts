/**
 * An import in progress, or one of this window's imports that has ended without the user looking at
 * it.
 */
export interface ShownImport {
  file: string;
  state: 'waiting' | 'sending' | 'processing' | 'checking' | 'done' | 'failed';
  /** Upload progress, from 0 to 1; undefined if it is not known. */
  share?: number | undefined;
}

/** Fired on `window` when the imports have changed. */
export const IMPORTS_CHANGED = 'console-imports-changed';

let own: readonly ShownImport[] = [];
let others: readonly ShownImport[] = [];

/** Returns this window's imports, followed by those that the server is running. */
export function shownImports(): readonly ShownImport[] {
  const isOwn = ({ file }: ShownImport) => own.some((one) => one.file === file);
  return [...own, ...others.filter((one) => !isOwn(one))];
}

/** Sets this window's imports. */
export function setOwnImports(imports: readonly ShownImport[]): void {
  own = imports;
  dispatchEvent(new CustomEvent(IMPORTS_CHANGED));
}

/** Sets the imports that the server is running. */
export function setServerImports(imports: readonly ShownImport[]): void {
  if (imports.length === 0 && others.length === 0) return;
  others = imports;
  dispatchEvent(new CustomEvent(IMPORTS_CHANGED));
}
