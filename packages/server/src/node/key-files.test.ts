import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type LogLine, PUBLIC_KEY } from '../companion.fixture.ts';
import { KeyRing } from '../keys/key-ring.ts';
import { PrivateKey } from '../keys/private-key.ts';
import { listedFields, type Logger } from '../platform/logger.ts';
import { watchKeyFiles } from './key-files.ts';

const FIRST = 'first-private-key-0123456789';
const SECOND = 'second-private-key-9876543210';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'keys-'));
  cleanups.push(() => rmSync(path, { recursive: true }));
  return path;
}

/** Watches the file of a ring's first key; polling is off unless a test needs it. */
function watched(path: string, pollMs = 3_600_000, slot: 0 | 1 = 0) {
  const log: LogLine[] = [];
  const logger: Logger = {
    log: (level, event, fields = {}) => void log.push({ level, event, ...listedFields(fields) }),
  };
  const keys = new KeyRing([new PrivateKey(FIRST)], { logger });
  const files = [{ slot, path }];
  const options = { keys, publicKey: PUBLIC_KEY, logger, pollMs, settleMs: 20 };
  cleanups.push(watchKeyFiles(files, options));
  return {
    log,
    uses: (value: string) => keys.keysToTry()[0]?.equals(value) === true,
    tries: () => keys.keysToTry().length,
    has: (value: string) => keys.isIn(value),
    refusals: () =>
      log.filter(({ event }) => event === 'service-key-file-refused').map(({ reason }) => reason),
  };
}

describe('a new key takes effect', () => {
  test('when its file is written again', async () => {
    const file = join(folder(), 'key');
    writeFileSync(file, FIRST);
    const { uses, log } = watched(file);
    writeFileSync(file, `${SECOND}\n`);
    await expect.poll(() => uses(SECOND)).toBe(true);
    expect(log).toContainEqual({ level: 'info', event: 'service-key-replaced', keySlot: 0 });
  });

  test('when its file was written again before the watch started', async () => {
    const file = join(folder(), 'key');
    writeFileSync(file, SECOND);
    const { uses } = watched(file);
    await expect.poll(() => uses(SECOND)).toBe(true);
  });

  test('in the file for the next key, which may have been empty before', async () => {
    const file = join(folder(), 'next');
    writeFileSync(file, '');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    cleanups.push(() => vi.useRealTimers());
    const { uses, tries, has, log } = watched(file, 3_600_000, 1);
    vi.advanceTimersByTime(1_000);
    expect(log).toEqual([]);
    vi.useRealTimers();
    writeFileSync(file, SECOND);
    await expect.poll(() => has(SECOND)).toBe(true);
    // As at the end of a rotation: the key is no longer used, but its file is still watched.
    writeFileSync(file, '');
    await expect
      .poll(() => log.at(-1))
      .toEqual({ level: 'info', event: 'service-key-removed', keySlot: 1 });
    expect([uses(FIRST), tries(), has(SECOND)]).toEqual([true, 1, true]);
  });

  test('when another file is renamed onto it', async () => {
    const path = folder();
    const file = join(path, 'key');
    writeFileSync(file, FIRST);
    const { uses } = watched(file);
    writeFileSync(join(path, '.key.new'), SECOND);
    renameSync(join(path, '.key.new'), file);
    await expect.poll(() => uses(SECOND)).toBe(true);
  });

  test('when Kubernetes repeatedly swaps the symbolic link to the folder of a secret', async () => {
    const path = folder();
    const publish = (name: string, value: string) => {
      mkdirSync(join(path, name));
      writeFileSync(join(path, name, 'key'), value);
      symlinkSync(name, join(path, '..data_tmp'));
      renameSync(join(path, '..data_tmp'), join(path, '..data'));
    };
    publish('..2026_01', FIRST);
    symlinkSync(join('..data', 'key'), join(path, 'key'));
    const { uses } = watched(join(path, 'key'));
    publish('..2026_02', SECOND);
    await expect.poll(() => uses(SECOND)).toBe(true);
    publish('..2026_03', FIRST);
    await expect.poll(() => uses(FIRST)).toBe(true);
  });

  test('by polling, on a file system without events', async () => {
    const [real, path] = [folder(), folder()];
    writeFileSync(join(real, 'key'), SECOND);
    symlinkSync(join(real, 'key'), join(path, 'key'));
    const { uses } = watched(join(path, 'key'), 20);
    // Earlier, the first poll would detect the change.
    await expect.poll(() => uses(SECOND)).toBe(true);
    writeFileSync(join(real, 'key'), FIRST);
    await expect.poll(() => uses(FIRST)).toBe(true);
  });

  test('once its file is complete, because a partial file would also look like a key', async () => {
    const file = join(folder(), 'key');
    writeFileSync(file, SECOND.slice(0, 20));
    const { uses, log } = watched(file);
    writeFileSync(file, SECOND);
    await expect.poll(() => uses(SECOND)).toBe(true);
    expect(log.map(({ event }) => event)).toEqual(['service-key-replaced']);
  });
});

describe('the current key stays in use, with the reason in the log, when the file', () => {
  test.each([
    ['empty', 'is empty', ''],
    ['empty', 'contains only a line break', '\n'],
    ['not-a-key', 'contains something else', 'two words'],
    ['not-a-key', 'is truncated', SECOND.slice(0, 10)],
    ['in-quotation-marks', 'contains a key as in a .env file', `"${SECOND}"`],
    ['is-the-public-key', 'contains the public key', PUBLIC_KEY],
    ['unreadable', 'is far too long', 'x'.repeat(20_000)],
  ])('%s: %s', async (reason, _, text) => {
    const file = join(folder(), 'key');
    writeFileSync(file, FIRST);
    const { uses, refusals } = watched(file);
    writeFileSync(file, text);
    await expect.poll(refusals).toEqual([reason]);
    expect(uses(FIRST)).toBe(true);
    writeFileSync(file, SECOND);
    await expect.poll(() => uses(SECOND)).toBe(true);
  });

  test('is a pipe, because reading a pipe blocks', async () => {
    const path = folder();
    const file = join(path, 'key');
    writeFileSync(file, FIRST);
    const { uses, refusals } = watched(file);
    execFileSync('mkfifo', [join(path, 'pipe')]);
    renameSync(join(path, 'pipe'), file);
    await expect.poll(refusals).toEqual(['unreadable']);
    expect(uses(FIRST)).toBe(true);
  });

  test('is gone', async () => {
    const file = join(folder(), 'key');
    writeFileSync(file, FIRST);
    const { uses, refusals } = watched(file);
    unlinkSync(file);
    await expect.poll(refusals).toEqual(['unreadable']);
    expect(uses(FIRST)).toBe(true);
  });
});
