import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { root } from './tree.ts';

const scope = '@financing-checkout/';

/** Workspace packages that each package may list in its dependency fields (docs/architecture.md). */
const mayList: Record<string, readonly string[]> = {
  console: ['contract'],
  contract: [],
  'key-fence': [],
  kit: [],
  reconciliation: ['console', 'contract', 'kit', 'reconciliation-rules'],
  'reconciliation-rules': ['contract'],
  sandbox: [],
  server: ['contract', 'key-fence', 'kit', 'ticket'],
  ticket: ['contract'],
  widget: ['contract', 'key-fence'],
};

/** All dependencies of the packages that run in browsers or in a merchant's build. */
const installedWith: Record<string, readonly string[]> = {
  contract: ['zod'],
  'key-fence': [],
  kit: [
    '@hono/node-server',
    '@opentelemetry/api',
    'commander',
    'hono',
    'ipaddr.js',
    'kysely',
    'pg',
    'pino',
    'prom-client',
    'standardwebhooks',
    'string-width',
    'undici',
    'zod',
  ],
  ticket: [`${scope}contract`, 'jose', 'zod'],
  widget: ['lit'],
};

/** Optional peer dependencies, each used by a single entry point. */
const optionalPeers: Record<string, readonly string[]> = { widget: ['react'] };

interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

/** Returns the dependencies that the tables do not allow. */
function violations(folder: string, manifest: Manifest): string[] {
  const { dependencies, devDependencies, peerDependencies, optionalDependencies } = manifest;
  const peers = Object.keys(peerDependencies ?? {}).filter(
    (name) =>
      !optionalPeers[folder]?.includes(name) || !manifest.peerDependenciesMeta?.[name]?.optional,
  );
  const installed = Object.keys({ ...dependencies, ...optionalDependencies }).concat(peers);
  const ours = Object.keys({ ...devDependencies, ...dependencies })
    .concat(installed)
    .filter(
      (name) => name.startsWith(scope) && !mayList[folder]?.includes(name.slice(scope.length)),
    );
  const weight = installedWith[folder]
    ? installed.filter((name) => !installedWith[folder]?.includes(name))
    : [];
  return [...new Set([...ours, ...weight])];
}

const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;

/** Returns whether code in a folder can resolve a package. */
function finds(folder: string, name: string): boolean {
  try {
    createRequire(join(root, folder, 'package.json')).resolve(name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return false;
    // The package exists but does not export this kind of import.
    if ((error as NodeJS.ErrnoException).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') return true;
    throw error;
  }
}

describe('a package resolves only its listed dependencies', () => {
  test.each([
    ['packages/widget', `${scope}server`],
    ['packages/widget', `${scope}sandbox`],
    ['packages/widget', 'hono'],
    ['packages/widget', 'zod'],
    ['packages/contract', `${scope}server`],
    ['packages/contract', 'hono'],
    ['packages/key-fence', `${scope}server`],
    ['packages/console', `${scope}server`],
    ['packages/console', `${scope}reconciliation`],
    ['packages/console', 'hono'],
    ['packages/kit', `${scope}contract`],
    ['packages/kit', `${scope}server`],
    ['packages/reconciliation-rules', `${scope}server`],
    ['packages/sandbox', `${scope}contract`],
    ['packages/sandbox', `${scope}server`],
    ['packages/server', `${scope}widget`],
    ['packages/ticket', `${scope}kit`],
    ['packages/ticket', `${scope}server`],
    ['packages/widget', `${scope}ticket`],
    ['examples/integrations', `${scope}server`],
    ['examples/shop', `${scope}server`],
    ['packages/server', 'lit'],
    ['.', `${scope}server`],
    ['.', `${scope}widget`],
    ['.', 'hono'],
    ['.', 'zod'],
  ])('%s does not resolve %s', (folder, name) => {
    expect(finds(folder, name)).toBe(false);
  });

  test.each([
    ['packages/widget', 'lit'],
    ['packages/widget', `${scope}contract`],
    ['packages/server', 'hono'],
    ['packages/server', `${scope}contract`],
    ['packages/server', `${scope}key-fence`],
    ['examples/shop', `${scope}ticket`],
  ])('%s resolves %s', (folder, name) => {
    expect(finds(folder, name)).toBe(true);
  });
});

describe('a package lists only allowed dependencies', () => {
  it('the table contains every package', () => {
    expect(Object.keys(mayList)).toEqual(readdirSync(join(root, 'packages')).toSorted());
  });

  test.each(Object.keys(mayList))('packages/%s', (folder) => {
    const manifest = manifestOf(`packages/${folder}`);
    expect(manifest.name).toBe(scope + folder);
    expect(violations(folder, manifest)).toEqual([]);
  });

  it('the root lists none of the packages', () => {
    expect(violations('.', manifestOf('.'))).toEqual([]);
  });

  test.each([
    ['widget', 'dependencies', `${scope}server`],
    ['widget', 'devDependencies', `${scope}server`],
    ['widget', 'peerDependencies', `${scope}server`],
    ['widget', 'dependencies', `${scope}contract`],
    ['widget', 'dependencies', 'zod'],
    ['widget', 'dependencies', 'react'],
    ['contract', 'dependencies', 'hono'],
    ['key-fence', 'optionalDependencies', 'rollup'],
    ['kit', 'dependencies', `${scope}contract`],
    ['kit', 'dependencies', 'lit'],
    ['sandbox', 'dependencies', `${scope}contract`],
    ['server', 'dependencies', `${scope}widget`],
    ['ticket', 'dependencies', `${scope}kit`],
    ['ticket', 'dependencies', 'hono'],
  ])('control: finds a planted dependency in packages/%s: %s of %s', (folder, field, name) => {
    const manifest = manifestOf(`packages/${folder}`);
    const planted = { ...manifest, [field]: { ...manifest[field as 'dependencies'], [name]: '*' } };
    expect(violations(folder, planted)).toEqual([name]);
  });

  it('control: finds a planted dependency in the root', () => {
    const planted = { ...manifestOf('.'), dependencies: { [`${scope}server`]: 'workspace:*' } };
    expect(violations('.', planted)).toEqual([`${scope}server`]);
  });
});
