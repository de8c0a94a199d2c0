import { readdirSync, readFileSync, statSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../facts/facts.fixture.ts';
import type { Clock } from '@financing-checkout/kit';
import { bytes, upload } from '../keep/ledger.fixture.ts';
import { LedgerImportError } from '../import-error.ts';
import { createReceiver, type ReceivedFile } from './receive.ts';

const KIB_128 = 131_072;
const MIB = 1_048_576;
const RESERVE = 512 * MIB;

/** A clock that the test advances. */
function manualClock() {
  let now = 0;
  const timers = new Set<{ at: number; callback: () => void }>();
  const clock: Clock = {
    now: () => now,
    after(ms, callback) {
      const timer = { at: now + ms, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
  };
  function advance(ms: number): void {
    now += ms;
    for (const timer of timers) {
      if (timer.at > now) continue;
      timers.delete(timer);
      timer.callback();
    }
  }
  return { clock, advance, timers };
}

function openReceiver(change: { maxBytes?: number; free?: () => number } = {}) {
  const { maxBytes = Infinity, free = () => Infinity } = change;
  const folder = temporaryFolder();
  const { clock, advance, timers } = manualClock();
  const receiver = createReceiver({
    folder,
    clock,
    maxBytes,
    freeBytes: () => Promise.resolve(free()),
  });
  return { receiver, folder, advance, timers, files: () => readdirSync(folder) };
}

const keep = (file: ReceivedFile) => Promise.resolve(file);
const problem = (code: string) => expect.objectContaining({ code }) as Error;

test('provides the complete file, which only its owner can read, and removes it', async () => {
  const { files, receiver, timers } = openReceiver();
  const found = await receiver.receive(upload(bytes('order,amount\nA-1,5\n')), (file) => {
    expect(readFileSync(file.path, 'utf8')).toBe('order,amount\nA-1,5\n');
    expect(statSync(file.path).mode & 0o777).toBe(0o600);
    return Promise.resolve(file);
  });
  expect(found.size).toBe(19);
  expect(found.digest).toMatch(/^[0-9a-f]{64}$/);
  expect(files()).toEqual([]);
  expect(timers.size).toBe(0);
});

test('keeps only few chunks of a file in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const { receiver } = openReceiver();
  const sent: WeakRef<Uint8Array>[] = [];
  let inMemory = 0;
  async function* pieces() {
    for (let count = 0; count < 100; count++) {
      const piece = new Uint8Array(KIB_128);
      sent.push(new WeakRef(piece));
      yield piece;
    }
    // A WeakRef keeps its target until the current task ends.
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    inMemory = sent.filter((piece) => piece.deref() !== undefined).length;
  }
  await receiver.receive(upload(pieces()), keep);
  expect(sent).toHaveLength(100);
  expect(inMemory).toBeLessThan(10);
});

test('disconnects a sender of one byte in three seconds', async () => {
  const { advance, files, receiver } = openReceiver();
  let sent = 0;
  async function* trickle() {
    for (;;) {
      advance(3_000);
      sent += 1;
      yield await Promise.resolve(new Uint8Array(1));
    }
  }
  const given = receiver.receive(upload(trickle()), keep);
  await expect(given).rejects.toThrow('Less than 128 KiB arrived in 30 seconds');
  await expect(given).rejects.toThrow(LedgerImportError);
  expect(sent).toBe(10);
  expect(files()).toEqual([]);
});

test('aborts an upload that stalls after sending a lot of data', async () => {
  const { advance, receiver } = openReceiver();
  const stalled = Promise.withResolvers<undefined>();
  async function* stuck() {
    yield new Uint8Array(10 * KIB_128);
    stalled.resolve(undefined);
    await new Promise(() => undefined);
  }
  const given = receiver.receive(upload(stuck()), keep);
  const failed = expect(given).rejects.toThrow('Less than 128 KiB arrived in 30 seconds');
  await stalled.promise;
  advance(30_000);
  advance(30_000);
  await failed;
});

test.each([
  [59, true],
  [60, false],
])(
  'accepts the slowest permitted upload for %i intervals of 30 seconds: %s',
  async (count, isReceived) => {
    const { advance, receiver } = openReceiver();
    async function* steady() {
      for (let interval = 0; interval < count; interval++) {
        yield await Promise.resolve(new Uint8Array(KIB_128));
        advance(30_000);
      }
    }
    const given = receiver.receive(upload(steady()), keep);
    if (isReceived) expect(await given).toMatchObject({ size: count * KIB_128 });
    else await expect(given).rejects.toThrow('more than 30 minutes');
  },
);

test('refuses a file above the limit, by its declared size before its first byte', async () => {
  const { files, receiver } = openReceiver({ maxBytes: 100 });
  expect(await receiver.receive(upload(bytes('x'.repeat(100))), keep)).toMatchObject({ size: 100 });
  const large = receiver.receive(upload(bytes('x'.repeat(101))), keep);
  await expect(large).rejects.toThrow(problem('request-too-large'));
  let isRead = false;
  async function* unread() {
    isRead = true;
    yield* bytes('x');
  }
  const declared = receiver.receive({ ...upload(unread()), declared: 101 }, keep);
  await expect(declared).rejects.toThrow(problem('request-too-large'));
  expect([isRead, files()]).toEqual([false, []]);
});

test('receives two files per sender and eight in total, and the next one when one is complete', async () => {
  const { files, receiver } = openReceiver();
  const gate = Promise.withResolvers<undefined>();
  const first = Promise.withResolvers<undefined>();
  async function* waiting(until: Promise<undefined>) {
    yield* bytes('x');
    await until;
  }
  const send = (sender: string, until = gate.promise) =>
    receiver.receive({ pieces: waiting(until), sender }, keep);
  const begun = [send('a', first.promise)];
  for (const sender of ['a', 'b', 'b', 'c', 'c', 'd']) begun.push(send(sender));
  await expect(send('a')).rejects.toThrow(problem('rate-limited'));
  begun.push(send('e'));
  await expect(send('f')).rejects.toThrow(problem('overloaded'));
  first.resolve(undefined);
  await begun[0];
  begun.push(send('a'));
  await expect(send('f')).rejects.toThrow(problem('overloaded'));
  gate.resolve(undefined);
  expect(await Promise.all(begun)).toHaveLength(9);
  expect(files()).toEqual([]);
  expect(await send('f')).toMatchObject({ size: 1 });
});

test('refuses a file that would leave too little disk space, by its declared size', async () => {
  const { receiver } = openReceiver({ free: () => RESERVE + 200 });
  // Room for the file, and as much for its lines.
  expect(
    await receiver.receive({ ...upload(bytes('x'.repeat(100))), declared: 100 }, keep),
  ).toMatchObject({ size: 100 });
  const large = receiver.receive({ ...upload(bytes('x')), declared: 101 }, keep);
  await expect(large).rejects.toThrow(problem('storage-full'));
});

test('ends a file without a declared size when the disk becomes full', async () => {
  let free = RESERVE + 100 * MIB;
  const { files, receiver } = openReceiver({ free: () => free });
  let sent = 0;
  async function* endless() {
    for (;;) {
      free -= MIB;
      sent += 1;
      yield await Promise.resolve(new Uint8Array(MIB));
    }
  }
  await expect(receiver.receive(upload(endless()), keep)).rejects.toThrow(problem('storage-full'));
  expect(sent).toBe(51);
  expect(files()).toEqual([]);
});

test('removes the file when the sender disconnects, and when the import fails', async () => {
  const { files, receiver, timers } = openReceiver();
  const gone = new Error('gone');
  async function* broken() {
    yield* bytes('x');
    throw gone;
  }
  await expect(receiver.receive(upload(broken()), keep)).rejects.toBe(gone);
  const failing = () => Promise.reject(gone);
  await expect(receiver.receive(upload(bytes('x')), failing)).rejects.toBe(gone);
  expect([files(), timers.size]).toEqual([[], 0]);
});
