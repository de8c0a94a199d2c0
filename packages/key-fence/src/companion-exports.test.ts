import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import { build as esbuild } from 'esbuild';
import { rollup } from 'rollup';
import { build as vite } from 'vite';
import { describe, expect, it, test } from 'vitest';
import webpack from 'webpack';
import { project, refusal } from './project.fixture.ts';

const companion = fileURLToPath(new URL('../../server', import.meta.url));
const { name, exports } = JSON.parse(await readFile(join(companion, 'package.json'), 'utf8')) as {
  name: string;
  exports: Record<string, Record<string, string>>;
};
/** Every entry of the package, as an import specifier. */
const entries = Object.keys(exports).map((entry) => name + entry.slice(1));

/** Bundlers that build `main.js` of a folder for a browser, and reject on failure. */
const bundlers: Record<string, (root: string) => Promise<unknown>> = {
  Vite: (root) =>
    vite({
      root,
      configFile: false,
      logLevel: 'silent',
      build: { write: false, rolldownOptions: { input: 'main.js' } },
    }),
  Rollup: (root) =>
    rollup({
      input: join(root, 'main.js'),
      plugins: [nodeResolve({ browser: true })],
      // Rollup leaves unresolved imports to the browser, which cannot resolve them either.
      onwarn: (warning) => {
        throw new Error(warning.message);
      },
    }),
  // A common setup, without browser settings.
  'Rollup, by its defaults': (root) =>
    rollup({
      input: join(root, 'main.js'),
      plugins: [nodeResolve()],
      onwarn: (warning) => {
        throw new Error(warning.message);
      },
    }),
  esbuild: (root) => esbuildFor('browser', root),
  'esbuild, for no platform': (root) => esbuildFor('neutral', root),
  webpack: (root) => webpackFor('web', root),
  'webpack, for a worker': (root) => webpackFor('webworker', root),
};

function esbuildFor(platform: 'browser' | 'neutral', root: string): Promise<unknown> {
  return esbuild({
    absWorkingDir: root,
    entryPoints: ['main.js'],
    bundle: true,
    platform,
    format: 'esm',
    write: false,
    logLevel: 'silent',
  });
}

function webpackFor(target: string, root: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const compiler = webpack({
      mode: 'development',
      context: root,
      entry: './main.js',
      target,
      output: { path: join(root, 'dist') },
    });
    compiler.run((error, stats) => {
      const failure = error ?? stats?.compilation.errors[0];
      if (failure) reject(failure);
      else resolve(stats);
    });
  });
}

/** Creates a folder that imports `specifier`, with the package installed. */
async function page(specifier: string, installed: string, how = 'static'): Promise<string> {
  const main =
    how === 'static'
      ? `import * as server from '${specifier}';\nconsole.log(server);\n`
      : `import('${specifier}').then(console.log);\n`;
  const root = await project({ 'main.js': main });
  await mkdir(join(root, 'node_modules/@financing-checkout'), { recursive: true });
  await symlink(installed, join(root, 'node_modules', name));
  return root;
}

describe('specification 5.6: the companion cannot be built into a page', () => {
  it('has entries, all for server runtimes only', () => {
    const runtimes = ['types', 'workerd', 'edge-light', 'deno', 'bun', 'node'];
    expect(entries).toContain(name);
    for (const conditions of Object.values(exports)) {
      expect(runtimes).toEqual(expect.arrayContaining(Object.keys(conditions)));
    }
  });

  describe.each(Object.entries(bundlers))('%s', (_, bundle) => {
    const cases = entries.flatMap((entry) => [
      [entry, 'static'],
      [entry, 'dynamic'],
    ]);

    test.each(cases)('fails on %s with a %s import', async (specifier, how) => {
      const message = await refusal(bundle(await page(specifier, companion, how)));
      expect(message).toMatch(/not exported under|Could not resolve/);
    });

    it('would succeed if the exports had a default', async () => {
      const open = await project({
        'package.json': JSON.stringify({
          name,
          type: 'module',
          exports: { '.': { ...exports['.'], default: './open.js' } },
        }),
        'open.js': 'export const work = 1;',
      });
      await expect(bundle(await page(name, open))).resolves.toBeDefined();
    });
  });

  test.each(entries)('Node runs %s', async (specifier) => {
    const root = await page(specifier, companion);
    const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'main.js')]);
    expect(stdout).toContain('[Module: null prototype] {');
  });
});
