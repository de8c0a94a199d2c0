/**
 * The parts of Rollup's plugin interface that the fence uses. Declared here because Rollup,
 * Rolldown and Vite each have their own types for them, and the fence depends on none of the three.
 */
export interface Context {
  error: (message: string) => never;
  warn: (message: string) => void;
  getModuleInfo: (
    id: string,
  ) => { importers: readonly string[]; dynamicImporters: readonly string[] } | null;
  /** Set by Vite; absent in Rollup and Rolldown. */
  environment?: { config: { consumer: string } };
}

export interface Chunk {
  type: 'chunk';
  fileName: string;
  code: string;
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
  /** The asset's source files, if the bundler knows them; in Vite they are relative to its root. */
  originalFileNames?: readonly string[];
}

export type Bundle = Readonly<Record<string, Chunk | Asset>>;
