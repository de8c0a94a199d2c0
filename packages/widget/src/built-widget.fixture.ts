import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Folder with the production build of the widget. */
    builtWidget: string;
  }
}

/** Builds the widget as it is published, once for all test files. */
export default async function setup(project: TestProject): Promise<() => void> {
  const outDir = mkdtempSync(join(tmpdir(), 'built-widget-'));
  const root = fileURLToPath(new URL('..', import.meta.url));
  await build({ root, logLevel: 'error', build: { outDir } });
  project.provide('builtWidget', outDir);
  return () => rmSync(outDir, { recursive: true });
}
