/**
 * The parts of Rollup's plugin interface that the fence uses. Declared here, because Rollup, Rolldown
 * and Vite each have their own types for it, and the fence depends on none of them.
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

/** A code file of the output. */
export interface Chunk {
  type: 'chunk';
  fileName: string;
  code: string;
  /** Source map, if any. */
  map?: unknown;
  modules: Record<string, { code: string | null }>;
  /** File names of chunks, and unresolved specifiers. */
  imports: readonly string[];
  dynamicImports: readonly string[];
}

/** Any other output file, including source maps. */
export interface Asset {
  type: 'asset';
  fileName: string;
  source: string | Uint8Array;
  /** Its source files, if the bundler knows them; Vite's are relative to its root. */
  originalFileNames?: readonly string[];
}

export type Bundle = Readonly<Record<string, Chunk | Asset>>;
