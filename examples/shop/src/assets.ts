import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** Client build files to which pages link. */
export interface Assets {
  /** Folder with the built files, served under `/assets/`. */
  directory: string;
  script: string;
  style: string;
}

const manifestSchema = z.record(z.string(), z.object({ file: z.string() }));

/**
 * Reads the hashed file names from the manifest of `vite build`.
 * @throws {Error} if the client is not built
 */
export function readAssets(directory: string): Assets {
  let text: string;
  try {
    text = readFileSync(join(directory, '.vite', 'manifest.json'), 'utf8');
  } catch (cause) {
    throw new Error('The client is not built: run `pnpm run build:client` first.', { cause });
  }
  const manifest = manifestSchema.parse(JSON.parse(text));
  const address = (source: string): string => {
    const entry = manifest[source];
    if (!entry) throw new Error(`The client build has no ${source}: run it again.`);
    return `/assets/${entry.file}`;
  };
  return {
    directory,
    script: address('src/client/main.ts'),
    style: address('src/client/shop.css'),
  };
}
