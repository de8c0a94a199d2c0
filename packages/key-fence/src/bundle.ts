/**
 * The parts of Rollup's plugin interface that the fence uses. Written out, because Rollup,
 * Rolldown and Vite each have types of their own for it, and the fence depends on none of them.
 */
export interface Context {
  error: (message: string) => never;
  warn: (message: string) => void;
  getModuleInfo: (
    id: string,
  ) => { importers: readonly string[]; dynamicImporters: readonly string[] } | null;
  /** Vite's; absent in Rollup and Rolldown. */
  environment?: { config: { consumer: string } };
}

/** A file of code that the build puts out. */
export interface Chunk {
  type: 'chunk';
  fileName: string;
  code: string;
  /** Source map, where one is made. */
  map?: unknown;
  modules: Record<string, { code: string | null }>;
  /** File names of chunks, and specifiers that were left unresolved. */
  imports: readonly string[];
  dynamicImports: readonly string[];
}

/** Any other file that the build puts out; source maps are among them. */
export interface Asset {
  type: 'asset';
  fileName: string;
  source: string | Uint8Array;
  /** Files that it was made of, where the bundler knows; Vite's are relative to its root. */
  originalFileNames?: readonly string[];
}

export type Bundle = Readonly<Record<string, Chunk | Asset>>;
