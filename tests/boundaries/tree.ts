import { linkSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Caches, pnpm, and bundles that nothing imports. */
const excluded =
  /\/(node_modules\/\.[^/]+|scripts\/pnpm\/node_modules|cdn|coverage|\.data|\.vitest-attachments)$/;

/** A tree of all packages with planted files. */
export interface PlantedTree {
  path: string;
  remove: () => Promise<void>;
}

/**
 * Creates a tree of all packages, with `files` planted in it. Links between packages lead into the tree,
 * links to installed packages out of it; it is below the repository so that both resolve. Its files are hard
 * links, because copying takes seconds: a plant never replaces one.
 * @param further other folders that the tree has as well
 */
export async function plantedTree(
  files: Record<string, string>,
  further: readonly string[] = [],
): Promise<PlantedTree> {
  const parent = join(root, '.data/boundaries');
  await mkdir(parent, { recursive: true });
  const tree = await mkdtemp(join(parent, 'tree-'));
  for (const folder of ['packages', 'examples', 'scripts', ...further]) {
    linkFolder(join(root, folder), join(tree, folder));
  }
  for (const file of ['package.json', 'tsconfig.base.json', 'vitest.shared.ts']) {
    linkSync(join(root, file), join(tree, file));
  }
  await symlink(join(root, 'node_modules'), join(tree, 'node_modules'));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(tree, name)), { recursive: true });
    await writeFile(join(tree, name), content, { flag: 'wx' });
  }
  return { path: tree, remove: () => rm(tree, { recursive: true }) };
}

function linkFolder(source: string, target: string): void {
  mkdirSync(target);
  for (const entry of readdirSync(source, { withFileTypes: true })) {
    const [from, to] = [join(source, entry.name), join(target, entry.name)];
    if (excluded.test(from)) continue;
    if (entry.isDirectory()) linkFolder(from, to);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
    else linkSync(from, to);
  }
}
