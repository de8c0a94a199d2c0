import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Caches, pnpm, and bundles that nothing is imported from. */
const left =
  /\/(node_modules\/\.[^/]+|scripts\/pnpm\/node_modules|cdn|coverage|\.data|\.vitest-attachments)$/;

/**
 * A copy of all packages, with `files` planted in it. Links between packages lead into the copy,
 * links to installed packages out of it; it lies below the repository so that both hold.
 * Removed by `remove`.
 * @param further folders that are copied as well
 */
export async function plantedTree(
  files: Record<string, string>,
  further: readonly string[] = [],
): Promise<PlantedTree> {
  const parent = join(root, '.data/boundaries');
  await mkdir(parent, { recursive: true });
  const copy = await mkdtemp(join(parent, 'tree-'));
  const folders = ['packages', 'examples', 'scripts', ...further];
  const options = { recursive: true, verbatimSymlinks: true };
  for (const folder of folders) {
    await cp(join(root, folder), join(copy, folder), {
      ...options,
      filter: (source) => !left.test(source),
    });
  }
  for (const file of ['package.json', 'tsconfig.base.json']) {
    await cp(join(root, file), join(copy, file));
  }
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(copy, name)), { recursive: true });
    await writeFile(join(copy, name), content);
  }
  return { path: copy, remove: () => rm(copy, { recursive: true }) };
}

export interface PlantedTree {
  path: string;
  remove: () => Promise<void>;
}
