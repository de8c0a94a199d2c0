import { lstat, readlink } from 'node:fs/promises';
import { dirname, parse, relative, resolve, sep } from 'node:path';

/** The user and groups of a process. */
export interface Identity {
  uid: number;
  /** Its primary and supplementary groups. */
  groups: readonly number[];
}

/** Attributes of a folder or a file, as `stat` returns them. */
interface Attributes {
  uid: number;
  gid: number;
  mode: number;
}

/** Thrown for a folder in which another user of the machine could write or replace files. */
export class StrangersFolderError extends Error {
  override readonly name = 'StrangersFolderError';
  /** The risk and the remedy, without the path. */
  readonly advice: string;

  constructor(path: string, access: string) {
    const advice = `${access}, so that another user could exchange files. Take the right from the others (chmod o-w, chown), or choose a folder in which only this user can write.`;
    super(`${path} ${advice}`);
    this.advice = advice;
  }
}

const GROUP_WRITES = 0o020;
const OTHERS_WRITE = 0o002;
const STICKY = 0o1000;
const ROOT = 0;
/** Linux follows at most 40. */
const MAX_LINKS = 50;

/** Returns the identity of this process; undefined on a platform without such users. */
export function ownIdentity(): Identity | undefined {
  const { getegid, geteuid, getgroups } = process;
  if (getegid === undefined || geteuid === undefined || getgroups === undefined) return undefined;
  return { uid: geteuid(), groups: [getegid(), ...getgroups()] };
}

/** Returns whether a file or folder belongs to this user or to root, whose access cannot be restricted. */
export function isOwn({ uid }: Pick<Attributes, 'uid'>, own: Identity): boolean {
  return uid === own.uid || uid === ROOT;
}

/**
 * Returns how another user could replace files in a folder, or undefined if no user could. In a
 * sticky folder, such as /tmp, users can create files but replace only their own. A group of this
 * process does not count as another user: container volumes are often writable for the program's
 * group alone.
 */
export function strangersAccess({ uid, gid, mode }: Attributes, own: Identity): string | undefined {
  if (!isOwn({ uid }, own)) return `belongs to another user (${uid})`;
  if ((mode & STICKY) !== 0) return undefined;
  if ((mode & OTHERS_WRITE) !== 0) return 'is writable for every user of the machine';
  const isOfOthers = (mode & GROUP_WRITES) !== 0 && !own.groups.includes(gid) && gid !== ROOT;
  return isOfOthers ? `is writable for another group (${gid})` : undefined;
}

/**
 * Checks that no other user of the machine can replace files in a folder: directly, by replacing a
 * folder above it, or through a symbolic link in its path.
 * @returns the folder's path without symbolic links, to use for all further access
 * @throws {StrangersFolderError} if another user can; and errors of the file system, such as ENOENT
 */
export async function requireOwnFolder(
  folder: string,
  own: Identity | undefined = ownIdentity(),
): Promise<string> {
  let path = resolve(folder);
  for (let links = 0; links <= MAX_LINKS; links++) {
    const next = await checkWay(path, own);
    if (next === undefined) return path;
    path = next;
  }
  throw new StrangersFolderError(folder, 'has too many symbolic links');
}

/**
 * Checks the folders along a path, starting at the root. @returns the target of the first symbolic
 * link
 */
async function checkWay(path: string, own: Identity | undefined): Promise<string | undefined> {
  const { root } = parse(path);
  const names = relative(root, path).split(sep).filter(Boolean);
  for (let count = 0; count <= names.length; count++) {
    const at = resolve(root, ...names.slice(0, count));
    const found = await lstat(at);
    if (found.isSymbolicLink()) {
      if (own !== undefined && !isOwn(found, own))
        throw new StrangersFolderError(at, 'is another user’s link');
      return resolve(dirname(at), await readlink(at), ...names.slice(count));
    }
    if (own === undefined || !found.isDirectory()) continue;
    const access = strangersAccess(found, own);
    if (access !== undefined) throw new StrangersFolderError(at, access);
  }
  return undefined;
}
