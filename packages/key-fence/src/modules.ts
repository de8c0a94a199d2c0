import { readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { KeyFenceError } from './fingerprint.ts';

/** The companion, which holds the private key, and the package that signs orders with a secret. */
const serverOnly = ['@financing-checkout/server', '@financing-checkout/ticket'];

/** Decides which modules are forbidden in browser builds, for any kind of import. */
export class ForbiddenModules {
  readonly #packages: readonly string[];
  readonly #paths: readonly string[];
  readonly #packageOfFolder = new Map<string, string | undefined>();

  /**
   * @param entries package names, and paths (absolute, or starting with a dot) of files or folders,
   * in addition to the companion and the order ticket
   * @throws {KeyFenceError} for a path that does not exist, because it would forbid nothing
   */
  constructor(entries: readonly string[]) {
    const isPath = (entry: string) => isAbsolute(entry) || entry.startsWith('.');
    this.#packages = [...serverOnly, ...entries.filter((entry) => !isPath(entry))];
    this.#paths = entries.filter(isPath).map((entry) => {
      const path = realPath(resolve(entry));
      if (path === undefined) throw new KeyFenceError(`forbiddenModules: ${entry} does not exist.`);
      return path;
    });
  }

  /** Returns the entry that forbids this module or import specifier, if any. */
  match(id: string): string | undefined {
    return this.#packageNamedBy(id) ?? this.#entryOfFile(fileOf(id));
  }

  /**
   * Matches by name: `@scope/name`, `@scope/name/sub`, such a path below any `node_modules`, or a
   * CDN URL (`https://…/@scope/name@1.2.3/sub`).
   */
  #packageNamedBy(id: string): string | undefined {
    const path = fileOf(id).replaceAll('\\', '/');
    if (/^https?:\/\//.test(path)) {
      const parts = `${path}/`;
      return this.#packages.find((name) =>
        [`/${name}/`, `/${name}@`].some((part) => parts.includes(part)),
      );
    }
    const installed = path.split('/node_modules/').at(-1) ?? path;
    return this.#packages.find((name) => installed === name || installed.startsWith(`${name}/`));
  }

  /** Matches by file: a symbolic link or a relative import has another name for the same file. */
  #entryOfFile(file: string): string | undefined {
    const path = isAbsolute(file) ? realPath(file) : undefined;
    if (path === undefined) return undefined;
    const below = this.#paths.find((root) => path === root || path.startsWith(root + sep));
    return below ?? this.#packageOf(dirname(path));
  }

  /**
   * Returns the forbidden package that contains the file, according to the `package.json` files
   * above it.
   */
  #packageOf(folder: string): string | undefined {
    const known = this.#packageOfFolder.get(folder);
    if (known !== undefined || this.#packageOfFolder.has(folder)) return known;
    const name = packageName(join(folder, 'package.json'));
    const parent = dirname(folder);
    const isTop = parent === folder || basename(folder) === 'node_modules';
    const found =
      name !== undefined && this.#packages.includes(name)
        ? name
        : isTop
          ? undefined
          : this.#packageOf(parent);
    this.#packageOfFolder.set(folder, found);
    return found;
  }
}

/** Removes what bundlers add to a module id: `\0` of a virtual module, `?query` of a variant. */
function fileOf(id: string): string {
  return id.replace(/^\0/, '').replace(/[?#].*$/s, '');
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    // Virtual modules look like paths but are not files.
    return undefined;
  }
}

function packageName(path: string): string | undefined {
  try {
    const { name } = JSON.parse(readFileSync(path, 'utf8')) as { name?: unknown };
    return typeof name === 'string' ? name : undefined;
  } catch {
    // No readable package.json here: look further up.
    return undefined;
  }
}
