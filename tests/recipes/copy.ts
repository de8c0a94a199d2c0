import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { root } from '../../scripts/paths.ts';

/** A change of one file: `anchor` is found exactly once, and `text` is put before or after it. */
export interface Insertion {
  file: string;
  after?: string;
  before?: string;
  text: string;
}

/** A copy of the working tree, in which a recipe is followed. */
export class Copy {
  readonly #folder = mkdtempSync(join(tmpdir(), 'recipe-'));

  constructor() {
    const listed = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 32 * 1024 * 1024,
    });
    const files = listed.split('\0').filter((name) => name !== '');
    for (const file of files) {
      mkdirSync(dirname(join(this.#folder, file)), { recursive: true });
      cpSync(join(root, file), join(this.#folder, file), { preserveTimestamps: true });
    }
    symlinkSync(join(root, 'node_modules'), join(this.#folder, 'node_modules'));
    // The links between packages are relative, so those of the copy lead to its own packages.
    const packages = files
      .filter((file) => basename(file) === 'package.json' && dirname(file) !== '.')
      .map((file) => dirname(file));
    for (const each of packages) {
      for (const part of ['node_modules', 'dist']) {
        const from = join(root, each, part);
        const options = { recursive: true, verbatimSymlinks: true, preserveTimestamps: true };
        if (existsSync(from)) cpSync(from, join(this.#folder, each, part), options);
      }
    }
  }

  /** @throws {Error} when the anchor is not in the file, or more than once */
  insert({ file, after, before, text }: Insertion): void {
    const path = join(this.#folder, file);
    const source = readFileSync(path, 'utf8');
    const anchor = after ?? before ?? '';
    if (source.split(anchor).length !== 2) {
      throw new Error(
        `${file} has ${JSON.stringify(anchor)} ${source.split(anchor).length - 1} times.`,
      );
    }
    writeFileSync(
      path,
      source.replace(anchor, () => (after === undefined ? text + anchor : anchor + text)),
    );
  }

  /** Writes a new file. */
  write(file: string, text: string): void {
    mkdirSync(dirname(join(this.#folder, file)), { recursive: true });
    writeFileSync(join(this.#folder, file), text);
  }

  /** Runs a command of the installed packages in the copy. @throws {Error} when it fails */
  run(command: string, args: readonly string[], env: Record<string, string> = {}): void {
    this.#spawn(join(root, 'node_modules/.bin', command), args, env);
  }

  /** Runs a script of the copy with Node.js. @throws {Error} when it fails */
  node(script: string): void {
    this.#spawn(process.execPath, [script]);
  }

  #spawn(program: string, args: readonly string[], env: Record<string, string> = {}): void {
    const { status, stdout, stderr } = spawnSync(program, args, {
      cwd: this.#folder,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      env: { ...process.env, NO_COLOR: '1', ...env },
    });
    if (status === 0) return;
    const output = (stdout + stderr).slice(-6_000);
    throw new Error(`${program} ${args.join(' ')} ended with ${status}:\n${output}`);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Returns the files that a recipe of CONTRIBUTING.md names in its steps, in their order. */
export function filesOfRecipe(title: string): string[] {
  const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
  const section = text.split(/^### /m).find((part) => part.startsWith(`${title}\n`));
  if (section === undefined) throw new Error(`CONTRIBUTING.md has no recipe "${title}".`);
  const [steps = ''] = section.split('```');
  return [
    ...new Set(
      [...steps.matchAll(/`((?:packages|scripts|docs|examples)\/[^`]+\.\w+)`/g)].map(
        ([, file = '']) => file,
      ),
    ),
  ];
}
