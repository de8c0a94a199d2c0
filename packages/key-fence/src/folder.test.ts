import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scanFolder } from './folder.ts';
import { project, secret } from './project.fixture.ts';

const keys = { secrets: ['a-key-that-is-absent', secret] };

describe('scanFolder', () => {
  it('names each file that contains a key, with its encoding', async () => {
    const folder = await project({
      'index.html': '<p>clean</p>',
      'assets/main.js': `const key = ${JSON.stringify(secret)};`,
      '.hidden/data.bin': Buffer.from(`..${secret}`).toString('hex'),
    });
    const found = await scanFolder(folder, keys);
    expect(found.toSorted((a, b) => a.file.localeCompare(b.file))).toEqual([
      { file: '.hidden/data.bin', key: 'secrets[1]', encodings: ['hex'] },
      { file: 'assets/main.js', key: 'secrets[1]', encodings: ['string escapes'] },
    ]);
  });

  it('checks file names too, and does not repeat a name that contains the key', async () => {
    const name = `${encodeURIComponent(secret)}.js`;
    const found = await scanFolder(await project({ [name]: 'clean' }), keys);
    expect(found).toHaveLength(1);
    expect(found[0]?.file).toBe('[name withheld: it holds the key]');
    expect(found[0]?.encodings).toEqual(['URI encoding']);
  });

  it('follows symbolic links as a copy to a web server would, and stops at cycles', async () => {
    const root = await project({ 'elsewhere/secret.txt': secret });
    await mkdir(join(root, 'dist'));
    await symlink(join(root, 'elsewhere'), join(root, 'dist/linked'));
    await symlink(join(root, 'dist'), join(root, 'elsewhere/ring'));
    const found = await scanFolder(join(root, 'dist'), keys);
    expect(found.map(({ file }) => file)).toEqual(['linked/secret.txt']);
  });

  it('finds nothing in a clean folder, and fails for a missing folder', async () => {
    expect(await scanFolder(await project({ 'a.js': secret.slice(1) }), keys)).toEqual([]);
    await expect(scanFolder('/nowhere/dist', keys)).rejects.toThrow('ENOENT');
  });
});
