import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import {
  appendToFile,
  createEmptyFile,
  createFile,
  isPartial,
  partialOf,
  writeNamed,
  writeNewFile,
  writeWhole,
} from './private-file.ts';

let folder = '';
/** A file of this user that an attacker tries to have overwritten. */
let victim = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'private-file-'));
  victim = join(folder, 'victim');
  writeFileSync(victim, 'kept');
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const modeOf = (file: string) => statSync(file).mode & 0o777;

describe('a symbolic link at the path of a file', () => {
  const link = () => {
    const path = join(folder, 'link');
    symlinkSync(victim, path);
    return path;
  };

  test.each([
    ['createFile', (path: string) => createFile(path)],
    ['createEmptyFile', (path: string) => Promise.resolve().then(() => createEmptyFile(path))],
    ['writeNewFile', (path: string) => writeNewFile(path, 'x')],
    ['appendToFile', (path: string) => appendToFile(path, Buffer.from('x'))],
  ])('is not followed by %s', async (_, write) => {
    await expect(write(link())).rejects.toThrow(/EEXIST|ELOOP/);
    expect(readFileSync(victim, 'utf8')).toBe('kept');
  });

  test('with a missing target creates no file there', async () => {
    const target = join(folder, 'planted');
    symlinkSync(target, join(folder, 'dangling'));
    await expect(writeNewFile(join(folder, 'dangling'), 'x')).rejects.toThrow(/EEXIST/);
    await expect(appendToFile(join(folder, 'dangling'), Buffer.from('x'))).rejects.toThrow(/ELOOP/);
    expect(existsSync(target)).toBe(false);
  });

  test('is replaced by the complete file, and not followed', async () => {
    const path = link();
    await writeWhole(path, (file) => file.writeFile('new'));
    expect([readFileSync(path, 'utf8'), readFileSync(victim, 'utf8')]).toEqual(['new', 'kept']);
  });
});

describe('an atomically written file', () => {
  test('is private unless another mode is stated, whatever the umask is', async () => {
    const former = process.umask(0o077);
    onTestFinished(() => void process.umask(former));
    await writeWhole(join(folder, 'private'), (file) => file.writeFile('x'));
    await writeWhole(join(folder, 'shared'), (file) => file.writeFile('x'), { mode: 0o644 });
    expect([modeOf(join(folder, 'private')), modeOf(join(folder, 'shared'))]).toEqual([
      0o600, 0o644,
    ]);
  });

  test('replaces a file whose mode lets others write', async () => {
    chmodSync(victim, 0o666);
    await writeWhole(victim, (file) => file.writeFile('new'));
    expect([readFileSync(victim, 'utf8'), modeOf(victim)]).toEqual(['new', 0o600]);
  });

  test('stays unchanged, without a partial file, when writing fails', async () => {
    const failing = writeWhole(victim, async (file) => {
      await file.writeFile('half');
      throw new Error('The source ended.');
    });
    await expect(failing).rejects.toThrow('The source ended.');
    expect([readFileSync(victim, 'utf8'), readdirSync(folder)]).toEqual(['kept', ['victim']]);
  });

  test('has a new unpredictable, hidden name until it is complete', async () => {
    const partials = new Set<string>();
    for (let count = 0; count < 5; count++) {
      const onPartial = (path: string) => void partials.add(path);
      const seen = () => {
        expect(readdirSync(folder).filter(isPartial)).toHaveLength(1);
        return Promise.resolve();
      };
      await writeWhole(victim, seen, { onPartial });
    }
    expect(partials.size).toBe(5);
    expect([isPartial('.file.partial'), isPartial('report.csv')]).toEqual([false, false]);
    expect(partialOf('/srv/lake/manifest.json')).toMatch(
      /^\/srv\/lake\/\.manifest\.json\.[0-9a-f-]{36}\.partial$/,
    );
  });

  test('can be named after its content', async () => {
    let name = '';
    const write = async (file: { writeFile: (text: string) => Promise<void> }) => {
      await file.writeFile('content');
      name = 'part-7.parquet';
    };
    expect(await writeNamed(folder, write, { name: () => name })).toBe(join(folder, name));
    expect(readFileSync(join(folder, name), 'utf8')).toBe('content');
  });
});
