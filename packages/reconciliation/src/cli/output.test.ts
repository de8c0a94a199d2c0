import {
  chmodSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JournalExport } from '@financing-checkout/contract/reconciliation';
import { zipSync } from 'fflate';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { commandLine } from './cli.fixture.ts';
import { writeFileWhole } from './output.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), 'output-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

/** Gives files to another user; without permission for that, this process pretends to be another user. */
function giveAway(...paths: string[]): void {
  const uid = process.geteuid?.() ?? 0;
  if (uid === 0) for (const path of paths) lchownSync(path, 1001, 1001);
  else vi.spyOn(process, 'geteuid').mockReturnValue(uid + 1);
  onTestFinished(() => void vi.restoreAllMocks());
}

/** Returns the path of a file in the world-writable temporary folder. */
function inTemporary(name: string): string {
  const path = `${folder}-${name}`;
  onTestFinished(() => rmSync(path, { force: true }));
  return path;
}

describe('an output file', () => {
  test('is private, and replaces the target of the user’s own link', async () => {
    const target = join(folder, 'target.csv');
    writeFileSync(target, 'old', { mode: 0o644 });
    symlinkSync('target.csv', join(folder, 'link.csv'));
    await writeFileWhole(join(folder, 'link.csv'), ['a', 'b']);
    expect([readFileSync(target, 'utf8'), statSync(target).mode & 0o777]).toEqual(['ab', 0o600]);
    expect(readdirSync(folder).sort()).toEqual(['link.csv', 'target.csv']);
  });

  test('is not written to a world-writable folder', async () => {
    chmodSync(folder, 0o777);
    await expect(writeFileWhole(join(folder, 'orders.csv'), ['x'])).rejects.toThrow(
      /is writable for every user.*choose a folder/,
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  test('is not written below a world-writable folder', async () => {
    const inner = join(folder, 'inner');
    mkdirSync(inner);
    chmodSync(folder, 0o777);
    await expect(writeFileWhole(join(inner, 'orders.csv'), ['x'])).rejects.toThrow(/every user/);
  });

  test('may be in a sticky folder', async () => {
    chmodSync(folder, 0o1777);
    await writeFileWhole(join(folder, 'orders.csv'), ['x']);
    expect(statSync(join(folder, 'orders.csv')).mode & 0o777).toBe(0o600);
  });

  test.each(['file', 'link', 'pipe'])(
    'is not written to a %s of another user in a sticky folder',
    async (kind) => {
      const victim = join(folder, 'victim');
      writeFileSync(victim, 'kept');
      const planted = inTemporary(kind);
      if (kind === 'file') writeFileSync(planted, 'kept');
      else if (kind === 'link') symlinkSync(victim, planted);
      else execFileSync('mkfifo', [planted]);
      giveAway(planted);
      await expect(writeFileWhole(planted, ['stolen'])).rejects.toThrow(/belongs to another user/);
      expect(readFileSync(victim, 'utf8')).toBe('kept');
    },
  );

  test('is not written through a link of another user', async () => {
    const planted = inTemporary('folder');
    symlinkSync(folder, planted);
    giveAway(planted);
    await expect(writeFileWhole(join(planted, 'orders.csv'), ['x'])).rejects.toThrow(
      /another user/,
    );
    expect(readdirSync(folder)).toEqual([]);
  });
});

test.each(['../evil.csv', '/evil.csv', 'sub/evil.csv', '..'])(
  'writes no file of a journal outside of its folder: %s',
  async (name) => {
    const exported: JournalExport = {
      ...{
        seq: 3,
        period: '2026-10',
        seal: { seq: 1, hash: '0' },
        format: 'csv',
        detail: 'summary',
      },
      ...{ at: '2026-11-02T08:00:00.000Z', by: 'anna', entries: 1, lines: 2, isCorrection: false },
      ...{ files: [], chartHash: '0', sha256: '0', balances: [] },
    };
    const zip = zipSync({ 'journal.json': Buffer.from('{}'), [name]: Buffer.from('x') });
    const { run } = commandLine({ RECONCILIATION_URL: 'http://127.0.0.1:4002' }, (input) =>
      Promise.resolve(
        input.endsWith('/file')
          ? new Response(Buffer.from(zip), { headers: { 'content-type': 'application/zip' } })
          : Response.json({ exports: [exported] }),
      ),
    );
    const { code, err } = await run('journals', 'file', '3', '--output', join(folder, 'october'));
    expect([code, err]).toEqual([1, expect.stringContaining('a file outside of the folder')]);
    expect(readdirSync(folder)).toEqual([]);
  },
);
