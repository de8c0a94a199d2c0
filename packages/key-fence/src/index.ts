/**
 * Keeps the private key, and the package that uses it, out of browser builds.
 * @packageDocumentation
 */
export { fingerprint, KeyFenceError } from './fingerprint.ts';
export { scanFolder } from './folder.ts';
export type { FolderFinding } from './folder.ts';
export { keyFence } from './plugin.ts';
export type { KeyFenceOptions, KeyFencePlugin } from './plugin.ts';
export { scan } from './search.ts';
export type { Finding, Keys } from './search.ts';
