import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Bundle, Context } from './bundle.ts';
import { findInFolder } from './folder.ts';
import { envFiles, keysToFind } from './keys.ts';
import { describe, forbiddenIn, keysIn, type Leak } from './leaks.ts';
import { ForbiddenModules } from './modules.ts';
import { type Keys, KeySearch } from './search.ts';

/** The part of the plugin that applies to a nested bundle, such as a worker. */
type FenceOfBundle = Pick<KeyFencePlugin, 'name' | 'enforce' | 'buildStart' | 'generateBundle'>;

/** Options of the fence, in addition to the keys from the environment (see README). */
export interface KeyFenceOptions extends Keys {
  /**
   * Packages, and paths (absolute, or starting with a dot and relative to the working directory),
   * that are forbidden in browser builds. `@financing-checkout/server` and
   * `@financing-checkout/ticket` are always forbidden.
   */
  forbiddenModules?: readonly string[];
}

/** A plugin for Vite, Rollup and Rolldown. */
export interface KeyFencePlugin {
  name: string;
  enforce: 'post';
  apply: 'build';
  config: () => { worker: { plugins: () => FenceOfBundle[] } };
  configResolved: (config: {
    root: string;
    mode: string;
    env: Record<string, unknown>;
    envDir: string | false;
    publicDir: string;
    build: { copyPublicDir: boolean };
  }) => void;
  buildStart: (this: Context) => void;
  generateBundle: {
    order: 'post';
    handler: (this: Context, options: object, bundle: Bundle) => Promise<void>;
  };
  writeBundle: {
    order: 'post';
    sequential: true;
    handler: (
      this: Context,
      options: { dir?: string | undefined; file?: string | undefined },
      bundle: Bundle,
    ) => Promise<void>;
  };
}

/**
 * Fails a build that would publish a private key, or a module of the companion or of the order
 * ticket (specification 5.6).
 *
 * It checks the output after all other plugins, and again on disk: chunks, source maps with their
 * sources, assets, file names, workers, and Vite's `publicDir`. It finds keys in plain text and in
 * every encoding that `scan` supports. In a Vite build for a server it does not check modules.
 *
 * Without a key it warns once and still checks the modules.
 *
 * @example
 * export default defineConfig({ plugins: [keyFence()] }); // KEY_FENCE_FINGERPRINT=kf1.… vite build
 *
 * @throws {KeyFenceError} when an option is invalid; an invalid variable fails the build instead
 */
export function keyFence(options: KeyFenceOptions = {}): KeyFencePlugin {
  const forbidden = new ForbiddenModules(options.forbiddenModules ?? []);
  let search = new KeySearch(options);
  let publicDir: string | undefined;
  let root = process.cwd();
  /** Variables that Vite itself exposes to pages, including those of `.env` files. */
  let inlined: Record<string, string> = {};
  /** Variables of `.env` files, exposed to pages or not. */
  let files: readonly NodeJS.ProcessEnv[] = [];
  let saidNoKey = false;
  /** Contents that have been searched: files on disk are searched again only if they differ. */
  const searched = new Set<string>();

  const ofBundle: FenceOfBundle = {
    name: 'financing-checkout:key-fence',
    enforce: 'post',

    buildStart() {
      search = new KeySearch(keysToFind(options, { ...inlined, ...process.env }, files));
      if (!search.isEmpty || saidNoKey) return;
      saidNoKey = true;
      this.warn(
        'No key is configured, so only modules are checked. Set KEY_FENCE_FINGERPRINT to ' +
          'the fingerprint of the private key (README of @financing-checkout/key-fence).',
      );
    },

    generateBundle: {
      order: 'post',
      async handler(_, bundle) {
        const forServer = this.environment?.config.consumer === 'server';
        const modules = forServer ? [] : forbiddenIn(bundle, forbidden, this, root);
        const keys = Object.values(bundle).flatMap((output) => {
          searched.add(digest(output.type === 'asset' ? output.source : output.code));
          return keysIn(output, search, this);
        });
        refuse([...modules, ...keys, ...(await keysInPublic(publicDir, search))], search, this);
      },
    },
  };

  return {
    ...ofBundle,
    apply: 'build',

    // Vite bundles a worker separately, and the page's bundle contains only the worker's output
    // text.
    config: () => ({ worker: { plugins: () => [ofBundle] } }),

    configResolved(config) {
      publicDir = config.build.copyPublicDir ? config.publicDir : undefined;
      root = config.root;
      const texts = Object.entries(config.env).filter(([, value]) => typeof value === 'string');
      inlined = Object.fromEntries(texts) as Record<string, string>;
      files = config.envDir === false ? [] : envFiles(config.envDir, config.mode);
    },

    writeBundle: {
      order: 'post',
      sequential: true,
      async handler({ dir, file }, bundle) {
        const folder = dir ?? dirname(file ?? '.');
        const leaks: Leak[] = [];
        // A plugin may write a source map to disk that is not in the bundle.
        const names = Object.keys(bundle).flatMap((name) => [name, `${name}.map`]);
        for (const fileName of new Set(names)) {
          const path = join(folder, fileName);
          if (!existsSync(path)) continue;
          const source = await readFile(path);
          if (searched.has(digest(source))) continue;
          leaks.push(...keysIn({ type: 'asset', fileName, source }, search, this));
        }
        refuse(leaks, search, this, `The files are written already: delete ${folder}.`);
      },
    },
  };
}

/** Vite copies these files outside the bundle. */
async function keysInPublic(folder: string | undefined, search: KeySearch): Promise<Leak[]> {
  if (!folder || !existsSync(folder)) return [];
  const findings = await findInFolder(folder, search);
  return findings.map((finding) => ({
    file: `${finding.file} (in ${folder})`,
    what: describe(finding),
    chain: [],
  }));
}

function refuse(leaks: readonly Leak[], search: KeySearch, context: Context, more?: string): void {
  if (leaks.length === 0) return;
  const lines = leaks.flatMap(({ file, what, chain }) => [
    `  ${search.withhold(file)}: ${what}`,
    ...(chain.length > 0 ? [`    by ${chain.map((id) => search.withhold(id)).join(' ← ')}`] : []),
  ]);
  context.error(
    [
      'This build is refused: it would publish what belongs on the server only.',
      ...lines,
      'Take the import or the value out of the browser code; only your servers may have it.',
      'If such a build, or the source it came from, was ever public: rotate the private key now.',
      ...(more === undefined ? [] : [more]),
    ].join('\n'),
  );
}

function digest(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('base64');
}
