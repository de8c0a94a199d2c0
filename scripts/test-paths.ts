import { existsSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';

/** Projects that `npm test` leaves out: they take several minutes, or install programs. */
export const slowProjects = ['readme', 'recipes', 'oracles', 'pgbouncer', 'upgrade'];

/** The tests of a path, as arguments of Vitest. */
export interface SelectedTests {
  command: 'run' | 'related';
  projects: string[];
  /** Paths relative to the repository. */
  files: string[];
}

/**
 * Selects the tests of files and folders: those in a folder, a test file itself, and for a source
 * file the tests of its package that import it.
 * @param paths relative to `from` @throws {Error} for a path without tests
 */
export function selectTests(paths: readonly string[], root: string, from: string): SelectedTests[] {
  const selected = paths.map((path): SelectedTests => {
    const file = resolve(from, path);
    const name = relative(root, file).replaceAll('\\', '/');
    if (!existsSync(file)) throw new Error(`There is no file or folder ${path}.`);
    if (!/^(?:packages|tests|examples\/shop|site)\b/.test(name)) {
      throw new Error(
        `No test belongs to ${path}: tests are in packages, tests, examples/shop and site.`,
      );
    }
    const [, owner] = /^packages\/([^/]+)/.exec(name) ?? [];
    const projects =
      owner === undefined
        ? slowProjects.filter((slow) => !name.startsWith(`tests/${slow}`)).map((slow) => `!${slow}`)
        : [`@financing-checkout/${owner}*`];
    const isFolder = statSync(file).isDirectory();
    const command = isFolder || name.endsWith('.test.ts') ? 'run' : 'related';
    return { command, projects, files: [isFolder ? `${name}/` : name] };
  });
  return selected.reduce<SelectedTests[]>((all, one) => {
    const same = all.find(
      ({ command, projects }) => command === one.command && projects.join() === one.projects.join(),
    );
    if (same) same.files.push(...one.files);
    else all.push(one);
    return all;
  }, []);
}
