import {
  chmodSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Identity, ownIdentity, requireOwnFolder, strangersAccess } from './folder.ts';

/** The user and group in compose.yaml; the chart's fsGroup is the same. */
const program: Identity = { uid: 1000, groups: [1000] };

describe('the attributes of a folder', () => {
  test.each([
    ['the volume of compose.yaml: /data of the image', 1000, 1000, 0o40755],
    ['tmpfs of compose.yaml with the mode of Linux', 1000, 1000, 0o41777],
    ['/tmp', 0, 0, 0o41777],
    ['a volume of the chart: of root, writable for fsGroup', 0, 1000, 0o42775],
    ['a volume of the chart with the mode of the storage class', 0, 1000, 0o42770],
    ['the state folder of a unit of systemd', 1000, 1000, 0o40700],
    ['a folder of root that all may read', 0, 0, 0o40755],
    ['its own group, which may write', 1000, 1000, 0o40775],
    ['a sticky folder of another group', 0, 2000, 0o41775],
  ])('pass: %s', (_, uid, gid, mode) => {
    expect(strangersAccess({ uid, gid, mode }, program)).toBeUndefined();
  });

  test.each([
    ['writable for all', 1000, 1000, 0o40777, /every user/],
    ['writable for all but its group', 0, 0, 0o40757, /every user/],
    ['writable for another group', 0, 2000, 0o40775, /another group \(2000\)/],
    ['of another user', 1001, 1000, 0o40755, /another user \(1001\)/],
    [
      'sticky and of another user, who may remove every file in it',
      1001,
      1001,
      0o41777,
      /another user/,
    ],
    ['an emptyDir without fsGroup', 0, 0, 0o40777, /every user/],
  ])('are refused: %s', (_, uid, gid, mode, access) => {
    expect(strangersAccess({ uid, gid, mode }, program)).toMatch(access);
  });

  test('pass for a supplementary group of the process', () => {
    const attributes = { uid: 0, gid: 2000, mode: 0o42775 };
    expect(strangersAccess(attributes, { uid: 1000, groups: [1000, 2000] })).toBeUndefined();
  });
});

/** Creates a folder of this user, removed after the test. */
function ownFolder(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'own-folder-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function makeFolder(path: string, mode: number): string {
  mkdirSync(path);
  chmodSync(path, mode);
  return path;
}

describe('the path to a folder', () => {
  const own = ownIdentity();

  test('is returned without symbolic links', async () => {
    const folder = ownFolder();
    const target = makeFolder(join(folder, 'target'), 0o755);
    symlinkSync('target', join(folder, 'link'));
    expect(await requireOwnFolder(join(folder, 'link'))).toBe(target);
    expect(await requireOwnFolder(join(folder, 'link/../target/.'))).toBe(target);
  });

  test('passes through a sticky folder, and may end in one', async () => {
    const sticky = makeFolder(join(ownFolder(), 'sticky'), 0o1777);
    expect(await requireOwnFolder(sticky)).toBe(sticky);
    const inside = makeFolder(join(sticky, 'inside'), 0o700);
    expect(await requireOwnFolder(inside)).toBe(inside);
  });

  test.each([
    ['the folder is writable for all', ''],
    ['a folder above it is writable for all, which could be exchanged as a whole', 'below/it'],
  ])('is refused when %s', async (_, below) => {
    const open = makeFolder(join(ownFolder(), 'open'), 0o777);
    mkdirSync(join(open, below), { recursive: true });
    await expect(requireOwnFolder(join(open, below))).rejects.toThrow(
      /open is writable for every user .*chmod o-w/,
    );
  });

  test('is refused when a link of this user leads to a world-writable folder', async () => {
    const folder = ownFolder();
    makeFolder(join(folder, 'open'), 0o777);
    symlinkSync(join(folder, 'open'), join(folder, 'link'));
    await expect(requireOwnFolder(join(folder, 'link'))).rejects.toThrow(/every user/);
  });

  test('is refused when the folder or a link in the path belongs to another user', async () => {
    const sticky = makeFolder(join(ownFolder(), 'sticky'), 0o1777);
    const strangersLink = join(sticky, 'link');
    symlinkSync('/', strangersLink);
    const strangersFolder = makeFolder(join(sticky, 'folder'), 0o755);
    // Root can change the owner; for any other user, this user's files act as the foreign ones.
    const isRoot = own?.uid === 0;
    if (isRoot) for (const path of [strangersLink, strangersFolder]) lchownSync(path, 1001, 1001);
    const reader = isRoot ? own : { uid: (own?.uid ?? 0) + 1, groups: own?.groups ?? [] };
    await expect(requireOwnFolder(strangersLink, reader)).rejects.toThrow(/another user/);
    await expect(requireOwnFolder(strangersFolder, reader)).rejects.toThrow(/another user/);
  });

  test('is refused when links form a cycle', async () => {
    const folder = ownFolder();
    symlinkSync('one', join(folder, 'other'));
    symlinkSync('other', join(folder, 'one'));
    await expect(requireOwnFolder(join(folder, 'one'))).rejects.toThrow(/too many symbolic links/);
  });

  test('throws the file system’s error if the folder does not exist', async () => {
    await expect(requireOwnFolder(join(ownFolder(), 'missing'))).rejects.toThrow(/ENOENT/);
  });
});
