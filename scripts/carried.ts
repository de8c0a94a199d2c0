import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

const scope = '@financing-checkout/';
const folderOfOwn = 'own';
/** Folders that a package takes from another one, whose documents stay where they are linked. */
const carried = ['dist', 'src'];
/** An import, type import or `resolve` of one of our packages, with its path. */
const imports =
  /(\bfrom\s+|\bimport\s+|\bimport\(\s*|\.resolve\(\s*)(['"])@financing-checkout\/([a-z-]+)(?:\/([\w./-]+))?\2/g;

type Dependencies = Record<string, string>;
/** An `exports` entry: a file, or files by condition. */
type Entry = string | Record<string, string>;

interface Manifest {
  name: string;
  version: string;
  license: string;
  type: string;
  sideEffects?: unknown;
  files: string[];
  exports: Record<string, Entry>;
  dependencies?: Dependencies;
  devDependencies?: Dependencies;
}

/** A package that was packed and unpacked. */
interface Unpacked {
  folder: string;
  manifest: Manifest;
}

/**
 * Makes unpacked packages independent of each other. Each one gets the files of our packages that
 * it needs in its folder `own`, imports them by path, and lists their other dependencies. No
 * manifest then names one of our packages, so no package manager asks a registry for it, where a
 * stranger may have registered the name. (`bundledDependencies` do not achieve this: Yarn 4
 * installs the registry's package anyway, and Yarn 1 downloads it.)
 * @param folders of the packages that need each other, and of everything that they need
 */
export function carryOwnPackages(folders: readonly string[]): void {
  const packages = new Map(
    folders.map((folder) => {
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
      return [manifest.name, { folder, manifest }];
    }),
  );
  // Reads all dependencies before the first copy changes a package.
  const needed = new Map([...packages.keys()].map((name) => [name, ownOf(name, packages)]));
  for (const [name, own] of needed) {
    for (const one of own) copyInto(unpackedOf(name, packages), unpackedOf(one, packages));
  }
  for (const [name, own] of needed) {
    const { folder, manifest } = unpackedOf(name, packages);
    if (own.length > 0) rewriteImports(folder, own, packages);
    const others = own.map((one) => unpackedOf(one, packages).manifest);
    writeFileSync(
      join(folder, 'package.json'),
      `${JSON.stringify(independent(manifest, others), undefined, 2)}\n`,
    );
  }
}

/** Returns the names of our packages that a package depends on, directly or indirectly. */
function ownOf(name: string, packages: ReadonlyMap<string, Unpacked>): string[] {
  const found = new Set<string>();
  const follow = (from: string) => {
    for (const own of Object.keys(unpackedOf(from, packages).manifest.dependencies ?? {})) {
      if (!own.startsWith(scope) || found.has(own)) continue;
      found.add(own);
      follow(own);
    }
  };
  follow(name);
  return [...found].sort();
}

function unpackedOf(name: string, packages: ReadonlyMap<string, Unpacked>): Unpacked {
  const found = packages.get(name);
  if (found === undefined) throw new Error(`${name} is needed and was not packed.`);
  return found;
}

const ownFolder = (folder: string, name: string) =>
  join(folder, folderOfOwn, name.slice(scope.length));

function copyInto({ folder }: Unpacked, { folder: source, manifest }: Unpacked): void {
  const target = ownFolder(folder, manifest.name);
  for (const name of carried) {
    if (globSync(name, { cwd: source }).length === 0) continue;
    cpSync(join(source, name), join(target, name), { recursive: true });
  }
  const { name, version, license, type, sideEffects } = manifest;
  writeFileSync(
    join(target, 'package.json'),
    `${JSON.stringify({ name, version, license, type, sideEffects }, undefined, 2)}\n`,
  );
}

/** Replaces the names of carried packages with the paths of their files, in code and in types. */
function rewriteImports(
  folder: string,
  own: readonly string[],
  packages: ReadonlyMap<string, Unpacked>,
): void {
  for (const file of globSync('{dist,own/*/dist}/**/*.{js,d.ts}', { cwd: folder })) {
    const path = join(folder, file);
    const code = readFileSync(path, 'utf8');
    const rewritten = code.replaceAll(
      imports,
      (found, before: string, quote: string, short: string, entry?: string) => {
        const name = scope + short;
        if (!own.includes(name)) return found;
        const target = join(ownFolder(folder, name), entryFile(unpackedOf(name, packages), entry));
        const specifier = relative(dirname(path), target).split(sep).join('/');
        return `${before}${quote}${specifier.startsWith('.') ? '' : './'}${specifier}${quote}`;
      },
    );
    if (rewritten !== code) writeFileSync(path, rewritten);
  }
}

/** Returns the file that a server loads for an entry of `exports`. */
function entryFile({ manifest: { name, exports } }: Unpacked, entry: string | undefined): string {
  const found = exports[entry === undefined ? '.' : `./${entry}`];
  const file = typeof found === 'string' ? found : (found?.node ?? found?.default);
  if (file === undefined) throw new Error(`${name} exports no "${entry ?? '.'}" for a server.`);
  return file;
}

/** Returns a manifest that names none of our packages and has the dependencies of the carried ones. */
function independent(manifest: Manifest, others: readonly Manifest[]): Manifest {
  const dependencies: Dependencies = {};
  for (const { name, dependencies: own = {} } of [manifest, ...others]) {
    for (const [library, range] of Object.entries(own)) {
      if (library.startsWith(scope)) continue;
      const known = (dependencies[library] ??= range);
      if (known !== range) {
        throw new Error(
          `${manifest.name} gets ${library} ${known}, and ${name}, which it carries, needs ${range}. Write one range in both.`,
        );
      }
    }
  }
  const sorted = Object.fromEntries(Object.entries(dependencies).toSorted());
  const made: Manifest = { ...manifest, dependencies: sorted };
  if (others.length > 0) made.files = [folderOfOwn, ...manifest.files];
  // They are for work in the repository, and name our packages.
  delete made.devDependencies;
  return made;
}
