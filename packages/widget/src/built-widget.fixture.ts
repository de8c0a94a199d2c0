import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Folder with the widget's production build. */
    builtWidget: string;
  }
}

/**
 * Builds the widget as published, once for all test files. The build runs in its own process
 * because it sets NODE_ENV to production, and browser tests in the same process would get React
 * without its development checks. If BUILT_WIDGET names a folder with a current build, uses that
 * one: `npm test` has just made it.
 */
export default async function setup(project: TestProject): Promise<(() => void) | undefined> {
  const { BUILT_WIDGET } = process.env;
  if (BUILT_WIDGET) {
    project.provide('builtWidget', BUILT_WIDGET);
    return undefined;
  }
  const outDir = mkdtempSync(join(tmpdir(), 'built-widget-'));
  const root = fileURLToPath(new URL('..', import.meta.url));
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  await promisify(execFile)(
    process.execPath,
    [vite, 'build', '--logLevel', 'error', '--outDir', outDir, '--emptyOutDir'],
    { cwd: root, env: { ...process.env, NODE_ENV: 'production' } },
  );
  project.provide('builtWidget', outDir);
  return () => rmSync(outDir, { recursive: true });
}
