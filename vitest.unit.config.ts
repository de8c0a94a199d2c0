import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { limits } from './vitest.shared.ts';

/** Packages whose tests of pure and in-process code `npm run test:unit` runs. */
const packages = [
  'contract',
  'key-fence',
  'kit',
  'reconciliation-rules',
  'sandbox',
  'server',
  'ticket',
];
const root = import.meta.dirname;

/** Imports of a test that starts a program, a browser, a bundler or a database. */
const startsProgram =
  /'node:child_process'|'node:worker_threads'|'(?:vite|rollup|esbuild|webpack)'|'playwright[^']*'|'puppeteer[^']*'|inject\('postgres/;

/** Returns whether neither a test file nor a fixture that it imports starts a program. */
function isUnitTest(file: string, seen = new Set<string>()): boolean {
  if (seen.has(file)) return true;
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  const fixtures = Array.from(text.matchAll(/'(\.[^']*\.fixture\.ts)'/g), ([, path = '']) =>
    join(dirname(file), path),
  );
  return !startsProgram.test(text) && fixtures.every((fixture) => isUnitTest(fixture, seen));
}

/** Maps each entry point of a package to its source, so that nothing has to be built first. */
function entryPoints(name: string): { find: RegExp; replacement: string }[] {
  const folder = join(root, 'packages', name);
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { types?: string }>;
  };
  return Object.entries(exports).flatMap(([path, target]) => {
    const types = typeof target === 'string' ? undefined : target.types;
    if (types === undefined) return [];
    const source = types.replace('./dist/', '').replace(/\.d\.ts$/, '.ts');
    return {
      find: new RegExp(`^@financing-checkout/${name}${path.slice(1)}$`),
      replacement: join(folder, 'src', source),
    };
  });
}

export default defineConfig({
  test: {
    ...limits,
    // Vitest would take one of two cores.
    maxWorkers: 2,
    projects: packages.map((name) => ({
      resolve: { alias: packages.flatMap(entryPoints) },
      test: {
        name,
        root: join('packages', name),
        include: globSync(`packages/${name}/src/**/*.test.ts`, { cwd: root })
          .filter((file) => isUnitTest(join(root, file)))
          .map((file) => file.slice(`packages/${name}/`.length)),
        setupFiles: name === 'server' ? ['src/secrecy-check.fixture.ts'] : [],
        isolate: false,
      },
    })),
  },
});
