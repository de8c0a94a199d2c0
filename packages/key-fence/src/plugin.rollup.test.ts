import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutputOptions, Plugin } from 'rollup';
import { afterEach, describe, expect, it, test, vi } from 'vitest';
import { fingerprint, keyFence, KeyFenceError, scanFolder } from './index.ts';
import { project, refusal, rollupBuild, secret } from './project.fixture.ts';

const keys = { fingerprints: [fingerprint(secret)] };
const text = JSON.stringify(secret);

const emit = (source: string | Uint8Array): Plugin => ({
  name: 'emit',
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: 'settings.bin', source });
  },
});

interface Plant {
  main?: string;
  plugins?: Plugin[];
  output?: OutputOptions;
  says: string;
}

const plants: Record<string, Plant> = {
  'a literal': { main: `console.log(${text});`, says: 'main.js: holds the key' },
  'what a plugin puts in at the end': {
    plugins: [{ name: 'banner', renderChunk: (code) => `/* ${secret} */${code}` }],
    says: 'main.js: holds the key',
  },
  'what a plugin puts into the finished bundle': {
    plugins: [
      {
        name: 'last',
        generateBundle(_, bundle) {
          for (const chunk of Object.values(bundle)) {
            if (chunk.type === 'chunk') chunk.code += `// ${btoa(secret)}`;
          }
        },
      },
    ],
    says: 'main.js: holds the key fingerprints[0], as base64',
  },
  'an asset of text': { plugins: [emit(text)], says: 'settings.bin: holds the key' },
  'an asset of bytes': {
    plugins: [emit(Buffer.from(secret, 'utf16le'))],
    says: 'settings.bin: holds the key fingerprints[0], as UTF-16',
  },
  'a source map': {
    main: `/* ${secret} */ export const a = 1;`,
    plugins: [{ name: 'strip', renderChunk: () => ({ code: 'export{}', map: null }) }],
    output: { sourcemap: true },
    says: 'main.js.map: holds the key',
  },
  'a source map in the chunk': {
    main: `/* ${secret} */ export const a = 1;`,
    output: { sourcemap: 'inline' },
    says: 'main.js: holds the key',
  },
};

describe('Rollup: refuses a build that would publish the key', () => {
  test.each(Object.entries(plants))('%s', async (_, { main = '', plugins = [], output, says }) => {
    const root = await project({ 'src/main.js': main });
    await rollupBuild(root, plugins, output);
    expect(await scanFolder(join(root, 'dist'), { secrets: [secret] })).not.toEqual([]);

    const message = await refusal(rollupBuild(root, [keyFence(keys), ...plugins], output));
    expect(message).toContain(says);
    expect(message).not.toContain(secret);
    expect(message).not.toContain('written already');
  });

  it('in a single file or a folder, including files written outside the bundle', async () => {
    const root = await project({ 'src/main.js': 'console.log(1)' });
    const file = join(root, 'out/bundle.js');
    const late: Plugin = { name: 'late', writeBundle: () => writeFile(file, text) };
    const output: OutputOptions = { file, dir: undefined, format: 'iife' };
    const message = await refusal(rollupBuild(root, [keyFence(keys), late], output));
    expect(message).toContain('bundle.js: holds the key');
    expect(message).toContain(`delete ${join(root, 'out')}`);
  });
});

describe('Rollup: refuses a build with a module of the companion', () => {
  const files = {
    'server/package.json': '{"name":"@financing-checkout/server"}',
    'server/dist/package.json': '{"type":"module"}',
    'server/dist/index.js': 'export const work = Math.random();',
  };

  test.each([
    ['imported by a path', "export { work } from '../server/dist/index.js';", 'holds a module of'],
    ['imported later', "import('../server/dist/index.js');", 'holds a module of'],
    ['not resolved', "import '@financing-checkout/server';", 'imports, in the browser,'],
    ['not resolved, later', "import('@financing-checkout/server/node');", 'imports, in the'],
    [
      'from a CDN',
      "import 'https://cdn.example/@financing-checkout/server/ticket';",
      'imports, in',
    ],
    [
      'from a CDN, by its version',
      "import('https://cdn.example/npm/@financing-checkout/server@1.2.3/dist/index.js?module');",
      'imports, in the browser,',
    ],
  ])('%s', async (_, main, says) => {
    const root = await project({ ...files, 'src/main.js': main });
    await rollupBuild(root, []);
    const message = await refusal(rollupBuild(root, [keyFence()]));
    expect(message).toContain(says);
    expect(message).toContain('@financing-checkout/server');
  });

  it('also with the package that signs orders, even if its exports permit the import', async () => {
    const root = await project({
      'ticket/package.json': '{"name":"@financing-checkout/ticket","type":"module"}',
      'ticket/dist/index.js': 'export const work = Math.random();',
      'src/main.js': "export { work } from '../ticket/dist/index.js';",
    });
    await rollupBuild(root, []);
    const message = await refusal(rollupBuild(root, [keyFence()]));
    expect(message).toContain('holds a module of @financing-checkout/ticket');
  });

  it('but not with a package that is nested below the companion, or has a similar name', async () => {
    const root = await project({
      ...files,
      'server/node_modules/other/package.json': '{"name":"other"}',
      'server/node_modules/other/index.js': 'export const a = Math.random();',
      'lib/package.json': '{"name":"@financing-checkout/server-side"}',
      'lib/index.js': 'export const b = Math.random();',
      'src/main.js':
        "export * from '../server/node_modules/other/index.js'; export * from '../lib/index.js';",
    });
    await expect(rollupBuild(root, [keyFence(keys)])).resolves.toEqual({ warnings: [] });
    const similar = "import 'https://cdn.example/@financing-checkout/server-side@1.2.3';";
    const loading = await project({ 'src/main.js': similar });
    await rollupBuild(loading, [keyFence(keys)]);
  });
});

describe('Rollup: finds keys from the environment', () => {
  afterEach(() => vi.unstubAllEnvs());
  const other = 'another-key-0123456789';

  test.each([
    ['KEY_FENCE_SECRET', () => `${other}, ${secret}`],
    ['KEY_FENCE_FINGERPRINT', () => `${fingerprint(other)},${fingerprint(secret)}`],
  ])('%s', async (name, value) => {
    vi.stubEnv(name, value());
    const root = await project({ 'src/main.js': `console.log(${text});` });
    expect(await refusal(rollupBuild(root, [keyFence()]))).toContain('[1]');
  });

  it('KEY_FENCE_SECRET_FILE', async () => {
    const root = await project({ 'src/main.js': `console.log(${text});`, keys: `\n${secret}\r\n` });
    vi.stubEnv('KEY_FENCE_SECRET_FILE', join(root, 'keys'));
    expect(await refusal(rollupBuild(root, [keyFence()]))).toContain('secrets[0]');
  });

  test.each([
    [
      'KEY_FENCE_SECRET_FILE',
      '/nowhere/key',
      'KEY_FENCE_SECRET_FILE: file 1 cannot be read (ENOENT)',
    ],
    ['KEY_FENCE_SECRET', 'short', 'shorter than 8'],
    ['KEY_FENCE_FINGERPRINT', 'not-one', 'not a fingerprint'],
  ])('a wrong %s fails the build', async (name, value, says) => {
    vi.stubEnv(name, value);
    const root = await project({ 'src/main.js': 'console.log(1)' });
    expect(await refusal(rollupBuild(root, [keyFence()]))).toContain(says);
  });

  it('a file that contains no key fails the build', async () => {
    const root = await project({ 'src/main.js': 'console.log(1)', keys: '\n\n' });
    vi.stubEnv('KEY_FENCE_SECRET_FILE', join(root, 'keys'));
    expect(await refusal(rollupBuild(root, [keyFence()]))).toContain('contains no key');
  });

  it('an empty variable, as in the CI of a fork, counts as unset; rejects an empty option', async () => {
    vi.stubEnv('KEY_FENCE_SECRET', '');
    const root = await project({ 'src/main.js': 'console.log(1)' });
    const { warnings } = await rollupBuild(root, [keyFence()]);
    expect(warnings).toEqual([expect.stringContaining('No key is configured')]);
    expect(() => keyFence({ secrets: [''] })).toThrow(KeyFenceError);
    expect(() => keyFence({ forbiddenModules: ['./not-there'] })).toThrow('does not exist');
  });
});
