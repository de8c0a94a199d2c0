// `npm run build`: compiles all packages and bundles the files for browsers, if they have changed.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { compile } from './compile.ts';
import { dataDir, root } from './paths.ts';

function run(command: string, args: string[], cwd = root, env: Record<string, string> = {}): void {
  const { status } = spawnSync(command, args, {
    cwd,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  if (status !== 0) {
    throw new Error(`${[command.split('/').at(-1), ...args].join(' ')} failed (exit ${status}).`);
  }
}

function newest(path: string): number {
  if (!existsSync(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
}

/** Output files, and the inputs that they are built from. */
export interface Bundle {
  /** Folder below the root; the other paths are below it. */
  folder: string;
  inputs: readonly string[];
  output: string;
}

const bundles: readonly Bundle[] = [
  {
    folder: 'packages/console',
    inputs: [
      'src',
      'public',
      'index.html',
      'vite.config.ts',
      'icons.config.ts',
      '../../pnpm-lock.yaml',
    ],
    output: 'dist/page',
  },
  {
    folder: 'packages/widget',
    inputs: ['src', 'metadata', 'vite.config.ts', '../../pnpm-lock.yaml'],
    output: 'cdn',
  },
  {
    folder: 'examples/shop',
    inputs: ['src/client', 'vite.config.ts', '../../packages/widget/src', '../../pnpm-lock.yaml'],
    output: 'dist/client',
  },
  {
    folder: 'examples/playground',
    inputs: [
      'src',
      'index.html',
      '../shop/programmes.json',
      'vite.config.ts',
      '../../packages/widget/src',
      '../../packages/widget/cdn',
      '../../packages/widget/themes',
      '../../pnpm-lock.yaml',
    ],
    output: 'dist/page',
  },
];

const keyFence = join(root, 'packages', 'key-fence', 'dist', 'main.js');

const stampOf = ({ folder }: Bundle): string => join(dataDir, 'build', folder.replaceAll('/', '-'));

/** Returns whether a bundle is newer than its inputs. */
export function isCurrent(one: Bundle): boolean {
  const at = join(root, one.folder);
  const changed = Math.max(...one.inputs.map((input) => newest(join(at, input))));
  return existsSync(join(at, one.output)) && newest(stampOf(one)) >= changed;
}

/** Records that a bundle is built. */
export function markBuilt(one: Bundle): void {
  const stamp = stampOf(one);
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, '');
  utimesSync(stamp, new Date(), new Date());
}

/**
 * Bundles the files for browsers through the key fence.
 * @param privateKeyFile file with a key that must be in no bundle; the fence reads it
 */
export function bundle(privateKeyFile?: string): void {
  const key: Record<string, string> =
    privateKeyFile === undefined ? {} : { KEY_FENCE_SECRET_FILE: privateKeyFile };
  for (const one of bundles) {
    const at = join(root, one.folder);
    if (isCurrent(one)) {
      // The earlier build may have searched for no key, or for a different one.
      if (privateKeyFile !== undefined)
        run(process.execPath, [keyFence, 'scan', one.output], at, key);
      continue;
    }
    run(join(at, 'node_modules', '.bin', 'vite'), ['build', '--logLevel', 'warn'], at, key);
    markBuilt(one);
  }
}

if (import.meta.main) {
  try {
    compile();
    bundle();
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
